// Draws the lines between two timelines: from a moment of the upper one to the same moment of the lower one.

import type { Range } from "../base/time";
import { xOf } from "./ruler";
import type { Theme } from "./theme";

interface MomentLines {
  readonly width: number;
  readonly height: number;
  readonly view: Range;
  // Both on the clock of the upper timeline.
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  readonly theme: Theme;
}

// How many lines are in sight.
export function drawMoments(
  context: CanvasRenderingContext2D,
  { width, height, view, lines, theme }: MomentLines,
): number {
  let count = 0;
  context.clearRect(0, 0, width, height);
  context.strokeStyle = theme.accent;
  context.fillStyle = theme.accent;
  context.lineWidth = 1.5;
  for (const { from, to } of lines) {
    const top = xOf(from, view, width);
    const foot = xOf(to, view, width);
    if (Math.max(top, foot) < 0 || Math.min(top, foot) > width) continue;
    count += 1;
    context.beginPath();
    context.moveTo(top, 0);
    context.lineTo(foot, height);
    context.stroke();
    context.fillRect(top - 2, 0, 4, 2);
    context.fillRect(foot - 2, height - 2, 4, 2);
  }
  return count;
}
