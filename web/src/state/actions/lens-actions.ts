// Sets the lens: the calls that all panels are limited to.

import { batch } from "@preact/signals";
import { lensOfPath, lensRank, narrowed, sameLens, type Lens } from "../../model/lens";
import type { CallRow } from "../../model/trace";
import type { Store } from "../store";

// Paths of the flame graph are those of what is seen through the lens, so they end with it.
export function setLens(store: Store, lens: Lens | null): void {
  if (sameLens(lens, store.lens.peek())) return;
  batch(() => {
    store.lens.value = lens;
    store.flamePath.value = [];
    store.pickedCalls.value = null;
    if (lens === null) return;
    const rank = lensRank(lens);
    if (rank === null) return;
    if (store.call.peek()?.rank !== rank) store.call.value = null;
    store.method.value = rank;
  });
}

export function lensOfCall(
  call: Pick<CallRow, "thread" | "depth" | "call" | "rank" | "ordinal">,
): Lens {
  const { thread, depth, call: number, rank, ordinal } = call;
  return { kind: "within", thread, depth, call: number, rank, ordinal };
}

// The lens of a box of the flame graph or a node of a tree; null where transforms changed the stacks, so that its path is
// none of the trace.
export function lensOfNode(
  store: Store,
  path: readonly number[],
  isInverted: boolean,
): Lens | null {
  if (store.ops.peek().length > 0) return null;
  return lensOfPath(store.lens.peek(), path, isInverted, store.hide.peek());
}

// Limits all panels to the calls of a box or node; tells whether a path says which these are.
export function lookThrough(store: Store, path: readonly number[], isInverted: boolean): boolean {
  const lens = lensOfNode(store, path, isInverted);
  if (lens !== null) setLens(store, lens);
  return lens !== null;
}

// All calls of a method.
export function lensOfMethod(rank: number): Lens {
  return { kind: "upwards", ranks: [rank], past: "" };
}

// All calls of several methods, as far as they are seen now.
export function lensOfMethods(store: Store, ranks: readonly number[]): Lens | null {
  return narrowed(store.lens.peek(), { kind: "methods", ranks });
}

// All calls of the methods that the search finds.
export function lensOfSearch(store: Store): Lens | null {
  const text = store.search.peek();
  return text === "" ? null : narrowed(store.lens.peek(), { kind: "search", text });
}

// The lens of what is selected; and off, where there is one already.
export function toggleLens(store: Store): void {
  const call = store.call.peek();
  const rank = store.method.peek();
  if (store.lens.peek() !== null) setLens(store, null);
  else if (call !== null) setLens(store, lensOfCall(call));
  else if (rank !== null) setLens(store, store.chosenCalls.peek() ?? lensOfMethod(rank));
  else store.notify("done", "Select a call or a method first: all panels can be limited to it.");
}
