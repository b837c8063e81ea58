// Asks for what the card of a call compares it with: the median that Calls tells, and the time of its thread.

import type { ReadonlySignal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { CallReference } from "../../model/timeline/call-reference";
import type { CallDetail, Measure, Thread } from "../../model/trace";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import type { Hover } from "../timeline";

// The call that was asked for, while its box is the one under the pointer.
export function callUnder(hover: Hover | null, known: CallDetail | null): CallDetail | null {
  const isSame =
    known !== null &&
    known.thread === hover?.row?.thread.id &&
    known.depth === hover.box?.depth &&
    known.call === hover.box.call;
  return isSame ? known : null;
}

// The median of all calls as the answer about the call tells it; null where that is on another clock.
function medianIn(call: CallDetail, measure: Measure): number | null {
  return measure === call.medianClock ? call.median : null;
}

// Waits have no median.
async function medianOf(store: Store, query: Query, measure: Measure, abort: AbortSignal) {
  if (measure === "wait") return 0;
  return (await store.api.calls(query, abort)).stats[measure]?.p50 ?? 0;
}

// `call` is null while no card is shown.
export function createCallReference(
  store: Store,
  call: () => CallDetail | null,
): ReadonlySignal<Loaded<CallReference>> {
  return createLoader(
    () => {
      const own = call();
      const thread = store.info.value?.threads.find((each) => each.id === own?.thread);
      if (own === null || thread === undefined) return null;
      const { hide: _, ...scope } = store.scope.value;
      const measure = store.measure.value;
      const range = store.range.value;
      const isOfAll =
        range === null && scope["threads"] === undefined && scope["calls"] === undefined;
      const known = isOfAll ? medianIn(own, measure) : null;
      return { rank: own.rank, thread, scope, measure, range, known };
    },
    async ({ rank, thread, scope, measure, range, known }, abort): Promise<CallReference> => {
      const [median, ofThread] = await Promise.all([
        known ?? medianOf(store, { ...scope, method: rank, n: 1 }, measure, abort),
        range === null ? thread.times : timesInRange(store, thread, scope, abort),
      ]);
      const hasThreads = scope["threads"] !== undefined;
      const hasLens = scope["calls"] !== undefined;
      return { rank, thread: thread.id, measure, median, range, hasThreads, hasLens, ofThread };
    },
  );
}

// All of the thread, whatever calls the lens shows.
async function timesInRange(store: Store, thread: Thread, scope: Query, abort: AbortSignal) {
  const { calls: _, ...whole } = scope;
  return (await store.api.top({ ...whole, threads: String(thread.id), n: 1 }, abort)).total;
}
