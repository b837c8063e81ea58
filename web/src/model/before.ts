// What a method, or a node of the tree, was in the trace that this one is compared with. Of one recording a side counts of
// calls are certain, and times are one sample of each, which decides nothing.

import { formatCount, formatMs, signOf } from "../base/format";
import { timeOn, type Measure, type Times } from "./trace";

interface OldNumbers {
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
}

// The answer of the route before, by rank.
export interface BeforeAnswer {
  readonly isCounted: boolean;
  readonly numbers: ReadonlyMap<number, OldNumbers>;
  readonly merged: ReadonlySet<number>;
  // Of the ranks that were asked for, so many of the last had no room.
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

// The time on the other side; undefined where nothing can be told.
export function oldTime({ before }: Compared, side: Side, measure: Measure): number | undefined {
  if (before === undefined || before.isMerged) return undefined;
  return before.numbers === null ? 0 : timeOn(before.numbers[side], measure);
}

// How much more or less a time is than it was.
export function timeChange(row: Compared, side: Side, measure: Measure): number | undefined {
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
  return numbers === null ? 0 : numbers.calls + numbers.recursiveCalls;
}

// What is certain: whether it is new, and whether it is called as often. `calls` counts recursive calls, too.
export function changedText(calls: number, before: Before | undefined): string {
  if (before === undefined) return "";
  if (before.isMerged) return "one of several";
  if (before.numbers === null) return before.isCounted ? "new" : "not there";
  if (!before.isCounted) return "";
  const more = calls - (oldCalls({ before }) ?? 0);
  return more === 0 ? "same calls" : `calls ${signOf(more)}${formatCount(Math.abs(more))}`;
}

// Headings of columns beside another trace, by what they are of: "incl", and "inclusive CPU time".
export function besideWords(side: string, label: string, what: string) {
  return {
    old: { label: `Old ${side} ${label}, ms`, title: `Old ${what}, ms`, width: 122 },
    change: {
      label: `± ${side} ${label}, ms`,
      title: `New less old ${what}, ms: one sample of each, which decides nothing`,
      width: 112,
    },
  };
}

export const CHANGED_WORDS = {
  label: "Changed",
  title: "Counts of calls are certain; sorted by how many more or fewer",
  width: 112,
} as const;

// What is more or fewer of calls; `calls` counts recursive calls, too.
export function callsChange(
  calls: number,
  { before }: Pick<Compared, "before">,
): number | undefined {
  const old = oldCalls({ before });
  return old === undefined ? undefined : calls - old;
}

// What the line below a table says of the columns.
export const BESIDE_TEXT = "beside the old trace, times are one sample of each";
export const OUTSIDE_TEXT = "the old trace has nothing at this range";
