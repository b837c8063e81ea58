// Drags on the overview: a handle, the middle, or a new range from outside.

import { fitRange, panRange, spanOf, type Range } from "../../../base/time";
import type { Grip } from "../../../render/overview";

export function createGrips() {
  let grip: Grip | null = null;
  let last = 0;
  let start = 0;
  let isMoved = false;
  return {
    press(taken: Grip, time: number): void {
      grip = taken;
      last = time;
      start = time;
      isMoved = false;
    },
    move(time: number, view: Range, end: number): Range | null {
      if (grip === null) return null;
      if (!isMoved && Math.abs(time - start) < end / 400) return null;
      isMoved = true;
      const by = time - last;
      last = time;
      if (grip === "from") return fitRange({ from: Math.min(time, view.to - 1), to: view.to }, end);
      if (grip === "to")
        return fitRange({ from: view.from, to: Math.max(time, view.from + 1) }, end);
      if (grip === "outside") return fitRange({ from: start, to: time }, end);
      return spanOf(view) >= end
        ? fitRange({ from: start, to: time }, end)
        : panRange(view, by, end);
    },
    // Whether the drag chose a range.
    release(): boolean {
      const was = grip;
      grip = null;
      return was !== null && isMoved;
    },
  };
}
