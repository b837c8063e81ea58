// The store of a trace: what the user chose, as signals, and what follows from it, as computed signals. Components find the
// store in their context; no part of it is global.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { isLoadingStill, type Api } from "../api/client";
import type { Progress } from "../api/events";
import { Unreachable } from "../api/request";
import { ON_A_SITE, type Abilities, type Query, type TraceName } from "../api/source";
import type { Range } from "../base/time";
import type { Sort } from "../model/profile/columns";
import { firstSort } from "../model/profile/sort";
import type { CallDetail, Measure, Overflow, TraceInfo } from "../model/trace";
import type { GroupBy } from "../model/profile/group";
import type { Insights } from "../model/insights/insights";
import type { FlameChoice } from "../model/changes/change-flame";
import { PLAIN_FLAME, type FlameView } from "../model/flame/sandwich";
import type { Lens } from "../model/lens";
import type { Op } from "../model/ops";
import type { Mark } from "../model/timeline/marks";
import { OLD_SHOWN, type OldView } from "../model/timeline/beside";
import type { LaneKind, Lanes } from "../model/timeline/lanes";
import { layoutRows, shortStackFor, type RowLayout } from "../model/timeline/rows";
import { DEFAULT_SETTINGS, type Settings } from "../model/page/settings";
import type { Site } from "../model/site/site";
import type { CallPair, Tab } from "../model/page/url-state";
import type { Dialog } from "./dialog";
import { createLoader, messageOf, type Loaded } from "./loader";
import { createLanes } from "./lanes";
import { asShown, createLevels, hiddenBy, type Levels } from "./levels";
import { createMatches } from "./matches";
import { createNames, type Names } from "./names";
import { createNotices, type Notices } from "./notices";
import { shownLeads, threadsAside, visibleThreads, type Aside } from "./row-threads";
import { createScopes } from "./scopes";
import { createTiles, type TileCache } from "./tiles";

export type Phase =
  | { readonly kind: "connecting" }
  | { readonly kind: "reading"; readonly progress: Progress | null }
  | { readonly kind: "ready" }
  | { readonly kind: "empty" }
  | { readonly kind: "failed"; readonly message: string };

export interface Pointer {
  readonly time: number;
}

// What a user can choose.
interface Choices {
  readonly view: Signal<Range>;
  readonly crumbs: Signal<readonly Range[]>;
  readonly picked: Signal<Range | null>;
  readonly threads: Signal<ReadonlySet<number> | null>;
  readonly measure: Signal<Measure>;
  readonly tab: Signal<Tab>;
  // The lane that the Frames tab lists; null: none was chosen.
  readonly laneKind: Signal<LaneKind | null>;
  // Null: nothing was chosen yet, so the profile is sorted by what the range suggests.
  readonly chosenSort: Signal<Sort | null>;
  readonly method: Signal<number | null>;
  readonly call: Signal<CallDetail | null>;
  readonly unfolded: Signal<ReadonlySet<number>>;
  readonly deep: Signal<ReadonlySet<number>>;
  // Threads whose levels all show, though they are the same all over the view.
  readonly plain: Signal<ReadonlySet<number>>;
  readonly pinned: Signal<ReadonlySet<number>>;
  readonly hidden: Signal<ReadonlySet<number>>;
  readonly order: Signal<readonly number[]>;
  readonly marks: Signal<readonly Mark[]>;
  // What is searched for in all panels.
  readonly search: Signal<string>;
  // Whether tables show only what the search finds.
  readonly isOnly: Signal<boolean>;
  // Hidden packages ("android."), whose time goes to their callers: by menus, and by "my code only" (null: it is off).
  readonly without: Signal<readonly string[]>;
  readonly mine: Signal<readonly string[] | null>;
  readonly ops: Signal<readonly Op[]>;
  readonly isLowerHidden: Signal<boolean>;
  // Whether the lower panel has the room of the timeline, too.
  readonly isLowerWhole: Signal<boolean>;
  readonly isInverted: Signal<boolean>;
  readonly flameView: Signal<FlameView>;
  readonly groupBy: Signal<GroupBy>;
  readonly isCallersOfAll: Signal<boolean>;
  // The path that the flame graph is zoomed to, from the root.
  readonly flamePath: Signal<readonly number[]>;
  // The trace that this one is compared with; null: none is.
  readonly against: Signal<TraceName | null>;
  // How the flame graph shows what changed; null: it shows this trace alone.
  readonly flameChoice: Signal<FlameChoice | null>;
  // The names to the box that the graph of what changed is zoomed to, from the outermost method on.
  readonly changePath: Signal<readonly string[]>;
  // The calls that all panels are limited to; null: all.
  readonly lens: Signal<Lens | null>;
  // Two calls that are compared; null: none are.
  readonly beside: Signal<CallPair | null>;
  // How the timeline of the trace that this one is compared with is shown, and how much later a moment is in this one.
  readonly oldView: Signal<OldView>;
  readonly oldShift: Signal<number>;
}

