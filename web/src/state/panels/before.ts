// Sets rows of tables and nodes of trees beside what they were in the trace that this one is compared with.

import type { Query } from "../../api/source";
import { beforeOf, type Before } from "../../model/before";
import { isAbort } from "../loader";
import type { Store } from "../store";

// Sets of calls are of this trace: the other one has no such calls.
export function ofBoth({ along, upwards, past, within, ...rest }: Query): Query {
  void [along, upwards, past, within];
  return rest;
}

// The trace that rows are set beside; null where none is, or where the rows are of a set of calls.
export function besideTrace(store: Store): string | null {
  return store.lens.value === null ? store.against.value : null;
}

// A route takes so many ranks.
const MOST_RANKS = 2000;

// What methods were, in the scope of `query`. Nothing is told where it cannot be told, as where the other trace has none of
// the threads, and of what an answer had no room for; the reason is told once.
export async function askBefore(
  store: Store,
  old: string,
  query: Query,
  ranks: readonly number[],
  abort: AbortSignal,
): Promise<(rank: number) => Before | undefined> {
  try {
    const known = new Map<number, Before>();
    for (let at = 0; at < ranks.length; at += MOST_RANKS) {
      const asked = ranks.slice(at, at + MOST_RANKS);
      // Times come on all clocks that the other trace has.
      const answer = await store.api.before(
        { ...ofBoth(query), clock: undefined, old, ranks: asked.join(",") },
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
