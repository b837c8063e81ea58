// Where the median, the 95th percentile and the longest stand in a histogram, and what is written there.

import type { HistogramBar, Percentiles } from "../trace";

interface HistogramMark {
  // Empty where its neighbour's label has its name.
  readonly label: string;
  // The middle of the bar that it is in, as a share of the width.
  readonly at: number;
}

// What a label takes of the width.
const LABEL_SHARE = 0.11;

// Whether a mark's label stands before it, for want of room behind.
export function isLeftOf(at: number): boolean {
  return at > 0.8;
}

// Whether two labels would meet: the more so where one stands behind its line, the other before its own.
function wouldMeet(first: HistogramMark, second: HistogramMark): boolean {
  const facing = isLeftOf(second.at) && !isLeftOf(first.at);
  return second.at - first.at < LABEL_SHARE * (facing ? 2 : 1);
}

// One label for all, before the first line or behind the last, so that no line runs through it.
function shareLabel(run: readonly HistogramMark[]): HistogramMark[] {
  const all = run.map((mark) => mark.label).join(", ");
  const bearer = isLeftOf(run[0]?.at ?? 0) ? 0 : run.length - 1;
  return run.map(({ at }, ix) => ({ label: ix === bearer ? all : "", at }));
}

// Marks in one bar share one line; marks whose labels would meet share one label.
export function marksOf(bars: readonly HistogramBar[], percentiles: Percentiles): HistogramMark[] {
  const runs: HistogramMark[][] = [];
  const all = [
    ["p50", percentiles.p50],
    ["p95", percentiles.p95],
    ["max", percentiles.max],
  ] as const;
  for (const [label, ns] of all) {
    const ix = bars.findIndex((bar) => ns >= bar.from && ns < bar.to);
    if (ix < 0) continue;
    const mark = { label, at: (ix + 0.5) / bars.length };
    const run = runs[runs.length - 1] ?? [];
    const last = run[run.length - 1];
    if (last?.at === mark.at)
      run[run.length - 1] = { label: `${last.label}, ${label}`, at: last.at };
    else if (last !== undefined && wouldMeet(last, mark)) run.push(mark);
    else runs.push([mark]);
  }
  return runs.flatMap(shareLabel);
}
