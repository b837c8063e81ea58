// The link in the address bar follows the state, and the state follows back and forward.

import { batch, effect, signal } from "@preact/signals";
import { fitRange, sameRange, type Range } from "../../base/time";
import { linkName, type NamedOp, type Op } from "../../model/ops";
import { hasMeasure, type Thread, type TraceInfo } from "../../model/trace";
import { isNewEntry, NO_STEP, stepOf, type Step } from "../../model/page/history";
import { readUrl, writeUrl, type ThreadName, type UrlState } from "../../model/page/url-state";
import { findMethod } from "../actions/find-method";
import { isAbort } from "../loader";
import { lensByName, nameLens, nameMethod, nameThread, takeRanges } from "./url-names";
import { askCall } from "../levels";
import type { Store } from "../store";

const SETTLE_MS = 250;

// The thread that a link names: one of the same id and name, else of the same name, else of the
// same id.
function findThread(info: TraceInfo, wanted: ThreadName): Thread | null {
  const { threads } = info;
  return (
    threads.find((thread) => thread.id === wanted.id && thread.name === wanted.name) ??
    threads.find((thread) => thread.name === wanted.name && wanted.name !== "") ??
    threads.find((thread) => thread.id === wanted.id) ??
    null
  );
}

function listOf(info: TraceInfo, names: readonly ThreadName[]): number[] {
  return names.flatMap((name) => findThread(info, name)?.id ?? []);
}

function idsOf(info: TraceInfo, names: readonly ThreadName[]): Set<number> {
  return new Set(listOf(info, names));
}

function nameOp(store: Store, op: Op): NamedOp[] {
  if (op.kind === "collapse") return [op];
  const method = nameMethod(store, op.rank);
  return method === null ? [] : [{ kind: op.kind, method }];
}

function zoomOf(store: Store): readonly string[] {
  if (store.flameChoice.value !== null) return store.changePath.value;
  const path = store.flamePath.value;
  const zoom = path.flatMap((step) => nameMethod(store, step) ?? []);
  return zoom.length === path.length ? zoom : [];
}

function middleOf(store: Store): string | null {
  const { isSandwich, middle } = store.flameView.value;
  if (!isSandwich) return null;
  return middle === null ? "" : nameMethod(store, middle);
}

// The state as a link has it. The function reads every signal of the state, so that an effect that
// calls it follows them all.
function urlStateOf(store: Store, first: Defaults): UrlState {
  const info = store.info.value;
  const call = store.call.value;
  const rank = store.method.value;
  const view = store.view.value;
  void store.names.version.value;
  const crumbs = store.crumbs.value;
  // A link without a view shows the last range, or what the trace begins with.
  const isUnsaid =
    crumbs.length === 0 &&
    first.view === null &&
    sameRange(view, { from: 0, to: Math.max(1, info?.span ?? 0) });
  const unfolded = [...store.unfolded.value];
  const isFirstFold =
    unfolded.length === first.unfolded.size && unfolded.every((id) => first.unfolded.has(id));
  const nameThreads = (ids: Iterable<number>): ThreadName[] =>
    [...ids].map((id) => nameThread(info, id));
  const zoom = zoomOf(store);
  return {
    view: isUnsaid ? null : view,
    crumbs,
    picked: store.picked.value,
    threads: store.threads.value === null ? null : nameThreads(store.threads.value),
    unfolded: isFirstFold ? null : nameThreads(unfolded),
    pinned: nameThreads(store.pinned.value),
    hidden: nameThreads(store.hidden.value),
    order: nameThreads(store.order.value),
    marks: store.marks.value,
    method: rank === null ? null : nameMethod(store, rank),
    call:
      call === null
        ? null
        : {
            thread: nameThread(info, call.thread),
            method: linkName(call.method),
            ordinal: call.ordinal + 1,
          },
    tab: store.tab.value,
    measure: store.measure.value === info?.defaultClock ? null : store.measure.value,
    sort: store.chosenSort.value,
    search: store.isOnly.value ? "" : store.search.value,
    filter: store.filter.value,
    without: store.without.value,
    mine: store.mine.value,
    ops: store.ops.value.flatMap((op) => nameOp(store, op)),
    zoom,
    lens: nameLens(store, store.lens.value),
    chosenCalls: nameLens(store, store.chosenCalls.value),
    isInverted: store.isInverted.value,
    middle: middleOf(store),
    isInTime: store.flameView.value.isInTime,
    groupBy: store.groupBy.value,
    isCallersOfAll: store.isCallersOfAll.value,
    isIdleCounted: store.isIdleCounted.value,
    against: store.against.value,
    runs: store.runs.value,
    matched: store.matched.value,
    flameChoice: store.flameChoice.value,
    beside: store.beside.value,
    oldView: store.oldView.value,
    story: store.story.value,
    // While the hash of the shown trace is not known, the link keeps what it says.
    trace: info !== null && info.hash === null ? readUrl(location.hash).trace : null,
  };
}

