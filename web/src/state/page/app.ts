// What a component may need, in one value for the context.

import {
  computed,
  effect,
  signal,
  untracked,
  type ReadonlySignal,
  type Signal,
} from "@preact/signals";
import { createApi } from "../../api/client";
import { OWN_TRACE, type Source, type TraceName } from "../../api/source";
import { colourIndex, nameIndex } from "../../model/colour";
import { partnerName } from "../../model/changes/matched";
import { sourceClassOf } from "../../model/names";
import type { Method } from "../../model/trace";
import { createMarkActions, type MarkActions } from "../actions/mark-actions";
import { createDownloads, type Downloads } from "../actions/download";
import { createReveal, type Reveal } from "../actions/search-results";
import type { Menu } from "./menu";
import { createPanels, type Panels } from "../panels/panels";
import { createSelectActions, type SelectActions } from "../actions/select-actions";
import { runAddress, traceAgainst } from "./compared";
import { followMain, shiftedViews, type Following, type TimelineSide } from "./old-side";
import { goToRun } from "./other-page";
import { createRuns } from "./runs";
import { createSession, type Session } from "./session";
import { createStore, type Store } from "../store";
import { createViewActions, type ViewActions } from "../actions/view-actions";

export type Dropped = "open" | "compare";

// The timeline of the trace that the shown one is compared with.
export interface OldSide extends Following {
  readonly app: App;
}

export interface App extends TimelineSide {
  readonly views: ViewActions;
  readonly select: SelectActions;
  readonly reveal: Reveal;
  readonly marks: MarkActions;
  readonly session: Session;
  readonly downloads: Downloads;
  // The data of the tabs. Made when the lower panel is drawn first.
  readonly panels: Panels;
  readonly menu: Signal<Menu | null>;
  // What a file that is held over the page would be dropped for; null: none is held there.
  readonly dropped: Signal<Dropped | null>;
  // The trace that this one is compared with, whether its timeline is shown or hidden.
  readonly oldSide: ReadonlySignal<OldSide | null>;
  // Which runs are shown, where each side has several.
  readonly runs: ReturnType<typeof createRuns>;
  // The index of a method's colour in a palette of `colours`.
  colourOf(rank: number, colours: number): number;
}

function classOf(method: Method | undefined): string | null {
  return method === undefined ? null : sourceClassOf(method);
}

// The app that an old trace stands beside, and how far it is shifted.
interface Beside {
  readonly app: App;
  readonly delta: Signal<number>;
}

export function createApp(source: Source, trace: TraceName = OWN_TRACE, main?: Beside): App {
  const told = main?.app.store;
  const store: Store = createStore(
    createApi(source, trace, {
      tell: (text) => store.notify("error", text),
      hasWrittenNames: () => store.settings.peek().isWrittenNames,
    }),
    told === undefined
      ? null
      : { notices: told.notices, notify: told.notify, withdraw: told.withdraw },
  );
  const views =
    main === undefined ? createViewActions(store) : shiftedViews(main.app.views, main.delta);
  const select = createSelectActions(store, views);
  const reveal = createReveal(store, select, views);
  let panels: Panels | null = null;
  const oldSide = signal<OldSide | null>(null);
  const app: App = {
    store,
    views,
    select,
    reveal,
    marks: createMarkActions(store, views, select),
    session: createSession(store),
    downloads: createDownloads(store),
    get panels() {
      return (panels ??= createPanels(store, reveal));
    },
    menu: main?.app.menu ?? signal<Menu | null>(null),
    oldSide,
    scroll: { byUser: signal(0), wanted: signal(null) },
    dropped: signal<Dropped | null>(null),
    runs:
      main?.app.runs ??
      createRuns(store, (run, isInPlace) => showRun(source, store, run, isInPlace)),
    colourOf: (rank, colours) => {
      const by = store.settings.value.colourBy;
      // Ranks differ from trace to trace: beside another one, a method has the colour of its name.
      const isNamed = by === "rank" && (main !== undefined || oldSide.value !== null);
      // An old method has the colour of the new one that it is matched with.
      const newName = (name: string): string | null =>
        main === undefined ? null : partnerName(store.matched.value, "old", name);
      const method = isNamed || by === "package" ? store.names.get(rank) : undefined;
      if (isNamed && method !== undefined)
        return nameIndex(newName(method.method) ?? method.method, colours);
      return colourIndex(rank, classOf(method), by, colours);
    },
  };
  if (main === undefined) keepOldSide(source, app, oldSide);
  return app;
}

// Shows another run of the new side: here where the page holds them all, else on its own page.
function showRun({ content }: Source, store: Store, run: string, isInPlace: boolean): void {
  if (content.two !== null) return void content.two.show(run).catch(store.report);
  const address = runAddress(location, run, store.against.peek());
  if (address !== null) goToRun(address, isInPlace);
}

// Opens and closes the other trace as the link says.
function keepOldSide(source: Source, app: App, shown: Signal<OldSide | null>): void {
  const { store } = app;
  const page = computed(() => {
    const other = store.against.value;
    // The old trace is read when it is asked for: the first picture of this one has the cores to itself.
    const isReady = store.phase.value.kind === "ready" && store.isPictured.value;
    return other !== null && isReady ? traceAgainst(store.can.value, location, other) : null;
  });
  effect(() => {
    const trace = page.value;
    untracked(() => {
      shown.peek()?.stop();
      shown.value = null;
      const delta = store.oldShift;
      delta.value = 0;
      store.oldSpan.value = null;
      if (trace === null) return;
      const old = createApp(source, trace, { app, delta });
      shown.value = { ...followMain(app, old, delta), app: old };
    });
  });
}
