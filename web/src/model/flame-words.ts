// What stands in words above the flame graph.

import { formatDuration } from "../base/format";
import { matchedValue, type FlameAnswer } from "./flame";

// "matched 12.3 % of what is shown (61.2 ms)"
export function matchedText(flame: FlameAnswer, ranks: ReadonlySet<number>): string {
  const value = matchedValue(flame, ranks);
  const percent = flame.root > 0 ? (value / flame.root) * 100 : 0;
  return `matched ${percent.toFixed(1)} % of what is shown (${formatDuration(value)})`;
}

type ZoomCrumb =
  | { readonly kind: "gap" }
  // The method at the end of the path's first `length` steps.
  | { readonly kind: "step"; readonly rank: number; readonly length: number };

const LAST_STEPS = 3;

// The last steps of a path, which tell the most; what is left out is a gap.
export function zoomCrumbs(path: readonly number[]): ZoomCrumb[] {
  const first = Math.max(0, path.length - LAST_STEPS);
  const steps = path
    .slice(first)
    .map((rank, ix): ZoomCrumb => ({ kind: "step", rank, length: first + ix + 1 }));
  return first > 0 ? [{ kind: "gap" }, ...steps] : steps;
}
