// Compares a call with the median one of its method, or with a marked one.

import { callPlace } from "../../model/link-parts";
import type { Mark } from "../../model/timeline/marks";
import { sameCall, type CallRow, type PlacedCall } from "../../model/trace";
import { askCall } from "../levels";
import type { Store } from "../store";
import { findMethod } from "./find-method";

// The call in the middle of all of the method's, by their durations on the chosen clock; null: there is no other one.
async function medianBeside(store: Store, call: PlacedCall, rank: number): Promise<CallRow | null> {
  const { signal } = new AbortController();
  const query = { method: rank, n: 2, sort: "slowest", clock: store.measure.peek() };
  const { count } = await store.api.calls({ ...query, n: 1 }, signal);
  const page = await store.api.calls(
    { ...query, offset: Math.max(0, Math.floor(count / 2) - 1) },
    signal,
  );
  const [before, middle] = page.calls;
  const candidates = [middle, before].filter((one) => one !== undefined);
  return candidates.find((one) => !sameCall(one, call)) ?? null;
}

function compare(store: Store, call: PlacedCall, other: PlacedCall): void {
  store.beside.value = { old: callPlace(other), new: callPlace(call) };
  store.tab.value = "changes";
  store.isLowerHidden.value = false;
}

export function compareWithMedian(store: Store, call: PlacedCall, rank: number): void {
  medianBeside(store, call, rank).then((median) => {
    if (median !== null) return compare(store, call, median);
    store.notify("error", "This is the only call of its method: there is none to compare it with.");
  }, store.report);
}

// Those of the marks that are calls, but for the call itself, as far as that is known.
export function markedCalls(store: Store, call: PlacedCall): readonly Mark[] {
  const isIt = (mark: Mark): boolean =>
    mark.call?.thread.id === call.thread && mark.from === call.start && mark.to === call.end;
  return store.marks.value.filter((mark) => mark.call !== null && !isIt(mark));
}

export function compareWithMark(store: Store, call: PlacedCall, mark: Mark): void {
  const { method, ordinal } = mark.call ?? { method: "", ordinal: 1 };
  const { signal } = new AbortController();
  findMethod(store, method, signal)
    .then((rank) => askCall(store, { method: rank, ordinal: ordinal - 1 }, signal))
    .then((other) => {
      if (!sameCall(other, call)) return compare(store, call, other);
      store.notify("error", "The marked call is this one: there is nothing to compare.");
    })
    .catch(store.report);
}

export function swapCalls({ beside }: Store): void {
  const pair = beside.peek();
  if (pair !== null) beside.value = { old: pair.new, new: pair.old };
}

// Leads back to the list of calls, unless two traces are compared, too.
export function endComparing(store: Store): void {
  store.beside.value = null;
  if (store.against.peek() === null && store.tab.peek() === "changes") store.tab.value = "calls";
}
