// Compares a call with the median one of its method.

import { callPlace } from "../../model/link-parts";
import { sameCall, type CallRow, type PlacedCall } from "../../model/trace";
import type { Store } from "../store";

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

export function compareWithMedian(store: Store, call: PlacedCall, rank: number): void {
  medianBeside(store, call, rank).then((median) => {
    if (median === null) {
      store.notify(
        "error",
        "This is the only call of its method: there is none to compare it with.",
      );
      return;
    }
    store.beside.value = { old: callPlace(median), new: callPlace(call) };
    store.tab.value = "changes";
    store.isLowerHidden.value = false;
  }, store.report);
}
