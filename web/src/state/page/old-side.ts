// The trace that this one is compared with, as a timeline of its own: a store beside that of the page, which follows it in what
// both have in common: the view, the range, the search, hidden packages, open threads, the selected call.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Range } from "../../base/time";
import {
  anchorOf,
  mapIds,
  momentsOf,
  pairThreads,
  scrollBeside,
  shiftRange,
  type Moment,
} from "../../model/timeline/beside";
import type { CallDetail, TraceInfo } from "../../model/trace";
import { findMethod } from "../actions/find-method";
import type { ViewActions } from "../actions/view-actions";
import { askCall } from "../levels";
import { createLoader, isAbort, messageOf } from "../loader";
import type { CallsHead } from "../panels/calls";
import type { Store } from "../store";
import { shareSelection } from "./old-selection";

// What a timeline is of, and how far its rows are scrolled: by the user, and to where another timeline leads.
export interface TimelineSide {
  readonly store: Store;
  readonly scroll: {
    readonly byUser: Signal<number>;
    readonly wanted: Signal<number | null>;
  };
}

export interface Following {
  // How much later a moment is in the new trace.
  readonly delta: ReadonlySignal<number>;
  // Why the traces cannot be aligned as it is chosen; null: they are.
  readonly problem: ReadonlySignal<string | null>;
  readonly moments: ReadonlySignal<readonly Moment[]>;
  // Of the selected method, while Calls is shown: what the old trace has; null: no such calls.
  readonly calls: ReadonlySignal<CallsHead | null>;
  // Ends it.
  stop(): void;
}

const AGAIN_MS = 300;

// Moves in the old timeline are those of the new one, at the moments that stand above each other.
export function shiftedViews(views: ViewActions, delta: ReadonlySignal<number>): ViewActions {
  const toNew = (range: Range): Range => shiftRange(range, delta.peek());
  return {
    jumpTo: (range) => views.jumpTo(toNew(range)),
    glideTo: (range) => views.glideTo(toNew(range)),
    zoomFrom: (range, at, factor) => views.zoomFrom(toNew(range), at + delta.peek(), factor),
    panFrom: (range, by) => views.panFrom(toNew(range), by),
    zoomBy: (factor, at) => views.zoomBy(factor, at === undefined ? at : at + delta.peek()),
    panBy: (share) => views.panBy(share),
    reveal: (inner) => views.reveal(toNew(inner)),
    wholeTrace: () => views.wholeTrace(),
    zoomToPicked: () => views.zoomToPicked(),
    commit: (range) => views.commit(toNew(range)),
    cutCrumbs: (count) => views.cutCrumbs(count),
  };
}

// Keeps two signals the same, but for `map` and `back`; whichever changes last leads.
function mirror<A, B>(a: Signal<A>, b: Signal<B>, map: (value: A) => B, back: (value: B) => A) {
  let shown: { readonly a: A; readonly b: B } | null = null;
  return [
    effect(() => {
      const value = a.value;
      const mapped = map(value);
      if (shown?.a === value && b.peek() === shown.b && sameOf(mapped, shown.b)) return;
      shown = { a: value, b: mapped };
      b.value = mapped;
    }),
    effect(() => {
      const value = b.value;
      if (shown?.b === value) return;
      const mapped = back(value);
      shown = { a: mapped, b: value };
      a.value = mapped;
    }),
  ];
}

