// Draws what lies over the boxes: extents of the selected method, the selected call, ranges, the
// cross-hair.

import { formatAt, formatDuration } from "../base/format";
import { niceStep } from "../base/ticks";
import { spanOf, type Range } from "../base/time";
import { firstEndingAfter } from "../model/timeline/boxes";
import {
  DEPTH_BOX_HEIGHT,
  FOLDED_BOX_HEIGHT,
  FOLDED_BOX_TOP,
  depthY,
  showsDepth,
  type TimelineRow,
} from "../model/timeline/rows";
import type { Mark } from "../model/timeline/marks";
import { pillLeft } from "../model/timeline/range-place";
import { paintMarks } from "./mark-flags";
import { RULER_HEIGHT, xOf } from "./ruler";
import type { Scene } from "./scene";
import { extentsOf } from "../model/timeline/tiles";
import type { Theme } from "./theme";

const BRACKET_HEIGHT = 5;

// Draws a bracket under a row for every call of the selected method, or a block where a bracket has
// no room. A stack that goes on below the panel has them at the panel's foot: they are in sight wherever the row is.
export function paintExtents(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TimelineRow,
): void {
  const extents = extentsOf(row.thread.id, scene.method, scene.calls);
  const tile = extents === null ? null : scene.tileOf(extents);
  if (tile === null) return;
  const { view, width, theme } = scene;
  const foot = RULER_HEIGHT + row.y + row.height - scene.scrollTop;
  const isCut = row.isUnfolded && foot > scene.height;
  const base = (isCut ? scene.height : foot) - (row.isUnfolded ? 5 : 2);
  const top = base - BRACKET_HEIGHT;
  if (isCut && tile.rows.some((slice) => slice.count > 0)) {
    context.fillStyle = theme.panel;
    context.fillRect(0, top - 3, width, scene.height - top + 3);
  }
  context.strokeStyle = theme.accent;
  context.fillStyle = theme.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const slice of tile.rows) {
    const end = slice.first + slice.count;
    for (let ix = firstEndingAfter(tile.boxes, slice, view.from); ix < end; ix++) {
      const start = tile.boxes.start[ix] ?? 0;
      if (start > view.to) break;
      const from = xOf(start, view, width);
      const to = xOf(start + (tile.boxes.duration[ix] ?? 0), view, width);
      if (to - from < 4) {
        context.fillRect(from, base - 2.5, Math.max(2, to - from), 3);
        continue;
      }
      if (from >= 0) context.moveTo(from + 0.75, top);
      else context.moveTo(0, base);
      if (from >= 0) context.lineTo(from + 0.75, base);
      context.lineTo(Math.min(width, to - 1), base);
      if (to <= width) context.lineTo(to - 1, top);
    }
  }
  context.stroke();
}

// Draws a frame around the selected call: around its box in a stack, over its whole extent in a
// folded row.
export function paintCallOutline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TimelineRow,
): void {
  const { call, view, width, theme } = scene;
  if (call === null || call.thread !== row.thread.id) return;
  const y = RULER_HEIGHT + row.y - scene.scrollTop;
  const isFolded = !row.isUnfolded;
  const { level } = call;
  if (level === null || (!isFolded && !showsDepth(row, level))) return;
  const from = Math.max(-4, xOf(call.start, view, width));
  const to = Math.min(width + 4, xOf(call.end, view, width));
  if (to < 0 || from > width) return;
  const top = isFolded ? y + row.bandsHeight + FOLDED_BOX_TOP : y + depthY(row, level);
  const height = isFolded ? FOLDED_BOX_HEIGHT : DEPTH_BOX_HEIGHT;
  // The dark theme's accent is as light as the boxes: its frame has the colour of text.
  context.strokeStyle = theme.isDark ? theme.ink : theme.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(from - 1, top - 1, Math.max(3, to - from) + 1.4, height + 2, 4);
  context.stroke();
}

// A text in a filled pill in the ruler, and where it stands.
interface Pill {
  readonly text: string;
  readonly left: number;
  readonly size: number;
}

// A pill centred on x where there is room, and beside another one that it would overlap, on the side of x.
function placePill(
  context: CanvasRenderingContext2D,
  { width, theme }: Overlay,
  text: string,
  x: number,
  other: Pill | null = null,
): Pill {
  context.font = theme.font;
  const size = context.measureText(text).width + 18;
  return { text, size, left: pillLeft(x, size, width, other) };
}

