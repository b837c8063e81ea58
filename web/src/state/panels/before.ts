// Sets rows of tables and nodes of trees beside what they were in the trace that this one is compared with.

import { untracked } from "@preact/signals";
import { Refused } from "../../api/request";
import type { Query } from "../../api/source";
import { matchedQuery } from "../../model/changes/matched";
import { beforeOf, type Before, type BeforeAnswer, type RunNumbers } from "../../model/before";
import { writeRuns, type Runs } from "../../model/changes/runs";
import type { Measure } from "../../model/trace";
import { isAbort } from "../loader";
import { ownTrace } from "../own-trace";
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

// The runs that rows are set beside; null: there is one a side, or rows are of a range, which is another one in each run.
export function besideRuns(store: Store): Runs | null {
  const runs = store.runs.value;
  if (runs === null || runs.old.length + runs.new.length <= 2) return null;
  return besideTrace(store) !== null && store.scope.value.from === undefined ? runs : null;
}

// Which columns beside other traces a table has.
export function besideKind(store: Store): {
  readonly isCompared: boolean;
  readonly hasRuns: boolean;
} {
  return { isCompared: besideTrace(store) !== null, hasRuns: besideRuns(store) !== null };
}

// What else the numbers beside rows depend on: how the traces are aligned, and the methods that are matched by hand.
export function besideKey(store: Store): string {
  const runs = besideRuns(store);
  const names = runs === null ? "" : writeRuns(runs);
  return `${store.oldShift.value} ${names} ${matchedQuery(store.matched.value) ?? ""}`;
}

// The most ranks that the route takes.
const MOST_RANKS = 2000;

// What the methods were in the trace `old`, of the answers: all that these had room for.
async function askTrace(
  store: Store,
  old: string,
  query: Query,
  ranks: readonly number[],
  abort: AbortSignal,
): Promise<ReadonlyMap<number, Before>> {
  const known = new Map<number, Before>();
  for (let at = 0; at < ranks.length; at += MOST_RANKS) {
    const asked = ranks.slice(at, at + MOST_RANKS);
    // Times come on all clocks that the other trace has.
    const answer: BeforeAnswer = await store.api.before(
      { ...query, clock: undefined, old, ranks: asked.join(",") },
      abort,
    );
    for (const rank of asked.slice(0, asked.length - answer.leftOut))
      known.set(rank, beforeOf(answer, rank));
  }
  return known;
}

// What the methods were in all runs but the one that is shown, one run after the other: more than eight traces are not open at once.
async function askRuns(
  store: Store,
  runs: Runs,
  query: Query,
  ranks: readonly number[],
  abort: AbortSignal,
): Promise<(rank: number) => Before | undefined> {
  const shown = runs.new.indexOf(ownTrace(store) ?? "");
  const ofOld = ofBoth(store, query);
  // Methods that are matched by hand have other names on the old side alone.
  const { matched: _, ...ofNew } = ofOld;
  const told: Record<"old" | "new", ReadonlyMap<number, Before>[]> = { old: [], new: [] };
  for (const name of runs.old) told.old.push(await askTrace(store, name, ofOld, ranks, abort));
  for (const [ix, name] of runs.new.entries())
    told.new.push(ix === shown ? new Map() : await askTrace(store, name, ofNew, ranks, abort));
  return (rank) => inRuns(told, shown, rank);
}

// Of a method that an answer had no room for nothing is told.
function inRuns(
  told: Record<"old" | "new", readonly ReadonlyMap<number, Before>[]>,
  shown: number,
  rank: number,
): Before | undefined {
  const of = (side: "old" | "new"): readonly (Before | undefined)[] =>
    told[side].map((known) => known.get(rank));
  const [old, now] = [of("old"), of("new")];
  const others = [...old, ...now.filter((_, ix) => ix !== shown)];
  if (others.some((one) => one === undefined)) return undefined;
  const numbers = (side: typeof old): RunNumbers["old"] => side.map((one) => one?.numbers ?? null);
  return {
    numbers: null,
    isMerged: others.some((one) => one?.isMerged === true),
    isCounted: others.every((one) => one?.isCounted === true),
    runs: { old: numbers(old), new: numbers(now), shown },
  };
}

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
  const runs = untracked(() => besideRuns(store));
  const wasUnknown = store.oldSpan.peek() === null;
  try {
    if (runs !== null) return await askRuns(store, runs, query, ranks, abort);
    const known = await askTrace(store, old, ofBoth(store, query), ranks, abort);
    return (rank) => known.get(rank);
  } catch (problem) {
    if (isAbort(problem)) throw problem;
    // While nobody knew how long the other trace is, it was asked for a range that may lie behind its end.
    const isReached = store.oldSpan.peek() !== null && hasOldRange(store, query);
    const isOutside = wasUnknown && query["from"] !== undefined && !isReached;
    if (!(isOutside && problem instanceof Refused && problem.status === 400)) store.report(problem);
    return () => undefined;
  }
}
