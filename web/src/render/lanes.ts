// Draws the lanes above a thread's stack. What is over the budget has another colour, a bar on top of
// it, and is wide enough to be seen.

import { formatDuration } from "../base/format";
import { fitName, nameForms } from "../model/names";
import { isOver, itemsIn, type LaneItem } from "../model/timeline/lanes";
import { LANE_BOX_HEIGHT, laneY, type TimelineRow } from "../model/timeline/rows";
import { LABEL_FROM_PX } from "./labels";
import { RULER_HEIGHT } from "./ruler";
import type { Scene } from "./scene";

const PAD = 5;
const OVER_LEAST_PX = 2;
const BAR_PX = 2;

// What a box says, from the longest to the shortest way.
function labelsOf(item: LaneItem): readonly string[] {
  const time = formatDuration(item.end - item.start);
  if (item.kind === "frames") return [time];
  const names =
    item.kind === "phases" ? [item.name] : item.method === null ? [] : nameForms(item.method);
  return [...names.map((name) => `${name} ${time}`), ...names];
}

function paintItem(
  context: CanvasRenderingContext2D,
  scene: Scene,
  item: LaneItem,
  y: number,
): void {
  const { view, width, theme, widths } = scene;
  const scale = width / Math.max(1e-9, view.to - view.from);
  const isLate = isOver(item, scene.budget);
  const from = Math.max(-4, (item.start - view.from) * scale);
  const to = Math.min(width + 4, (item.end - view.from) * scale);
  const wide = Math.max(isLate ? OVER_LEAST_PX : 1, to - from - 0.6);
  context.fillStyle = isLate
    ? theme.lateFill
    : item.kind === "phases"
      ? theme.selection
      : theme.line;
  context.fillRect(from, y, wide, LANE_BOX_HEIGHT);
  if (isLate || item.kind === "phases") {
    context.fillStyle = isLate ? theme.late : theme.accent;
    context.fillRect(from, y, wide, BAR_PX);
  }
  const left = Math.max(0, from);
  if (to - left < LABEL_FROM_PX) return;
  const text = fitName(labelsOf(item), to - left - 2 * PAD, (form) => widths.of(context, form));
  context.fillStyle = isLate ? theme.late : theme.ink;
  context.fillText(text, left + PAD, y + LANE_BOX_HEIGHT / 2 + 1);
}

export function paintLanes(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TimelineRow,
): void {
  if (row.bands.length === 0) return;
  context.font = scene.theme.font;
  context.textBaseline = "middle";
  row.bands.forEach((band, ix) => {
    const y = RULER_HEIGHT + row.y - scene.scrollTop + laneY(ix);
    if (y > scene.height || y + LANE_BOX_HEIGHT < RULER_HEIGHT) return;
    for (const item of itemsIn(band, scene.view)) paintItem(context, scene, item, y);
  });
  context.textBaseline = "alphabetic";
}