export interface Defaults {
  readonly unfolded: ReadonlySet<number>;
  // The view to begin with where the whole trace would look nearly empty.
  readonly view: Range | null;
}

// Looks up in this trace what the link names.
async function selectByName(store: Store, state: UrlState, signal: AbortSignal): Promise<void> {
  const wanted = state.method;
  if (wanted === null) return;
  const rank = await findMethod(store, wanted, signal);
  signal.throwIfAborted();
  const call =
    state.call === null
      ? null
      : await askCall(store, { method: rank, ordinal: state.call.ordinal - 1 }, signal);
  signal.throwIfAborted();
  batch(() => {
    store.method.value = rank;
    store.call.value = call;
    // The last step of a story leaves the thread of its call out.
    if (store.threads.peek()?.has(call?.thread ?? -1) !== false) store.revealed.value = call;
  });
}

async function transformByName(store: Store, state: UrlState, signal: AbortSignal): Promise<void> {
  const opNames = state.ops.map((op) => (op.kind === "collapse" ? null : op.method));
  const steps = state.flameChoice === null ? state.zoom : [];
  const middle = state.middle ?? "";
  const wanted = [...opNames.flatMap((name) => name ?? []), ...steps, middle];
  const names = [...new Set(wanted)].filter((name) => name !== "");
  const found = await Promise.allSettled(names.map((name) => findMethod(store, name, signal)));
  signal.throwIfAborted();
  const rankOf = new Map(
    found.flatMap((one, ix): [string, number][] =>
      one.status === "fulfilled" ? [[names[ix] ?? "", one.value]] : [],
    ),
  );
  const ops = state.ops.flatMap((op): Op[] => {
    if (op.kind === "collapse") return [op];
    const rank = rankOf.get(op.method);
    return rank === undefined ? [] : [{ kind: op.kind, rank }];
  });
  const zoom = steps.flatMap((name) => rankOf.get(name) ?? []);
  batch(() => {
    store.ops.value = ops;
    store.flamePath.value = zoom.length === steps.length ? zoom : [];
    store.flameView.value = { ...store.flameView.peek(), middle: rankOf.get(middle) ?? null };
  });
  for (const one of found) if (one.status === "rejected") throw one.reason;
}

