// What a method, or a node of the tree, was in the trace that this one is compared with. Of one recording a side counts of
// calls are certain, and times are one sample of each, which decides nothing.

import { formatCount, formatMs, plural, signOf } from "../base/format";
import { medianOf } from "../base/math";
import { spreadOf, spreadText, type RunValues } from "./run-values";
import { MEASURE_WORDS } from "./words";
import { timeOn, type Measure, type Times } from "./trace";

export interface OldNumbers {
  readonly calls: number;
  readonly recursiveCalls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
}

export interface Before {
  // Null: the other trace has no such method there.
  readonly numbers: OldNumbers | null;
  // Several methods of one trace are this one, without what virtual machines number: none of them has numbers of its own.
  readonly isMerged: boolean;
  // Counts of both traces are those of their programs.
  readonly isCounted: boolean;
  // Of several runs a side, the numbers of each; null: it has none there. Then all that is told is of medians.
  readonly runs?: RunNumbers;
}

export interface RunNumbers {
  readonly old: readonly (OldNumbers | null)[];
  readonly new: readonly (OldNumbers | null)[];
  // The place of the run that is shown among the new ones, whose numbers are those of the row; -1: it is none of them.
  readonly shown: number;
}

// The answer of the route before, by rank.
export interface BeforeAnswer {
  readonly isCounted: boolean;
  readonly numbers: ReadonlyMap<number, OldNumbers>;
  readonly merged: ReadonlySet<number>;
  // How many of the last ranks that were asked for had no room.
  readonly leftOut: number;
}

export function beforeOf({ isCounted, numbers, merged }: BeforeAnswer, rank: number): Before {
  return { numbers: numbers.get(rank) ?? null, isMerged: merged.has(rank), isCounted };
}

// A row or a node with its numbers, and what it was where that was asked for.
export interface Compared {
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
  readonly before?: Before | undefined;
}

type Side = "inclusive" | "exclusive";

