// Sets rows of tables and nodes of trees beside what they were in the trace that this one is compared with.

import type { Query } from "../../api/source";
import { matchedQuery } from "../../model/changes/matched";
import { beforeOf, type Before } from "../../model/before";
import type { Measure } from "../../model/trace";
import { isAbort } from "../loader";
import type { Store } from "../store";

// The part of both traces: that of the question but for sets of calls, which the other one does not have. Where the traces are
// not aligned at their starts, its range is the one that stands below this one's.
export function ofBoth(store: Pick<Store, "oldShift" | "matched">, query: Query): Query {
  const { calls: _, ...own } = query;
  const matched = matchedQuery(store.matched.value);
  const rest = matched === undefined ? own : { ...own, matched };
  const shift = store.oldShift.value;
  if (shift === 0 || rest["from"] === undefined) return rest;
  const moved = (time: Query[string]): number => Math.max(0, Math.round(Number(time) - shift));
  return { ...rest, old_from: moved(rest["from"]), old_to: moved(rest["to"]) };
}

// Whether a part of the other trace stands below the range of the question. Where none does, there is nothing to ask for.
export function hasOldRange(
  store: Pick<Store, "oldShift" | "oldSpan">,
  { from, to }: Query,
): boolean {
  const span = store.oldSpan.value;
  if (from === undefined || span === null) return true;
  const shift = store.oldShift.value;
  return Number(to) - shift >= 1 && Number(from) - shift < span;
}

// The clock to ask two traces for; undefined: one that both have, as the other trace may lack the clock that this one begins
// with.
export function clockOfBoth(store: Pick<Store, "info">, measure: Measure): Measure | undefined {
  return measure === store.info.value?.defaultClock ? undefined : measure;
}

// The trace that rows are set beside; null where none is, or where the rows are of a set of calls.
export function besideTrace(store: Store): string | null {
  return store.lens.value === null ? store.against.value : null;
}

// What else the numbers beside rows depend on: how the traces are aligned, and the methods that are matched by hand.
export function besideKey(store: Pick<Store, "oldShift" | "matched">): string {
  return `${store.oldShift.value} ${matchedQuery(store.matched.value) ?? ""}`;
}

// A route takes so many ranks.
const MOST_RANKS = 2000;

// What methods were, in the scope of `query`. Nothing is told where it cannot be told, as where the other trace has none of
// the threads or does not reach the range, and of what an answer had no room for; the reason is told once.
export async function askBefore(
  store: Store,
  old: string,
  query: Query,
  ranks: readonly number[],
  abort: AbortSignal,
): Promise<(rank: number) => Before | undefined> {
  if (!hasOldRange(store, query)) return () => undefined;
  try {
    const known = new Map<number, Before>();
    for (let at = 0; at < ranks.length; at += MOST_RANKS) {
      const asked = ranks.slice(at, at + MOST_RANKS);
      // Times come on all clocks that the other trace has.
      const answer = await store.api.before(
        { ...ofBoth(store, query), clock: undefined, old, ranks: asked.join(",") },
        abort,
      );
      for (const rank of asked.slice(0, asked.length - answer.leftOut))
        known.set(rank, beforeOf(answer, rank));
    }
    return (rank) => known.get(rank);
  } catch (problem) {
    if (isAbort(problem)) throw problem;
    store.report(problem);
    return () => undefined;
  }
}
