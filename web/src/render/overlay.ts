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
import { paintMarks } from "./mark-flags";
import { RULER_HEIGHT, xOf } from "./ruler";
import type { Scene } from "./scene";
import { extentsOf } from "../model/timeline/tiles";
import type { Theme } from "./theme";

const BRACKET_HEIGHT = 5;
const PILL_ROOM = 92;

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

// Draws a text in a filled pill, centred on x where there is room.
function paintPill(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  width: number,
  fill: string,
  ink: string,
  font: string,
): void {
  context.font = font;
  const size = context.measureText(text).width + 18;
  const left = Math.min(Math.max(2, x - size / 2), width - size - 2);
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
  if (range !== null) {
    const from = xOf(range.from, view, width);
    const to = xOf(range.to, view, width);
    context.fillStyle = overlay.isPicked ? theme.selection : theme.shade;
    if (overlay.isPicked) context.fillRect(from, RULER_HEIGHT - 1, to - from, height);
    else {
      context.fillRect(0, RULER_HEIGHT, Math.max(0, from), height);
      context.fillRect(to, RULER_HEIGHT, Math.max(0, width - to), height);
    }
    if (overlay.isPicked && to > 0 && from < width) {
      paintEdges(context, from, to, height, theme.accent);
      const middle = (Math.max(0, from) + Math.min(width, to)) / 2;
      paintPill(
        context,
        formatDuration(spanOf(range)),
        middle,
        width,
        theme.accent,
        theme.onAccent,
        theme.font,
      );
    }
  }
  if (call !== null && !overlay.isPicked) paintCallBand(context, overlay, call);
  paintMarks(context, overlay.marks, view, width, height, theme.mark);
  if (overlay.hoverX !== null) paintCrossHair(context, overlay, overlay.hoverX);
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

function paintCallBand(context: CanvasRenderingContext2D, overlay: Overlay, call: Range): void {
  const { view, width, height, theme } = overlay;
  const from = Math.max(0, xOf(call.from, view, width));
  const to = Math.min(width, xOf(call.to, view, width));
  if (to < 0 || from > width) return;
  context.fillStyle = theme.selection;
  context.fillRect(from, RULER_HEIGHT - 1, Math.max(1, to - from), height);
  // Where the two pills would overlap, only the one of the pointer is drawn.
  if (overlay.hoverX !== null && Math.abs(overlay.hoverX - (from + to) / 2) < PILL_ROOM) return;
  paintPill(
    context,
    formatDuration(spanOf(call)),
    (from + to) / 2,
    width,
    theme.accent,
    theme.onAccent,
    theme.font,
  );
}

function paintCrossHair(context: CanvasRenderingContext2D, overlay: Overlay, hoverX: number): void {
  const { view, width, height, theme } = overlay;
  context.fillStyle = theme.dim;
  context.globalAlpha = 0.55;
  context.fillRect(Math.round(hoverX), 0, 1, height);
  context.globalAlpha = 1;
  const time = view.from + (hoverX / Math.max(1, width)) * spanOf(view);
  const step = niceStep(spanOf(view) / Math.max(1, width));
  const { text, unit } = formatAt(time, step, spanOf(view));
  paintPill(context, `${text} ${unit}`, hoverX, width, theme.ink, theme.panel, theme.font);
}