function paintPill(
  context: CanvasRenderingContext2D,
  { theme }: Overlay,
  { text, left, size }: Pill,
  fill: string,
  ink: string,
): void {
  context.font = theme.font;
  context.fillStyle = fill;
  context.beginPath();
  context.roundRect(left, 2, size, 17, 8.5);
  context.fill();
  context.fillStyle = ink;
  context.textBaseline = "middle";
  context.fillText(text, left + 9, 11);
  context.textBaseline = "alphabetic";
}

interface Overlay {
  readonly width: number;
  readonly height: number;
  readonly view: Range;
  // The range that the tables show; null for the whole trace.
  readonly range: Range | null;
  readonly isPicked: boolean;
  readonly call: Range | null;
  readonly marks: readonly Mark[];
  readonly hoverX: number | null;
  readonly theme: Theme;
}

// Whether the overlay has nothing to draw.
export function isBlank({ range, call, marks, hoverX }: Overlay): boolean {
  return range === null && call === null && marks.length === 0 && hoverX === null;
}

// Draws the upper layer, which is cheap enough to be drawn with every move of the mouse.
export function drawOverlay(context: CanvasRenderingContext2D, overlay: Overlay): void {
  const { width, height, view, range, call, theme } = overlay;
  context.clearRect(0, 0, width, height);
  if (range !== null && overlay.isPicked) {
    const { from, to } = paintBand(context, overlay, range);
    if (to > 0 && from < width) paintEdges(context, from, to, height, theme.accent);
  } else if (range !== null) {
    const { from, to } = pixelsOf(overlay, range);
    context.fillStyle = theme.shade;
    context.fillRect(0, RULER_HEIGHT, Math.max(0, from), height);
    context.fillRect(to, RULER_HEIGHT, Math.max(0, width - to), height);
  }
  if (call !== null && !overlay.isPicked) paintBand(context, overlay, call);
  const told = overlay.isPicked ? range : call;
  const length = told === null ? null : lengthPill(context, overlay, told);
  if (length !== null) paintPill(context, overlay, length, theme.accent, theme.onAccent);
  paintMarks(context, overlay.marks, view, width, height, theme.mark);
  if (overlay.hoverX !== null) paintCrossHair(context, overlay, overlay.hoverX, length);
}

function pixelsOf({ view, width }: Overlay, range: Range): Range {
  return { from: xOf(range.from, view, width), to: xOf(range.to, view, width) };
}

// Colours what the selected range or call takes of the view.
function paintBand(context: CanvasRenderingContext2D, overlay: Overlay, range: Range): Range {
  const { from, to } = pixelsOf(overlay, range);
  const left = Math.max(0, from);
  const right = Math.min(overlay.width, to);
  context.fillStyle = overlay.theme.selection;
  if (right >= 0 && left <= overlay.width)
    context.fillRect(left, RULER_HEIGHT - 1, Math.max(1, right - left), overlay.height);
  return { from, to };
}

function paintEdges(
  context: CanvasRenderingContext2D,
  from: number,
  to: number,
  height: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.fillRect(Math.round(from) - 0.5, RULER_HEIGHT - 1, 1, height);
  context.fillRect(Math.round(to) - 0.5, RULER_HEIGHT - 1, 1, height);
}

// How long the selected range or call is, over the middle of what is seen of it. Null: nothing is.
function lengthPill(
  context: CanvasRenderingContext2D,
  overlay: Overlay,
  range: Range,
): Pill | null {
  const { from, to } = pixelsOf(overlay, range);
  if (to < 0 || from > overlay.width) return null;
  const middle = (Math.max(0, from) + Math.min(overlay.width, to)) / 2;
  return placePill(context, overlay, formatDuration(spanOf(range)), middle);
}

function paintCrossHair(
  context: CanvasRenderingContext2D,
  overlay: Overlay,
  hoverX: number,
  length: Pill | null,
): void {
  const { view, width, height, theme } = overlay;
  context.fillStyle = theme.dim;
  context.globalAlpha = 0.55;
  context.fillRect(Math.round(hoverX), 0, 1, height);
  context.globalAlpha = 1;
  const time = view.from + (hoverX / Math.max(1, width)) * spanOf(view);
  const step = niceStep(spanOf(view) / Math.max(1, width));
  const { text, unit } = formatAt(time, step, spanOf(view));
  const pill = placePill(context, overlay, `${text} ${unit}`, hoverX, length);
  paintPill(context, overlay, pill, theme.ink, theme.panel);
}
