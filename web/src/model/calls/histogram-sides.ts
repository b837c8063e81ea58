// The distributions of a method's calls in two traces, as bars of one histogram.

import type { HistogramBar } from "../trace";

export interface SideBar extends HistogramBar {
  // Calls of the old trace; absent where no other trace is compared with.
  readonly old?: number;
}

// Bars stand for durations on one scale, but where the clocks of both are of different steps: then a bar of the old trace is
// that in which its middle lies.
export function barsOfBoth(
  bars: readonly HistogramBar[],
  old: readonly HistogramBar[],
): readonly SideBar[] {
  const middle = ({ from, to }: HistogramBar): number => (from + to) / 2;
  const has = (bar: HistogramBar, time: number): boolean => time >= bar.from && time < bar.to;
  const first = bars[0]?.from ?? Infinity;
  const last = bars[bars.length - 1]?.to ?? -Infinity;
  const outside = old.filter((bar) => middle(bar) < first || middle(bar) >= last);
  const all = [...bars, ...outside.map((bar) => ({ ...bar, count: 0 }))];
  return all
    .sort((a, b) => a.from - b.from)
    .map((bar) => ({
      ...bar,
      old: old.reduce((sum, one) => sum + (has(bar, middle(one)) ? one.count : 0), 0),
    }));
}
