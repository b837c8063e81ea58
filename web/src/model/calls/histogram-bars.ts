// Which bar of a histogram a press or a key means: one that has calls.

import type { HistogramBar } from "../trace";

// The nearest bar with calls to a place, in bars from the left; -1 where none has any.
export function nearestBar(bars: readonly HistogramBar[], at: number): number {
  const away = (ix: number): number => Math.abs(ix + 0.5 - at);
  return bars.reduce(
    (best, bar, ix) => (bar.count > 0 && (best < 0 || away(ix) < away(best)) ? ix : best),
    -1,
  );
}

// The bar to which a key leads from the chosen one (-1: none is); Enter and Escape choose it again, which takes the choice
// off. -1 where the key leads nowhere.
export function stepBar(bars: readonly HistogramBar[], chosen: number, key: string): number {
  const filled = bars.flatMap((bar, ix) => (bar.count > 0 ? [ix] : []));
  switch (key) {
    case "ArrowRight":
      return filled.find((ix) => ix > chosen) ?? -1;
    case "ArrowLeft":
      return filled.filter((ix) => ix < chosen || chosen < 0).pop() ?? -1;
    case "Home":
      return filled[0] ?? -1;
    case "End":
      return filled[filled.length - 1] ?? -1;
    case "Enter":
    case "Escape":
      return chosen;
    default:
      return -1;
  }
}
