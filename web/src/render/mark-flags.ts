// Marks: a flag in the ruler, and a thin line down through the rows at either end.

import { flagsIn, FLAG_PX, type Mark } from "../model/timeline/marks";
import type { Range } from "../base/time";
import { RULER_HEIGHT, xOf } from "./ruler";

const FLAG_HEIGHT = 8;
const FLAG_TOP = 2;
// Two ends that are nearer than this, in pixels, are drawn as one line.
const BAND_FROM_PX = 4;

export function paintMarks(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  view: Range,
  width: number,
  height: number,
  colour: string,
): void {
  context.fillStyle = colour;
  for (const { mark, x } of flagsIn(marks, view, width)) {
    const from = xOf(mark.from, view, width);
    const to = xOf(mark.to, view, width);
    context.globalAlpha = 0.5;
    if (from >= 0) paintLine(context, from, height);
    if (to - from >= BAND_FROM_PX && to <= width) paintLine(context, to, height);
    context.globalAlpha = 1;
    const left = Math.max(0, from);
    context.fillRect(left, RULER_HEIGHT - 3, Math.max(2, Math.min(width, to) - left), 2);
    paintFlag(context, x);
  }
}

// Dashes tell a mark from the edge of a range even without colours.
function paintLine(context: CanvasRenderingContext2D, x: number, height: number): void {
  for (let y = RULER_HEIGHT; y < height; y += 6) context.fillRect(Math.round(x), y, 1, 3);
}

function paintFlag(context: CanvasRenderingContext2D, x: number): void {
  context.fillRect(x, FLAG_TOP, 1.5, RULER_HEIGHT - FLAG_TOP - 1);
  context.beginPath();
  context.moveTo(x, FLAG_TOP);
  context.lineTo(x + FLAG_PX, FLAG_TOP);
  context.lineTo(x + FLAG_PX - 2.5, FLAG_TOP + FLAG_HEIGHT / 2);
  context.lineTo(x + FLAG_PX, FLAG_TOP + FLAG_HEIGHT);
  context.lineTo(x, FLAG_TOP + FLAG_HEIGHT);
  context.fill();
}
