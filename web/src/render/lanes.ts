// Draws the lanes above a thread's stack. What is over the budget has another colour, a bar on top of
// it, and is wide enough to be seen.

import { fitName } from "../model/names";
import { isOver, itemsIn, laneForms, type LaneItem } from "../model/timeline/lanes";
import { LANE_BOX_HEIGHT, laneY, type TimelineRow } from "../model/timeline/rows";
import { LABEL_FROM_PX } from "./labels";
import { RULER_HEIGHT } from "./ruler";
import type { Scene } from "./scene";

const PAD = 5;
const OVER_LEAST_PX = 2;
const BAR_PX = 2;

function paintBox(
  context: CanvasRenderingContext2D,
  { theme }: Scene,
  item: LaneItem,
  isLate: boolean,
  [x, y, wide]: readonly [number, number, number],
): void {
  context.fillStyle = isLate
    ? theme.lateFill
    : item.kind === "phases"
      ? theme.selection
      : theme.line;
  context.fillRect(x, y, wide, LANE_BOX_HEIGHT);
  if (!isLate && item.kind !== "phases") return;
  context.fillStyle = isLate ? theme.late : theme.accent;
  context.fillRect(x, y, wide, BAR_PX);
}

// Draws the items of a band. A phase that has another within it is named before that one, or by it.
function paintBand(
  context: CanvasRenderingContext2D,
  scene: Scene,
  items: readonly LaneItem[],
  y: number,
): void {
  const { view, width, theme, widths } = scene;
  const scale = width / Math.max(1e-9, view.to - view.from);
  let outer = "";
  items.forEach((item, ix) => {
    const isLate = isOver(item, scene.budget);
    const from = Math.max(-4, (item.start - view.from) * scale);
    const to = Math.min(width + 4, (item.end - view.from) * scale);
    const wide = Math.max(isLate ? OVER_LEAST_PX : 1, to - from - 0.6);
    paintBox(context, scene, item, isLate, [from, y, wide]);
    const next = items[ix + 1];
    const end = next === undefined ? to : Math.min(to, (next.start - view.from) * scale);
    const left = Math.max(0, from);
    const before = outer;
    outer = "";
    if (end - left < LABEL_FROM_PX) {
      if (next !== undefined && next.start < item.end && to - left >= LABEL_FROM_PX)
        outer = before === "" ? item.name : `${before} › ${item.name}`;
      return;
    }
    const room = end - left - 2 * PAD;
    const text = fitName(laneForms(item, before), room, (form) => widths.of(context, form));
    context.fillStyle = isLate ? theme.late : theme.ink;
    context.fillText(text, left + PAD, y + LANE_BOX_HEIGHT / 2 + 1);
  });
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
    paintBand(context, scene, itemsIn(band, scene.view), y);
  });
  context.textBaseline = "alphabetic";
}
