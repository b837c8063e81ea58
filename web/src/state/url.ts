// The link in the address bar follows the state, and the state follows back and forward.

import { batch, effect } from "@preact/signals";
import { fitRange, sameRange, type Range } from "../base/time";
import type { Thread, TraceInfo } from "../model/trace";
import { readUrl, writeUrl, type ThreadName, type UrlState } from "../model/url-state";
import type { Store } from "./store";

const SETTLE_MS = 250;

function nameThread(info: TraceInfo | null, id: number): ThreadName {
  return { id, name: info?.threads.find((thread) => thread.id === id)?.name ?? "" };
}

// The thread meant by a link: same id and name, else the same name, else the same id.
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

// The state as a link has it. Reads every signal, so that an effect follows them all.
export function urlStateOf(store: Store, first: Defaults): UrlState {
  const info = store.info.value;
  const call = store.call.value;
  const rank = store.method.value;
  const view = store.view.value;
  void store.names.version.value;
  const isWhole = sameRange(view, { from: 0, to: Math.max(1, info?.span ?? 0) });
  const unfolded = [...store.unfolded.value];
  const isFirstFold =
    unfolded.length === first.unfolded.size && unfolded.every((id) => first.unfolded.has(id));
  const nameThreads = (ids: Iterable<number>): ThreadName[] =>
    [...ids].map((id) => nameThread(info, id));
  const sort = store.sort.value;
  const isFirstSort =
    sort.key === "inclusive" && sort.order === "desc" && sort.clock === store.measure.value;
  return {
    view: isWhole ? null : view,
    crumbs: store.crumbs.value,
    picked: store.picked.value,
    threads: store.threads.value === null ? null : nameThreads(store.threads.value),
    unfolded: isFirstFold ? null : nameThreads(unfolded),
    pinned: nameThreads(store.pinned.value),
    hidden: nameThreads(store.hidden.value),
    order: nameThreads(store.order.value),
    marks: store.marks.value,
    method: rank === null ? null : (store.names.get(rank)?.method ?? null),
    call:
      call === null
        ? null
        : {
            thread: nameThread(info, call.thread),
            method: call.method.method,
            ordinal: call.ordinal + 1,
          },
    tab: store.tab.value,
    measure: store.measure.value === info?.defaultClock ? null : store.measure.value,
    sort: isFirstSort ? null : sort,
    search: store.search.value,
    ops: store.ops.value.join(";"),
  };
}

export interface Defaults {
  readonly unfolded: ReadonlySet<number>;
  // What to show first where the whole trace would be nearly empty.
  readonly view: Range | null;
}

async function selectByName(store: Store, state: UrlState): Promise<void> {
  const wanted = state.method;
  if (wanted === null) return;
  const signal = new AbortController().signal;
  const found = await store.api.search({ q: wanted, n: 50 }, signal);
  await store.names.load(found.ranks.slice(0, 50));
  const rank = found.ranks.find((candidate) => store.names.get(candidate)?.method === wanted);
  if (rank === undefined)
    throw new Error(`the link names a method that this trace does not have: ${wanted}`);
  store.method.value = rank;
  if (state.call !== null)
    store.call.value = await store.api.call(
      { method: rank, ordinal: state.call.ordinal - 1 },
      signal,
    );
}

export function applyUrl(store: Store, state: UrlState, first: Defaults): void {
  const info = store.info.peek();
  if (info === null) return;
  batch(() => {
    const whole = { from: 0, to: Math.max(1, info.span) };
    const last = state.crumbs[state.crumbs.length - 1];
    store.view.value = fitRange(state.view ?? last ?? first.view ?? whole, info.span);
    store.crumbs.value = state.crumbs.map((crumb) => fitRange(crumb, info.span));
    store.picked.value = state.picked === null ? null : fitRange(state.picked, info.span);
    store.threads.value = state.threads === null ? null : idsOf(info, state.threads);
    store.unfolded.value = state.unfolded === null ? first.unfolded : idsOf(info, state.unfolded);
    store.pinned.value = idsOf(info, state.pinned);
    store.hidden.value = idsOf(info, state.hidden);
    store.order.value = listOf(info, state.order);
    store.marks.value = state.marks;
    store.tab.value = state.tab;
    store.measure.value = state.measure ?? info.defaultClock;
    store.sort.value = state.sort ?? {
      key: "inclusive",
      clock: store.measure.value,
      order: "desc",
    };
    store.search.value = state.search;
    store.ops.value = state.ops === "" ? [] : state.ops.split(";");
    if (state.method === null) {
      store.method.value = null;
      store.call.value = null;
    }
  });
  selectByName(store, state).catch(store.report);
}

// A new entry of the history for what a person would call a step; the rest replaces the entry.
function stepOf(state: UrlState): string {
  return writeUrl({ ...state, view: null, search: "", sort: null, unfolded: null, marks: [] });
}

// Keeps link and state together from now on; the answer ends it.
export function syncUrl(store: Store, first: Defaults): () => void {
  let timer = 0;
  let step = "";
  const write = (state: UrlState, isStep: boolean): void => {
    const link = writeUrl(state);
    const address = link === "" ? location.pathname + location.search : `#${link}`;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };
  const onPop = (): void => {
    const state = readUrl(location.hash);
    step = stepOf(state);
    applyUrl(store, state, first);
  };
  const end = effect(() => {
    const state = urlStateOf(store, first);
    self.clearTimeout(timer);
    timer = self.setTimeout(() => {
      const now = stepOf(state);
      write(state, step !== "" && now !== step);
      step = now;
    }, SETTLE_MS);
  });
  self.addEventListener("popstate", onPop);
  return () => {
    end();
    self.clearTimeout(timer);
    self.removeEventListener("popstate", onPop);
  };
}
