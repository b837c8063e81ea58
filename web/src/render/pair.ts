// Draws one of two calls that are compared: its thread's stack from the call downwards, with the ruler counting from its
// start. What the thread did before and after is covered.

import type { PlacedCall } from "../model/trace";
import { RULER_HEIGHT, xOf } from "./ruler";
import type { Scene } from "./scene";
import { drawTimeline } from "./timeline";

const DASH = [4, 3];

// How many boxes it has.
export function drawCall(
  context: CanvasRenderingContext2D,
  scene: Scene,
  call: PlacedCall,
): number {
  const { width, height, view, theme } = scene;
  const count = drawTimeline(context, { ...scene, zero: call.start });
  // The middle of a pixel that the call ends in is its own.
  const from = Math.min(width, Math.max(0, xOf(call.start, view, width)));
  const to = Math.min(width, Math.max(0, Math.max(xOf(call.end, view, width), from + 1)));
  context.fillStyle = theme.panel;
  context.fillRect(0, RULER_HEIGHT, from, height - RULER_HEIGHT);
  context.fillRect(to, RULER_HEIGHT, width - to, height - RULER_HEIGHT);
  if (to < width) {
    context.strokeStyle = theme.dim;
    context.lineWidth = 1;
    context.setLineDash(DASH);
    context.beginPath();
    context.moveTo(Math.round(to) + 0.5, RULER_HEIGHT);
    context.lineTo(Math.round(to) + 0.5, height);
    context.stroke();
    context.setLineDash([]);
  }
  return count;
}