export interface Store extends Choices, Notices {
  readonly api: Api;
  readonly names: Names;
  readonly tiles: TileCache;
  readonly phase: Signal<Phase>;
  readonly info: Signal<TraceInfo | null>;
  readonly settings: Signal<Settings>;
  // Null: the page is the local viewer's.
  readonly site: Signal<Site | null>;
  // What the page can do besides showing the trace.
  readonly can: ReadonlySignal<Abilities>;
  readonly isPageMaker: Signal<boolean>;
  readonly isConnected: Signal<boolean>;
  // Since when the program does not answer; null: it does.
  readonly silentSince: ReadonlySignal<Date | null>;
  readonly dialog: Signal<Dialog>;
  readonly pointer: Signal<Pointer | null>;
  // The call that the timeline shall bring into sight.
  readonly revealed: Signal<Pick<CallDetail, "thread" | "level"> | null>;
  readonly announce: Signal<string>;
  readonly isDark: Signal<boolean>;
  // Whether lists of waits count threads that only waited, too.
  readonly isIdleCounted: Signal<boolean>;
  // Whether the window has room for the details beside the tabs.
  readonly isRoomy: Signal<boolean>;
  // The height that the timeline's rows have on the screen.
  readonly timelinePx: Signal<number>;
  // How many levels of each thread are the same all over the view.
  readonly leads: Signal<ReadonlyMap<number, number>>;
  // What follows from the choices and the trace.
  readonly sort: ReadonlySignal<Sort>;
  readonly range: ReadonlySignal<Range | null>;
  // Whether boxes show their CPU share: the user wants it and the trace has both clocks.
  readonly isByCpu: ReadonlySignal<boolean>;
  // The packages whose methods are hidden, separated by commas; empty: none is.
  readonly hide: ReadonlySignal<string>;
  readonly levels: ReadonlySignal<Levels>;
  readonly scope: ReadonlySignal<Query>;
  // The text that listed methods, and a method of each listed stack, must match; empty for all.
  readonly filter: ReadonlySignal<string>;
  // The scope of lists: of waits, without the threads that only waited.
  readonly listed: ReadonlySignal<Query>;
  // The same together with the filter.
  readonly filtered: ReadonlySignal<Query>;
  readonly rows: ReadonlySignal<RowLayout>;
  readonly aside: ReadonlySignal<Aside>;
  // What a full buffer cost; null where no buffer was full.
  readonly overflow: ReadonlySignal<Overflow | null>;
  // What is worth a look; asked for once the picture is there.
  readonly insights: ReadonlySignal<Loaded<Insights>>;
  // Messages, frames and start-up phases.
  readonly lanes: ReadonlySignal<Loaded<Lanes>>;
  readonly matches: ReadonlySignal<ReadonlySet<number> | null>;
  // Whether the timeline has been drawn: other work waits for that.
  readonly isPictured: ReadonlySignal<boolean>;
  becomePictured(): void;
  report(problem: unknown): void;
}

// Questions of the first picture go before.
const INSIGHTS_MS = 250;

function createChoices(): Choices {
  return {
    view: signal({ from: 0, to: 1 }),
    crumbs: signal([]),
    picked: signal(null),
    threads: signal(null),
    measure: signal("wall"),
    tab: signal("profile"),
    laneKind: signal(null),
    chosenSort: signal(null),
    method: signal(null),
    call: signal(null),
    unfolded: signal(new Set()),
    deep: signal(new Set()),
    plain: signal(new Set()),
    pinned: signal(new Set()),
    hidden: signal(new Set()),
    order: signal([]),
    marks: signal([]),
    search: signal(""),
    isOnly: signal(false),
    without: signal([]),
    mine: signal(null),
    ops: signal([]),
    isLowerHidden: signal(false),
    isLowerWhole: signal(false),
    isInverted: signal(false),
    flameView: signal(PLAIN_FLAME),
    groupBy: signal("method"),
    isCallersOfAll: signal(false),
    flamePath: signal([]),
    against: signal(null),
    flameChoice: signal(null),
    changePath: signal([]),
    lens: signal(null),
    beside: signal(null),
    oldView: signal(OLD_SHOWN),
    oldShift: signal(0),
  };
}

