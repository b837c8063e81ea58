// The time scale above the rows, and the faint lines from its ticks down through the rows.

import { formatAt } from "../base/format";
import { ticksFor } from "../base/ticks";
import { spanOf, type Range } from "../base/time";
import type { Theme } from "./theme";

export const RULER_HEIGHT = 21;
const GAP_PX = 96;

export function xOf(time: number, view: Range, width: number): number {
  return ((time - view.from) / Math.max(1e-9, spanOf(view))) * width;
}

export function timeOf(x: number, view: Range, width: number): number {
  return view.from + (x / Math.max(1, width)) * spanOf(view);
}

export function paintGrid(
  context: CanvasRenderingContext2D,
  view: Range,
  width: number,
  height: number,
  theme: Theme,
): void {
  context.strokeStyle = theme.line;
  context.globalAlpha = 0.6;
  context.lineWidth = 1;
  context.beginPath();
  for (const value of ticksFor(view.from, view.to, width, GAP_PX).values) {
    const x = Math.round(xOf(value, view, width)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, height);
  }
  context.stroke();
  context.globalAlpha = 1;
}

export function paintRuler(
  context: CanvasRenderingContext2D,
  view: Range,
  width: number,
  theme: Theme,
): void {
  const { step, values } = ticksFor(view.from, view.to, width, GAP_PX);
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, RULER_HEIGHT - 1);
  context.font = theme.font;
  context.textBaseline = "alphabetic";
  context.strokeStyle = theme.line;
  context.beginPath();
  context.moveTo(0, RULER_HEIGHT - 0.5);
  context.lineTo(width, RULER_HEIGHT - 0.5);
  let isFirst = true;
  for (const value of values) {
    const x = Math.round(xOf(value, view, width)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, RULER_HEIGHT);
    const { text, unit } = formatAt(value, step, step * 10);
    context.fillStyle = theme.dim;
    if (x < width - 20) context.fillText(isFirst ? `${text} ${unit}` : text, x + 5, 14.5);
    isFirst = false;
  }
  context.stroke();
}
