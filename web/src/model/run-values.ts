// The numbers of several runs a side: as dots, their spread, and as text.

import { formatMs } from "../base/format";

// What the runs of both sides took, in nanoseconds, or how often they called.
export interface RunValues {
  readonly old: readonly number[];
  readonly new: readonly number[];
}

interface RunDot {
  readonly side: keyof RunValues;
  // From 0, where nothing is, to 1, the largest value of either side.
  readonly at: number;
}

export function runDots(values: RunValues): readonly RunDot[] {
  const most = Math.max(1, ...values.old, ...values.new);
  const of = (side: keyof RunValues): RunDot[] =>
    values[side].map((value) => ({ side, at: value / most }));
  return [...of("old"), ...of("new")];
}

export function spreadOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
}

// "9.831 to 9.973", in milliseconds.
export function spreadText(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [least, most] = [formatMs(Math.min(...values)), formatMs(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

// "9.831, 9.848, 9.913 before, 19.727, 19.694 now", in milliseconds, each run in its place.
export function runsText(values: RunValues): string {
  const list = (of: readonly number[]): string => of.map(formatMs).join(", ");
  return `${list(values.old)} before, ${list(values.new)} now`;
}
