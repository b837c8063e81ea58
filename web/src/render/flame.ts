// Draws the flame graph, callers above callees.

import { formatDuration } from "../base/format";
import {
  FLAME_BOX_HEIGHT,
  FLAME_PITCH,
  flameRemainder,
  type FlameBoxes,
} from "../model/flame/flame";
import { fitName } from "../model/names";
import type { Palette } from "../model/colour";
import type { Method } from "../model/trace";
import { BoxPaint } from "./box-paint";
import { LABEL_FROM_PX, paintLabels, type TextWidths } from "./labels";
import type { Theme } from "./theme";

// A narrower remainder is what rounding leaves.
const LEAST_REST_PX = 4;
// A narrower box would be nothing but its line.
const BROKEN_FROM_PX = 5;

export interface FlameScene {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly flame: FlameBoxes;
  readonly isSelected: (rank: number, ix: number) => boolean;
  readonly matches: ReadonlySet<number> | null;
  readonly hover: number | null;
  readonly theme: Theme;
  readonly widths: TextWidths;
  readonly nameOf: (rank: number) => Method | undefined;
  readonly palette: Palette;
  // The place in the palette of a box.
  readonly colourOf: (rank: number, ix: number) => number;
  // Boxes with a broken line around them; null: none.
  readonly isBroken: ((ix: number) => boolean) | null;
}

// Draws a box for what is too thin to have boxes of its own: the width would look lost otherwise.
function paintRemainder(
  context: CanvasRenderingContext2D,
  { flame, theme, widths, scrollTop, height }: FlameScene,
  scale: number,
): void {
  // What has a depth to begin at begins with one box, which is as wide as the graph.
  if (flame.bottom !== undefined) return;
  const rest = flameRemainder(flame);
  const wide = rest.value * scale;
  if (wide < LEAST_REST_PX || scrollTop > FLAME_BOX_HEIGHT || height <= 0) return;
  const x = rest.x * scale;
  context.strokeStyle = theme.line;
  context.fillStyle = theme.line;
  context.globalAlpha = 0.5;
  context.fillRect(x, -scrollTop, wide - 0.6, FLAME_BOX_HEIGHT);
  context.globalAlpha = 1;
  context.font = theme.font;
  context.fillStyle = theme.ink;
  context.textBaseline = "middle";
  const forms = [
    `${formatDuration(rest.value)} in boxes too thin to draw`,
    `${formatDuration(rest.value)} too thin to draw`,
    "too thin",
  ];
  const text = fitName(forms, wide - 10, (form) => widths.of(context, form));
  context.fillText(text, x + 5, FLAME_BOX_HEIGHT / 2 + 0.5 - scrollTop);
  context.textBaseline = "alphabetic";
}

// A broken line around what only one of two traces has, as in the pictures of `traceview flame --diff`.
function paintBroken(
  context: CanvasRenderingContext2D,
  boxes: readonly number[],
  colour: string,
): void {
  if (boxes.length === 0) return;
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([3, 2]);
  context.beginPath();
  for (let i = 0; i < boxes.length; i += 3)
    context.rect(
      (boxes[i] ?? 0) + 0.5,
      (boxes[i + 1] ?? 0) + 0.5,
      (boxes[i + 2] ?? 0) - 1,
      FLAME_BOX_HEIGHT - 1,
    );
  context.stroke();
  context.restore();
}

export function drawFlame(context: CanvasRenderingContext2D, scene: FlameScene): number {
  const { flame, width, height, theme, scrollTop } = scene;
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, height);
  if (flame.root <= 0) return 0;
  const scale = width / flame.root;
  const paint = new BoxPaint(scene.palette.fills);
  const framed: number[] = [];
  const broken: number[] = [];
  for (let ix = 0; ix < flame.x.length; ix++) {
    const y = (flame.depth[ix] ?? 0) * FLAME_PITCH - scrollTop;
    if (y + FLAME_PITCH < 0 || y > height) continue;
    const x = (flame.x[ix] ?? 0) * scale;
    const wide = Math.max(0.6, (flame.value[ix] ?? 0) * scale - 0.6);
    const rank = flame.rank[ix] ?? 0;
    const isFaded = scene.matches !== null && !scene.matches.has(rank);
    const colour = scene.colourOf(rank, ix);
    paint.add(colour, x, y, wide, FLAME_BOX_HEIGHT, isFaded);
    if (wide >= LABEL_FROM_PX)
      paint.labels.push({ rank, colour, x, y, width: wide, height: FLAME_BOX_HEIGHT, isFaded });
    if (scene.isBroken?.(ix) === true && wide >= BROKEN_FROM_PX) broken.push(x, y, wide);
    const isMiddle = flame.bottom !== undefined && ix === 0;
    if (scene.isSelected(rank, ix) || ix === scene.hover || isMiddle)
      framed.push(x, y, wide, ix === scene.hover ? 1 : 0);
  }
  paint.paint(context);
  paintRemainder(context, scene, scale);
  paintBroken(context, broken, theme.ink);
  paintLabels(context, paint.labels, scene.nameOf, theme, scene.palette.inks, scene.widths);
  for (let i = 0; i < framed.length; i += 4) {
    context.strokeStyle = framed[i + 3] === 1 ? theme.ink : theme.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(
      (framed[i] ?? 0) + 0.5,
      (framed[i + 1] ?? 0) + 0.5,
      Math.max(1.5, (framed[i + 2] ?? 0) - 1),
      FLAME_BOX_HEIGHT - 1,
      3,
    );
    context.stroke();
  }
  return paint.count;
}
