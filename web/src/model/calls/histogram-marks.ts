// The marks in a histogram: where the median, the 95th percentile and the longest call stand, and
// the text beside each.

import type { HistogramBar, Percentiles } from "../trace";

interface HistogramMark {
  // Empty where a neighbour's label names this mark too.
  readonly label: string;
  // The middle of the bar that holds the mark, as a share of the width.
  readonly at: number;
}

// The room of one character of a label, as a share of the width.
const CHARACTER_SHARE = 0.037;

// Whether a mark's label stands before its line, because there is no room behind it.
export function isLeftOf(at: number, label = ""): boolean {
  // The label of all marks meets no other one, and is the longest: it needs more room.
  return at > 0.8 || (label.split(", ").length === 3 && at + label.length * CHARACTER_SHARE > 1);
}

// Whether two labels would meet: the first may stand behind its line, the second before its own, or both.
function wouldMeet(first: HistogramMark, second: HistogramMark): boolean {
  const between =
    (isLeftOf(first.at) ? 0 : first.label.length) + (isLeftOf(second.at) ? second.label.length : 0);
  return second.at - first.at < CHARACTER_SHARE * between;
}

// One label for all marks, before the first line or behind the last one, so that no line runs
// through it.
function shareLabel(run: readonly HistogramMark[]): HistogramMark[] {
  const all = run.map((mark) => mark.label).join(", ");
  const bearer = isLeftOf(run[0]?.at ?? 0) ? 0 : run.length - 1;
  return run.map(({ at }, ix) => ({ label: ix === bearer ? all : "", at }));
}

// Marks in one bar share one line; marks whose labels would meet share one label.
export function marksOf(bars: readonly HistogramBar[], percentiles: Percentiles): HistogramMark[] {
  const lines: HistogramMark[] = [];
  const all = [
    ["p50", percentiles.p50],
    ["p95", percentiles.p95],
    ["max", percentiles.max],
  ] as const;
  for (const [label, ns] of all) {
    const ix = bars.findIndex((bar) => ns >= bar.from && ns < bar.to);
    if (ix < 0) continue;
    const at = (ix + 0.5) / bars.length;
    const last = lines[lines.length - 1];
    if (last?.at === at) lines[lines.length - 1] = { label: `${last.label}, ${label}`, at };
    else lines.push({ label, at });
  }
  const runs: HistogramMark[][] = [];
  for (const line of lines) {
    const run = runs[runs.length - 1] ?? [];
    const last = run[run.length - 1];
    if (last !== undefined && wouldMeet(last, line)) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap(shareLabel);
}
