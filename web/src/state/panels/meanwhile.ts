// What other threads did while a call ran, as a story and a pair of calls tell it.

import { meanwhileText } from "../../model/detail/step-text";
import { nameApart } from "../../model/names";
import type { Measure, PlacedCall, TraceInfo } from "../../model/trace";
import { hideOf } from "../levels";
import type { Store } from "../store";

// The threads that have records, without that of the call.
export function otherThreads(info: TraceInfo | null, call: Pick<PlacedCall, "thread">): number[] {
  return (info?.threads ?? [])
    .filter((thread) => thread.records > 0 && thread.id !== call.thread)
    .map((thread) => thread.id);
}

export async function askMeanwhile(
  store: Store,
  info: TraceInfo,
  call: PlacedCall,
  measure: Measure,
  abort: AbortSignal,
): Promise<string> {
  const others = otherThreads(info, call);
  const question = {
    from: call.start,
    to: Math.max(call.end, call.start + 1),
    threads: others.join(","),
    clock: measure,
    ...hideOf(store.hide.peek()),
    sort: "exclusive",
    n: 1,
  };
  const page =
    others.length === 0 || !info.hasCommonAxis ? null : await store.api.top(question, abort);
  return meanwhileText(
    {
      threads: others.length,
      isCommon: info.hasCommonAxis,
      measure,
      total: page?.total ?? {},
      busiest: page?.rows[0] ?? null,
    },
    nameApart,
  );
}
