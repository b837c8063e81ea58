// Draws the timeline's rows: folded lines, stacks, extents. Drawing handles no events and keeps no
// state: a scene goes in, pixels and the number of boxes come out.

import {
  BOX_MIXED,
  BOX_OMITS,
  BOX_WAITING,
  firstEndingAfter,
  type BoxRow,
} from "../model/timeline/boxes";
import { cpuIndex, type Palette } from "../model/colour";
import {
  DEPTH_BOX_HEIGHT,
  FOLDED_BOX_HEIGHT,
  FOLDED_BOX_TOP,
  depthY,
  depthsInBand,
  showsDepth,
  visibleRows,
  type TimelineRow,
} from "../model/timeline/rows";
import {
  depthGroups,
  extentsOf,
  groupKey,
  type RowGroup,
  type Tile,
} from "../model/timeline/tiles";
import { BoxPaint, paintFrames, paintHatch, paintOmissions } from "./box-paint";
import { LABEL_FROM_PX, paintLabels } from "./labels";
import { paintLanes } from "./lanes";
import { paintLead } from "./common-levels";
import { paintCallOutline, paintExtents } from "./overlay";
import { RULER_HEIGHT, paintGrid, paintRuler } from "./ruler";
import type { Scene } from "./scene";

// The row groups that a scene needs, for asking and for drawing alike.
export function groupsOf(
  scene: Pick<Scene, "height" | "scrollTop" | "layout" | "method" | "calls">,
): RowGroup[] {
  const top = scene.scrollTop;
  const bottom = top + scene.height - RULER_HEIGHT;
  const [first, last] = visibleRows(scene.layout, top, bottom);
  const groups: RowGroup[] = [];
  for (const row of scene.layout.rows.slice(first, last)) {
    const band = depthsInBand(row, top, bottom);
    if (!row.isUnfolded) groups.push({ kind: "folded", thread: row.thread.id });
    else if (band !== null) groups.push(...stackGroups(row, band));
    const extents = extentsOf(row.thread.id, scene.method, scene.calls);
    if (extents !== null) groups.push(extents);
  }
  return groups;
}

// The blocks of depths that show, and those above them: they tell where stacks first branch.
function stackGroups(row: TimelineRow, [low, high]: [number, number]): RowGroup[] {
  const { id } = row.thread;
  const above = depthGroups(id, 0, row.lead);
  const known = new Set(above.map(groupKey));
  return [...above, ...depthGroups(id, low, high).filter((one) => !known.has(groupKey(one)))];
}

// Gathers one row of boxes that lie in the view. Boxes narrower than a pixel are drawn a pixel wide.
function gather(
  scene: Scene,
  paint: BoxPaint,
  tile: Tile,
  row: BoxRow,
  y: number,
  height: number,
): void {
  const { boxes } = tile;
  const { view, width, matches } = scene;
  const scale = width / Math.max(1e-9, view.to - view.from);
  const end = row.first + row.count;
  const lowest = y + height;
  // How far the last box of the row goes, and whether it is faded.
  let drawnTo = -Infinity;
  let isFadedThere = false;
  for (let ix = firstEndingAfter(boxes, row, view.from); ix < end; ix++) {
    const start = boxes.start[ix] ?? 0;
    if (start > view.to) break;
    const from = Math.max(-4, (start - view.from) * scale);
    const to = Math.min(width + 4, (start + (boxes.duration[ix] ?? 0) - view.from) * scale);
    const wide = Math.max(1, to - from - 0.6);
    const rank = boxes.rank[ix] ?? 0;
    const share = scene.isByCpu ? boxes.cpu?.[ix] : undefined;
    const colour = share === undefined ? scene.colourOf(rank) : cpuIndex(share);
    const flags = boxes.flags[ix] ?? 0;
    const isFaded = matches !== null && !matches.has(rank);
    // While the view is wider than what the boxes were cut for, several of them are of one pixel, which the first has.
    if (to <= drawnTo && (isFaded || !isFadedThere)) continue;
    drawnTo = from + wide;
    isFadedThere = isFaded;
    // A pixel that holds several methods shows the heaviest one, less high, as the old viewer did.
    const isMixed = (flags & BOX_MIXED) !== 0 && wide < 3;
    const top = isMixed ? y + Math.round(height * 0.28) : y;
    paint.add(colour, from, top, wide, lowest - top, isFaded);
    if ((flags & BOX_WAITING) !== 0 && wide >= 6) paint.hatched.push(from, y, wide, height);
    if ((flags & BOX_OMITS) !== 0 && wide >= 6) paint.omitting.push(from, y, wide, height);
    if (rank === scene.method && wide >= 3) paint.framed.push(from, y, wide, height);
    if (wide >= LABEL_FROM_PX)
      paint.labels.push({
        rank,
        colour,
        x: Math.max(0, from),
        y,
        width: to - Math.max(0, from),
        height,
        isFaded,
      });
  }
}

