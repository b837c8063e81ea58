// Where the median, the 95th percentile and the longest stand in a histogram, and what is written there.

import type { HistogramBar, Spread } from "./trace";

export interface HistogramMark {
  // Empty where the next mark's label has its name.
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

// Marks in one bar share one line; marks whose labels would meet share one label, at the last.
export function marksOf(bars: readonly HistogramBar[], spread: Spread): HistogramMark[] {
  const marks: HistogramMark[] = [];
  const all = [
    ["p50", spread.p50],
    ["p95", spread.p95],
    ["max", spread.max],
  ] as const;
  for (const [label, ns] of all) {
    const ix = bars.findIndex((bar) => ns >= bar.from && ns < bar.to);
    if (ix < 0) continue;
    const at = (ix + 0.5) / bars.length;
    const last = marks.pop();
    if (last === undefined) {
      marks.push({ label, at });
      continue;
    }
    const needed = LABEL_SHARE * (isLeftOf(at) && !isLeftOf(last.at) ? 2 : 1);
    const isOne = at - last.at < needed;
    if (last.at !== at) marks.push(isOne ? { label: "", at: last.at } : last);
    marks.push({ label: isOne ? `${last.label}, ${label}` : label, at });
  }
  return marks;
}