// `main` takes what is told by a store of a trace that stands beside that of the page.
export function createStore(api: Api, main: Notices | null = null): Store {
  const choices = createChoices();
  const told = main ?? createNotices();
  const info = signal<TraceInfo | null>(null);
  const settings = signal(DEFAULT_SETTINGS);
  const site = signal<Site | null>(null);
  const timelinePx = signal(0);
  const isPictured = signal(false);
  const isConnected = signal(true);
  const leads = signal<ReadonlyMap<number, number>>(new Map());
  const isIdleCounted = signal(false);

  // A program that reads the trace once more refuses questions meanwhile. The refusal is no news to
  // the user: everything is asked for again when the trace is there.
  const report = (problem: unknown): void => {
    if (isLoadingStill(problem)) return;
    // That nobody answers is told once, with the time.
    if (problem instanceof Unreachable && !isConnected.peek()) return;
    told.notify("error", messageOf(problem));
  };

  const range = computed(() => {
    const last = choices.crumbs.value[choices.crumbs.value.length - 1];
    return choices.picked.value ?? last ?? null;
  });
  const hide = hiddenBy(choices);
  const levels = createLevels(api, info, hide);
  const { scope, listed } = createScopes({ ...choices, hide, range, isIdleCounted });
  const filter = computed(() => (choices.isOnly.value ? choices.search.value : ""));
  const pictured = () =>
    info.value !== null && isPictured.value && main === null ? { file: info.value.file } : null;
  const overflow = createLoader(
    () => (info.value?.overflow === true ? pictured() : null),
    (_, abort) => api.overflow(abort),
  );
  const insights = createLoader(pictured, (_, abort) => api.insights(abort), INSIGHTS_MS);
  const { lanes, bands } = createLanes(api, info, isPictured);
  return {
    ...choices,
    api,
    names: createNames(api, report, isPictured),
    tiles: createTiles(api, report),
    phase: signal<Phase>({ kind: "connecting" }),
    info,
    settings,
    isPageMaker: signal(false),
    isConnected,
    silentSince: computed(() => (isConnected.value ? null : new Date())),
    site,
    can: computed(() => (site.value === null ? api.can : ON_A_SITE)),
    dialog: signal<Dialog>(null),
    pointer: signal<Pointer | null>(null),
    revealed: signal<Pick<CallDetail, "thread" | "level"> | null>(null),
    announce: signal(""),
    isDark: signal(false),
    isIdleCounted,
    isRoomy: signal(true),
    timelinePx,
    leads,
    range,
    sort: computed(() => choices.chosenSort.value ?? firstSort(choices.measure.value)),
    isByCpu: computed(
      () => settings.value.colourBy === "cpu" && (info.value?.clocks.length ?? 0) > 1,
    ),
    hide,
    levels,
    scope,
    listed,
    filter,
    filtered: computed(() => {
      const match = filter.value;
      return match === "" ? listed.value : { ...listed.value, match };
    }),
    rows: computed(() => {
      const threads = asShown(visibleThreads(choices, info.value, settings.value), levels.value);
      const unfolded = choices.unfolded.value;
      const open = threads.filter((thread) => unfolded.has(thread.id)).length;
      const short = shortStackFor(timelinePx.value, threads.length, open);
      return layoutRows(threads, {
        unfolded,
        deep: choices.deep.value,
        pinned: choices.pinned.value,
        short,
        bands: bands.value,
        leads: shownLeads(leads.value, choices.plain.value, choices.call.value),
      });
    }),
    aside: computed(() => threadsAside(choices, info.value)),
    overflow: computed(() => (info.value?.overflow === true ? overflow.value.value : null)),
    insights,
    lanes,
    matches: createMatches(api, info, choices.search),
    isPictured,
    becomePictured: () => (isPictured.value = true),
    ...told,
    report,
  };
}