function gatherRow(
  scene: Scene,
  paint: BoxPaint,
  row: TimelineRow,
  y: number,
  bottom: number,
): void {
  if (!row.isUnfolded) {
    const tile = scene.tileOf({ kind: "folded", thread: row.thread.id });
    for (const slice of tile?.rows ?? [])
      if (tile !== null)
        gather(scene, paint, tile, slice, y + row.bandsHeight + FOLDED_BOX_TOP, FOLDED_BOX_HEIGHT);
    return;
  }
  const band = depthsInBand(row, scene.scrollTop, scene.scrollTop + bottom);
  if (band === null) return;
  for (const group of depthGroups(row.thread.id, band[0], band[1])) {
    const tile = scene.tileOf(group);
    for (const slice of tile?.rows ?? [])
      if (tile !== null && showsDepth(row, slice.depth))
        gather(scene, paint, tile, slice, y + depthY(row, slice.depth), DEPTH_BOX_HEIGHT);
  }
}

function paintRowLines(
  context: CanvasRenderingContext2D,
  scene: Scene,
  rows: readonly TimelineRow[],
): void {
  context.strokeStyle = scene.theme.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const row of rows) {
    const y = Math.round(RULER_HEIGHT + row.y + row.height - scene.scrollTop) - 0.5;
    context.moveTo(0, y);
    context.lineTo(scene.width, y);
  }
  context.stroke();
}

function paletteOf(scene: Scene): Palette {
  return scene.isByCpu ? scene.theme.cpu : scene.theme.palette;
}

export function drawTimeline(context: CanvasRenderingContext2D, scene: Scene): number {
  const { width, height, theme, view, zero = 0 } = scene;
  const ruled = { from: view.from - zero, to: view.to - zero };
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, height);
  paintGrid(context, ruled, width, height, theme);
  const bottom = height - RULER_HEIGHT;
  const [first, last] = visibleRows(scene.layout, scene.scrollTop, scene.scrollTop + bottom);
  const rows = scene.layout.rows.slice(first, last);
  paintRowLines(context, scene, rows);
  const palette = paletteOf(scene);
  const paint = new BoxPaint(palette.fills);
  for (const row of rows)
    gatherRow(scene, paint, row, RULER_HEIGHT + row.y - scene.scrollTop, bottom);
  paint.paint(context);
  paintHatch(context, paint.hatched, theme.hatch);
  paintOmissions(context, paint.omitting, theme.isDark ? theme.panel : theme.dim);
  paintFrames(context, paint.framed, theme.accent);
  paintLabels(context, paint.labels, scene.nameOf, theme, palette.inks, scene.widths);
  for (const row of rows) {
    paintLanes(context, scene, row);
    paintLead(context, scene, row);
    paintExtents(context, scene, row);
    paintCallOutline(context, scene, row);
  }
  paintRuler(context, ruled, width, theme);
  return paint.count;
}