// Applies a link to the state. The promise ends when everything that the link names is found, or
// given up.
function applyUrl(
  store: Store,
  state: UrlState,
  first: Defaults,
  signal: AbortSignal,
): Promise<void> {
  const info = store.info.peek();
  if (info === null) return Promise.resolve();
  const { crumbs, picked } = takeRanges(store, info, state);
  batch(() => {
    const whole = { from: 0, to: Math.max(1, info.span) };
    const last = state.crumbs[state.crumbs.length - 1];
    store.view.value = fitRange(state.view ?? last ?? first.view ?? whole, info.span);
    store.crumbs.value = crumbs;
    store.picked.value = picked;
    store.threads.value = state.threads === null ? null : idsOf(info, state.threads);
    store.unfolded.value = state.unfolded === null ? first.unfolded : idsOf(info, state.unfolded);
    store.pinned.value = idsOf(info, state.pinned);
    store.hidden.value = idsOf(info, state.hidden);
    store.order.value = listOf(info, state.order);
    store.marks.value = state.marks;
    store.tab.value = state.tab;
    store.against.value = state.against;
    store.runs.value = state.runs;
    store.matched.value = state.matched;
    store.flameChoice.value = state.flameChoice;
    store.changePath.value = state.flameChoice === null ? [] : state.zoom;
    store.beside.value = state.beside;
    store.oldView.value = state.oldView;
    store.story.value = state.story;
    store.measure.value =
      state.measure !== null && hasMeasure(info, state.measure) ? state.measure : info.defaultClock;
    store.chosenSort.value = state.sort;
    store.search.value = state.filter === "" ? state.search : state.filter;
    store.isOnly.value = state.filter !== "";
    store.without.value = state.without;
    store.mine.value = state.mine;
    store.isInverted.value = state.isInverted;
    const middle = state.middle === null ? null : store.flameView.peek().middle;
    store.flameView.value = {
      isSandwich: state.middle !== null,
      middle,
      isInTime: state.isInTime,
    };
    store.groupBy.value = state.groupBy;
    store.isCallersOfAll.value = state.isCallersOfAll;
    store.isIdleCounted.value = state.isIdleCounted;
    if (state.ops.length === 0) store.ops.value = [];
    if (state.zoom.length === 0) store.flamePath.value = [];
    if (state.lens === null) store.lens.value = null;
    if (state.chosenCalls === null) store.pickedCalls.value = null;
    if (state.method === null) store.method.value = null;
    if (state.call === null) store.call.value = null;
  });
  const fail = (problem: unknown): void => {
    if (!isAbort(problem)) store.report(problem);
  };
  return Promise.all([
    selectByName(store, state, signal).catch(fail),
    transformByName(store, state, signal).catch(fail),
    lensByName(store, state.lens, store.lens, signal).catch(fail),
    lensByName(store, state.chosenCalls, store.pickedCalls, signal).catch(fail),
  ]).then(() => undefined);
}

// Applies the link to the state, and keeps the two in step from then on; the function that comes
// back ends that.
export function syncUrl(store: Store, first: Defaults): () => void {
  let timer = 0;
  let settle: (() => void) | null = null;
  let former: Step = NO_STEP;
  // When the view was moved last.
  let movedAt = 0;
  let applying = new AbortController();
  // While names are looked up, the state lacks what the link names: the link is not written.
  const isApplying = signal(false);

  const write = (state: UrlState, isStep: boolean): void => {
    const link = writeUrl(state);
    const address = link === "" ? location.pathname + location.search : `#${link}`;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };
  const apply = (): void => {
    const state = readUrl(location.hash);
    applying.abort();
    const mine = new AbortController();
    applying = mine;
    isApplying.value = true;
    former = stepOf(state);
    void applyUrl(store, state, first, mine.signal).then(() => {
      if (applying !== mine) return;
      former = stepOf(urlStateOf(store, first));
      isApplying.value = false;
    });
  };
  apply();
  const end = effect(() => {
    const state = urlStateOf(store, first);
    self.clearTimeout(timer);
    settle = null;
    if (isApplying.value) return;
    settle = () => {
      settle = null;
      const step = stepOf(state);
      const now = performance.now();
      write(state, isNewEntry(former, step, now - movedAt));
      if (step.view !== former.view) movedAt = now;
      former = step;
    };
    timer = self.setTimeout(settle, SETTLE_MS);
  });
  self.addEventListener("popstate", apply);
  return () => {
    end();
    applying.abort();
    self.clearTimeout(timer);
    // The session that takes over begins with this link.
    settle?.();
    self.removeEventListener("popstate", apply);
  };
}
