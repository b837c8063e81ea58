// Draws the flame graph, callers above callees.

import { formatDuration } from "../base/format";
import {
  FLAME_BOX_HEIGHT,
  FLAME_PITCH,
  flameRemainder,
  type FlameAnswer,
} from "../model/flame/flame";
import { fitName } from "../model/names";
import type { Method } from "../model/trace";
import { BoxPaint } from "./box-paint";
import { LABEL_FROM_PX, paintLabels, type TextWidths } from "./labels";
import type { Theme } from "./theme";

// A narrower remainder is what rounding leaves.
const LEAST_REST_PX = 4;

export interface FlameScene {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly flame: FlameAnswer;
  readonly method: number | null;
  readonly matches: ReadonlySet<number> | null;
  readonly hover: number | null;
  readonly theme: Theme;
  readonly widths: TextWidths;
  readonly nameOf: (rank: number) => Method | undefined;
  readonly colourOf: (rank: number) => number;
}

// Draws a box for what is too thin to have boxes of its own: the width would look lost otherwise.
function paintRemainder(
  context: CanvasRenderingContext2D,
  { flame, theme, widths, scrollTop, height }: FlameScene,
  scale: number,
): void {
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

export function drawFlame(context: CanvasRenderingContext2D, scene: FlameScene): number {
  const { flame, width, height, theme, scrollTop } = scene;
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, height);
  if (flame.root <= 0) return 0;
  const scale = width / flame.root;
  const paint = new BoxPaint(theme.palette.fills);
  const framed: number[] = [];
  for (let ix = 0; ix < flame.x.length; ix++) {
    const y = (flame.depth[ix] ?? 0) * FLAME_PITCH - scrollTop;
    if (y + FLAME_PITCH < 0 || y > height) continue;
    const x = (flame.x[ix] ?? 0) * scale;
    const wide = Math.max(0.6, (flame.value[ix] ?? 0) * scale - 0.6);
    const rank = flame.rank[ix] ?? 0;
    const isFaded = scene.matches !== null && !scene.matches.has(rank);
    const colour = scene.colourOf(rank);
    paint.add(colour, x, y, wide, FLAME_BOX_HEIGHT, isFaded);
    if (wide >= LABEL_FROM_PX)
      paint.labels.push({ rank, colour, x, y, width: wide, height: FLAME_BOX_HEIGHT, isFaded });
    if (rank === scene.method || ix === scene.hover)
      framed.push(x, y, wide, ix === scene.hover ? 1 : 0);
  }
  paint.paint(context);
  paintRemainder(context, scene, scale);
  paintLabels(context, paint.labels, scene.nameOf, theme, theme.palette.inks, scene.widths);
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