function allKnown(values: readonly (number | undefined)[]): readonly number[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

function valuesOf(
  runs: RunNumbers,
  own: number | undefined,
  get: (numbers: OldNumbers) => number | undefined,
): RunValues | undefined {
  const of = (numbers: OldNumbers | null): number | undefined =>
    numbers === null ? 0 : get(numbers);
  const old = allKnown(runs.old.map(of));
  const now = allKnown(runs.new.map((numbers, ix) => (ix === runs.shown ? own : of(numbers))));
  return old === undefined || now === undefined ? undefined : { old, new: now };
}

// The times of all runs; undefined where there is one a side, or nothing can be told.
export function runTimes(row: Compared, side: Side, measure: Measure): RunValues | undefined {
  const { before } = row;
  if (before?.runs === undefined || before.isMerged) return undefined;
  return valuesOf(before.runs, timeOn(row[side], measure), (numbers) =>
    timeOn(numbers[side], measure),
  );
}

// The calls of all runs; `calls`, of the row, counts recursive calls, too.
function runCalls(calls: number, before: Before): RunValues | undefined {
  if (before.runs === undefined || before.isMerged) return undefined;
  return valuesOf(before.runs, calls, (numbers) => numbers.calls + numbers.recursiveCalls);
}

// The time on the other side, of several runs the median; undefined where nothing can be told.
export function oldTime(row: Compared, side: Side, measure: Measure): number | undefined {
  const { before } = row;
  if (before === undefined || before.isMerged) return undefined;
  if (before.runs !== undefined) {
    const times = runTimes(row, side, measure);
    return times === undefined ? undefined : medianOf(times.old);
  }
  return before.numbers === null ? 0 : timeOn(before.numbers[side], measure);
}

// How much more or less a time is than it was, of several runs median to median.
export function timeChange(row: Compared, side: Side, measure: Measure): number | undefined {
  if (row.before?.runs !== undefined) {
    const times = runTimes(row, side, measure);
    return times === undefined ? undefined : medianOf(times.new) - medianOf(times.old);
  }
  const old = oldTime(row, side, measure);
  const own = timeOn(row[side], measure);
  return old === undefined || own === undefined ? undefined : own - old;
}

// "+38.100": milliseconds, as columns of times have them, with a sign.
export function signedMs(ns: number | undefined): string {
  return ns === undefined ? "" : `${signOf(ns)}${formatMs(Math.abs(ns))}`;
}

export function oldCalls({ before }: Pick<Compared, "before">): number | undefined {
  if (before === undefined || before.isMerged) return undefined;
  const { numbers } = before;
  if (before.runs !== undefined) return medianOf(runCalls(0, before)?.old ?? []);
  return numbers === null ? 0 : numbers.calls + numbers.recursiveCalls;
}

// What is certain: whether it is new, and whether it is called as often. `calls` counts recursive calls, too.
export function changedText(calls: number, before: Before | undefined): string {
  if (before === undefined) return "";
  if (before.isMerged) return "one of several";
  const runs = runCalls(calls, before);
  if (runs !== undefined) return changedInRuns(runs, before.isCounted);
  if (before.numbers === null) return before.isCounted ? "new" : "not there";
  if (!before.isCounted) return "";
  const more = calls - (oldCalls({ before }) ?? 0);
  return more === 0 ? "same calls" : `calls ${signOf(more)}${formatCount(Math.abs(more))}`;
}

// As the command decides: calls changed where both sides have one number each, or where there is a gap between them that is wider
// than either's range.
function changedInRuns({ old, new: now }: RunValues, isCounted: boolean): string {
  if (Math.max(...old) === 0) return isCounted ? "new" : "not there";
  if (!isCounted) return "";
  const [least, most] = [Math.min(...now), Math.max(...now)];
  const was = [Math.min(...old), Math.max(...old)] as const;
  const gap = least > was[1] ? least - was[1] : was[0] - most;
  const more = most - was[1];
  const range = Math.max(spreadOf(old), spreadOf(now));
  if (range === 0 && more === 0) return "same calls";
  if (gap <= range) return "calls vary";
  return `calls ${signOf(more)}${formatCount(Math.abs(more))}`;
}

// Headings of columns beside another trace, by what they are of: "incl", and "inclusive CPU time".
export function besideWords(side: string, label: string, what: string, hasRuns = false) {
  return {
    old: {
      label: `Old ${side} ${label}, ms`,
      title: `Old ${what}, ms${hasRuns ? ", median of the runs" : ""}`,
      width: 122,
    },
    change: {
      label: `± ${side} ${label}, ms`,
      title: hasRuns
        ? `Median of the new runs less that of the old ones, ${what}, ms; Changes has what was tested`
        : `New less old ${what}, ms: one sample of each, which decides nothing`,
      width: 112,
    },
    runs: {
      label: `Runs, ${side} ${label}`,
      title: `${what} of each run, the old ones above, the new ones below, from nothing to the longest`,
      width: 128,
    },
    spread: {
      label: `Spread, ${side} ${label}, ms`,
      title: `The shortest and the longest ${what} of the runs of each side, ms`,
      width: 260,
    },
  };
}

export const CHANGED_WORDS = {
  label: "Changed",
  title: "Counts of calls are certain; sorted by how many more or fewer",
  width: 112,
  isText: true,
} as const;

// What is more or fewer of calls; `calls` counts recursive calls, too.
export function callsChange(
  calls: number,
  { before }: Pick<Compared, "before">,
): number | undefined {
  const runs = before === undefined ? undefined : runCalls(calls, before);
  if (runs !== undefined) return medianOf(runs.new) - medianOf(runs.old);
  const old = oldCalls({ before });
  return old === undefined ? undefined : calls - old;
}

// "9.831 to 9.973 before, 19.694 to 19.727 now", in milliseconds.
export function spreadsText(times: RunValues | undefined): string {
  return times === undefined ? "" : `${spreadText(times.old)} before, ${spreadText(times.new)} now`;
}

// What the line below a table says of the columns.
export const BESIDE_TEXT = "beside the old trace, times are one sample of each";

// The same where the old trace lacks the clock: "the old trace has no CPU time".
export function clocklessText(measure: Measure): string {
  return `the old trace has no ${MEASURE_WORDS[measure].word}`;
}

// "old numbers and changes are of medians: 5 old runs, 4 new; …"
export function runsNoteText(old: number, now: number): string {
  return `old numbers and changes are of medians: ${plural(old, "old run")}, ${formatCount(now)} new; the others are of the run that is shown`;
}
export const OUTSIDE_TEXT = "the old trace has nothing at this range";
