// Which box or mark lies under a point of the timeline's canvas.

import { boxAt, findBox } from "../../model/timeline/boxes";
import { flagAt, flagsIn } from "../../model/timeline/marks";
import { itemAt } from "../../model/timeline/lanes";
import { bandAt, depthAt, isOnLead, rowAt, type TimelineRow } from "../../model/timeline/rows";
import { DEPTH_BLOCK, type RowGroup } from "../../model/timeline/tiles";
import { RULER_HEIGHT, timeOf } from "../../render/ruler";
import type { Store } from "../../state/store";
import type { Hover, TimelineState } from "../../state/timeline";

const REACH_PX = 3;

// The box under a point of the canvas.
export function hitBox(store: Store, state: TimelineState, x: number, y: number): Hover {
  const { width } = state.size.peek();
  const view = store.view.peek();
  const contentY = y - RULER_HEIGHT + state.scrollTop.peek();
  if (y < RULER_HEIGHT) {
    const mark = flagAt(flagsIn(store.marks.peek(), view, width), x);
    return { x, y, row: null, box: null, mark, isOnLead: false, item: null };
  }
  const row = rowAt(store.rows.peek(), contentY);
  const onLead = row !== null && isOnLead(row, contentY);
  const reach = (REACH_PX / Math.max(1, width)) * (view.to - view.from);
  const time = timeOf(x, view, width);
  const band = row === null ? null : bandAt(row, contentY);
  const item = band === null ? null : itemAt(band, time, reach);
  const nothing: Hover = { x, y, row, box: null, mark: null, isOnLead: onLead, item };
  if (row !== null && contentY < row.y + row.bandsHeight) return nothing;
  const depth = row?.isUnfolded === true ? depthAt(row, contentY) : null;
  if (row === null || (row.isUnfolded && depth === null)) return nothing;
  const group = groupFor(row, depth);
  const tile = store.tiles.best(group, view, width);
  const slice = tile?.rows.find((candidate) => depth === null || candidate.depth === depth);
  if (tile === null || slice === undefined) return nothing;
  const ix = findBox(tile.boxes, slice, time, reach);
  return { ...nothing, box: ix === null ? null : boxAt(tile.boxes, ix) };
}

function groupFor(row: TimelineRow, depth: number | null): RowGroup {
  const thread = row.thread.id;
  if (depth === null) return { kind: "folded", thread };
  const low = Math.floor(depth / DEPTH_BLOCK) * DEPTH_BLOCK;
  return { kind: "depths", thread, low, high: low + DEPTH_BLOCK - 1 };
}