function sameOf(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function follow<T>(from: ReadonlySignal<T>, to: Signal<T>): () => void {
  return effect(() => {
    to.value = from.value;
  });
}

async function readInfo(store: Store, abort: AbortSignal): Promise<TraceInfo> {
  for (;;) {
    const { info, error } = await store.api.first(abort);
    if (info !== null) return info;
    if (error !== null) throw new Error(error);
    await new Promise((resolve) => self.setTimeout(resolve, AGAIN_MS));
    abort.throwIfAborted();
  }
}

// When the traces have what is to be aligned.
async function anchors(
  main: Store,
  old: Store,
  method: string,
  abort: AbortSignal,
): Promise<number> {
  const firstCall = async (store: Store): Promise<CallDetail> =>
    askCall(store, { method: await findMethod(store, method, abort), ordinal: 0 }, abort);
  const [a, b] = await Promise.all([firstCall(main), firstCall(old)]);
  return a.start - b.start;
}

// Has the old timeline, whose views are those of shiftedViews, follow the new one.
export function followMain(
  main: TimelineSide,
  beside: TimelineSide,
  delta: Signal<number>,
): Following {
  const old = beside.store;
  const { store } = main;
  const problem = signal<string | null>(null);
  const ends: (() => void)[] = [];
  const leaving = new AbortController();
  const pairs = computed(() => {
    const [news, olds] = [store.info.value?.threads ?? [], old.info.value?.threads ?? []];
    return { toOld: pairThreads(news, olds), toNew: pairThreads(olds, news) };
  });
  ends.push(
    follow(store.settings, old.settings),
    follow(store.isDark, old.isDark),
    follow(store.search, old.search),
    follow(store.matched, old.matched),
    follow(store.without, old.without),
    follow(store.mine, old.mine),
    follow(store.measure, old.measure),
    effect(() => {
      old.crumbs.value = store.crumbs.value.map((crumb) => shiftRange(crumb, -delta.value));
    }),
    effect(() => {
      old.view.value = shiftRange(store.view.value, -delta.value);
    }),
    effect(() => {
      const toOld = pairs.value.toOld;
      old.pinned.value = mapIds(store.pinned.value, toOld);
      old.hidden.value = mapIds(store.hidden.value, toOld);
      const chosen = store.threads.value;
      old.threads.value = chosen === null ? null : mapIds(chosen, toOld);
      old.order.value = store.rows.value.rows.flatMap((row) => toOld.get(row.thread.id) ?? []);
    }),
    effect(() => {
      const at = store.pointer.value;
      const time = at === null ? null : { time: at.time - delta.value };
      if (old.pointer.peek()?.time !== time?.time) old.pointer.value = time;
    }),
  );
  const start = (info: TraceInfo): void => {
    old.info.value = info;
    store.oldSpan.value = info.span;
    old.phase.value = { kind: "ready" };
    old.becomePictured();
    const range = (by: () => number) => (picked: Range | null) =>
      picked === null ? null : shiftRange(picked, by());
    ends.push(
      ...mirror(
        store.picked,
        old.picked,
        range(() => -delta.value),
        range(() => delta.peek()),
      ),
      ...mirror(
        store.unfolded,
        old.unfolded,
        (ids) => mapIds(ids, pairs.value.toOld),
        (ids) => {
          const { toOld, toNew } = pairs.peek();
          const alone = [...store.unfolded.peek()].filter((id) => !toOld.has(id));
          return new Set([...mapIds(ids, toNew), ...alone]);
        },
      ),
      shareSelection(store, old),
      scrollOf(main, beside, () => pairs.peek().toOld),
      scrollOf(beside, main, () => pairs.peek().toNew),
    );
  };
  const begin = (info: TraceInfo): void => {
    if (!leaving.signal.aborted) start(info);
  };
  readInfo(old, leaving.signal).then(begin, (reason: unknown) => {
    if (!isAbort(reason)) old.phase.value = { kind: "failed", message: messageOf(reason) };
  });
  ends.push(alignOf(store, old, delta, problem), () => leaving.abort());
  const moments = computed(() =>
    momentsOf(
      { new: store.lanes.value.value, old: old.lanes.value.value },
      { new: store.call.value, old: old.call.value },
    ),
  );
  const calls = callsOf(store, old);
  return { delta, problem, moments, calls, stop: () => ends.forEach((end) => end()) };
}

// The calls of the selected method in the old trace, without the list of them.
function callsOf(store: Store, old: Store): ReadonlySignal<CallsHead | null> {
  const answer = createLoader(
    () => {
      const rank = old.method.value;
      if (store.tab.value !== "calls" || rank === null || old.info.value === null) return null;
      const { hide: _, from, ...scope } = old.scope.value;
      const { idle } = store.listed.value;
      return {
        ...scope,
        ...(idle === undefined ? {} : { idle }),
        from: from === undefined ? from : Math.max(0, Number(from)),
        method: rank,
        n: 1,
      };
    },
    async (query, abort) => {
      const { calls: _, ...head } = await old.api.calls(query, abort);
      return head;
    },
  );
  return computed(() => {
    const { value, error } = answer.value;
    return error === null && value !== null && value.rank === old.method.value ? value : null;
  });
}

function scrollOf(
  from: TimelineSide,
  to: TimelineSide,
  pairs: () => ReadonlyMap<number, number>,
): () => void {
  return effect(() => {
    const top = from.scroll.byUser.value;
    const other = scrollBeside(from.store.rows.peek(), to.store.rows.peek(), pairs(), top);
    if (other !== null) to.scroll.wanted.value = other;
  });
}

// Sets how far the traces are shifted by what is to stand above each other.
function alignOf(
  main: Store,
  old: Store,
  delta: Signal<number>,
  problem: Signal<string | null>,
): () => void {
  let running = new AbortController();
  const settle = (by: number, why: string | null): void => {
    delta.value = by;
    problem.value = why;
  };
  return effect(() => {
    const { align } = main.oldView.value;
    const { kind } = align;
    running.abort();
    running = new AbortController();
    const { signal: abort } = running;
    if (kind === "start" || old.info.value === null) return settle(0, null);
    if (kind === "method") {
      anchors(main, old, align.method, abort).then(
        (by) => !abort.aborted && settle(by, null),
        (reason: unknown) => abort.aborted || settle(0, messageOf(reason)),
      );
      return;
    }
    const lanes = { new: main.lanes.value.value, old: old.lanes.value.value };
    const [a, b] = [anchorOf(lanes.new, kind), anchorOf(lanes.old, kind)];
    if (a !== null && b !== null) return settle(a - b, null);
    if (lanes.new === null || lanes.old === null) return;
    const what = kind === "start-up" ? "a start-up" : "a frame";
    settle(0, `not both traces have ${what}`);
  });
}
