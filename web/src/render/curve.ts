// The curve of one thread: CPU time as an area, and on it what waited, hatched as in the timeline.

import { curveShares, type Curve } from "../model/timeline/curve";
import type { Theme } from "./theme";

const TOP = 5;
// The line of the selected method's calls is below.
const FOOT = 4;
const HATCH_PX = 5;

// A tile of stripes that go on from one to the next.
function hatching(context: CanvasRenderingContext2D, theme: Theme): CanvasPattern | string {
  const tile = new OffscreenCanvas(HATCH_PX, HATCH_PX);
  const drawing = tile.getContext("2d");
  if (drawing === null) return theme.hatch;
  drawing.strokeStyle = theme.accent;
  drawing.lineWidth = 1;
  drawing.beginPath();
  for (const at of [-HATCH_PX, 0, HATCH_PX]) {
    drawing.moveTo(at, HATCH_PX);
    drawing.lineTo(at + HATCH_PX, 0);
  }
  drawing.stroke();
  return context.createPattern(tile, "repeat") ?? theme.hatch;
}

export function drawCurve(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  curve: Curve,
  span: number,
  theme: Theme,
): void {
  context.clearRect(0, 0, width, height);
  const room = height - TOP - FOOT;
  const shares = curveShares(curve, span);
  const wide = width / Math.max(1, shares.length);
  const area = (from: (ix: number) => number, to: (ix: number) => number): void => {
    context.beginPath();
    shares.forEach((_, ix) => {
      const high = (to(ix) - from(ix)) * room;
      // Neighbours overlap a little: no seam shows between them.
      if (high > 0) context.rect(ix * wide, TOP + (1 - to(ix)) * room, wide + 0.3, high);
    });
    context.fill();
  };
  const cpu = (ix: number): number => shares[ix]?.cpu ?? 0;
  context.fillStyle = hatching(context, theme);
  context.globalAlpha = 0.55;
  area(cpu, (ix) => cpu(ix) + (shares[ix]?.wait ?? 0));
  context.globalAlpha = 0.6;
  context.fillStyle = theme.accent;
  area(() => 0, cpu);
  context.globalAlpha = 1;
}
