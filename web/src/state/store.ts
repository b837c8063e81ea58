// The store of a trace: what the user chose, as signals, and what follows from it, as computed signals. Components find the
// store in their context; no part of it is global.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Api } from "../api/client";
import type { Held } from "../api/decode-first";
import type { Progress } from "../api/events";
import { isLoadingStill, Unreachable } from "../api/request";
import { ON_A_SITE, type Abilities, type Query } from "../api/source";
import type { Range } from "../base/time";
import type { Lens } from "../model/lens";
import type { Sort } from "../model/profile/columns";
import { firstSort } from "../model/profile/sort";
import type { CallDetail, Overflow, TraceInfo } from "../model/trace";
import type { Insights } from "../model/insights/insights";
import { budgetOf, type Lanes } from "../model/timeline/lanes";
import { layoutRows, shortStackFor, type RowLayout } from "../model/timeline/rows";
import { DEFAULT_SETTINGS, type Settings } from "../model/page/settings";
import type { Site } from "../model/site/site";
import { createChoices, type Choices } from "./choices";
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

export interface Store extends Choices, Notices {
  readonly api: Api;
  readonly names: Names;
  readonly tiles: TileCache;
  readonly phase: Signal<Phase>;
  readonly info: Signal<TraceInfo | null>;
  readonly settings: Signal<Settings>;
  // Null: the page is the local viewer's.
  readonly site: Signal<Site | null>;
  // What the page holds beside the shown trace; null: each trace has a page of its own.
  readonly held: Signal<Held | null>;
  // What the page can do besides showing the trace.
  readonly can: ReadonlySignal<Abilities>;
  readonly isPageMaker: Signal<boolean>;
  readonly isConnected: Signal<boolean>;
  // Since when the program does not answer; null: it does.
  readonly silentSince: ReadonlySignal<Date | null>;
  readonly dialog: Signal<Dialog>;
  // Files that were given at once, of which the dialog "sides" asks which are the old ones.
  readonly given: Signal<readonly File[]>;
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
  // The scope of sums and lists: of waits, without the threads that only waited.
  readonly listed: ReadonlySignal<Query>;
  // The same together with the filter.
  readonly filtered: ReadonlySignal<Query>;
  // The calls that were picked with the selected method; null: all of it.
  readonly chosenCalls: ReadonlySignal<Lens | null>;
  // The calls that the selection is of: these, else those of the lens; null: all.
  readonly selectedCalls: ReadonlySignal<Lens | null>;
  // The scope of what is told of the selected method.
  readonly selected: ReadonlySignal<Query>;
  readonly rows: ReadonlySignal<RowLayout>;
  readonly aside: ReadonlySignal<Aside>;
  // What a full buffer cost; null where no buffer was full.
  readonly overflow: ReadonlySignal<Overflow | null>;
  // What is worth a look; asked for once the picture is there.
  readonly insights: ReadonlySignal<Loaded<Insights>>;
  // Messages, frames and start-up phases.
  readonly lanes: ReadonlySignal<Loaded<Lanes>>;
  // What a frame may take, in ns.
  readonly budget: ReadonlySignal<number>;
  readonly matches: ReadonlySignal<ReadonlySet<number> | null>;
  // Whether the timeline has been drawn: other work waits for that.
  readonly isPictured: ReadonlySignal<boolean>;
  becomePictured(): void;
  report(problem: unknown): void;
}

// Questions of the first picture go before.
const INSIGHTS_MS = 250;

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
  const scopes = createScopes({ ...choices, hide, range, isIdleCounted });
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
    given: signal<readonly File[]>([]),
    held: signal<Held | null>(null),
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
    ...scopes,
    filter,
    filtered: computed(() => {
      const match = filter.value;
      return match === "" ? scopes.listed.value : { ...scopes.listed.value, match };
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
    budget: computed(() => budgetOf(settings.value.frameHz, info.value?.axis ?? "wall")),
    matches: createMatches(api, info, choices.search),
    isPictured,
    becomePictured: () => (isPictured.value = true),
    ...told,
    report,
  };
}
