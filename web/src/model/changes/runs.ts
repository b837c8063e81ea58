// Several runs a side: which traces they are, as a link has them ("2,3~1,5": the old ones, then the new ones), and what is told
// of the one that is shown.

import { formatCount, formatMs } from "../../base/format";

// Traces of the page's source by their names.
export interface Runs {
  readonly old: readonly string[];
  readonly new: readonly string[];
}

export type RunsSide = keyof Runs;

// A question takes so many traces.
const MOST = 32;

export function isTraceName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

export function writeRuns(runs: Runs): string {
  return `${runs.old.join(",")}~${runs.new.join(",")}`;
}

// Null: the text names no runs, one of them twice, or too many.
export function readRuns(text: string | null): Runs | null {
  const sides = (text ?? "").split("~").map((side) => side.split(","));
  const [old, now] = sides;
  const all = sides.flat();
  if (sides.length !== 2 || old === undefined || now === undefined) return null;
  if (all.length > MOST || new Set(all).size < all.length || !all.every(isTraceName)) return null;
  return { old, new: now };
}

// What a side is as a whole: of several runs one is the most typical.
export interface RunsTold {
  readonly files: readonly string[];
  // The place among the files.
  readonly typical: number;
}

// "run 3 of 5 is shown"; -1: the trace that is shown is none of them.
export function runText(shown: number, { files }: RunsTold): string {
  if (shown < 0) return `none of ${formatCount(files.length)} runs is shown`;
  return `run ${formatCount(shown + 1)} of ${formatCount(files.length)} is shown`;
}

// Behind that text.
export function whyText(shown: number, { typical }: RunsTold): string {
  return shown === typical ? ": the most typical" : "";
}

// What the runs of both sides took, in nanoseconds, or how often they called.
export interface RunValues {
  readonly old: readonly number[];
  readonly new: readonly number[];
}

interface RunDot {
  readonly side: RunsSide;
  // From 0, where nothing is, to 1, the largest value of either side.
  readonly at: number;
}

export function runDots(values: RunValues): readonly RunDot[] {
  const most = Math.max(1, ...values.old, ...values.new);
  const of = (side: RunsSide): RunDot[] =>
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
