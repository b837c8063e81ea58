// What the timeline's parts share while the mouse moves: sizes, scroll, hover and the drag under way.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { boxAt, findBox, type Box } from "../model/boxes";
import { depthAt, rowAt, type TimelineRow } from "../model/rows";
import { DEPTH_BLOCK, type RowGroup } from "../model/tiles";
import { RULER_HEIGHT, timeOf } from "../render/ruler";
import type { Store } from "../state/store";
import type { Size } from "./use-size";

export interface Hover {
  readonly x: number;
  readonly y: number;
  readonly row: TimelineRow | null;
  readonly box: Box | null;
}

export interface TimelineState {
  readonly size: ReadonlySignal<Size>;
  readonly scrollTop: Signal<number>;
  readonly hover: Signal<Hover | null>;
  readonly isDragging: Signal<boolean>;
}

export function createTimelineState(size: ReadonlySignal<Size>): TimelineState {
  return { size, scrollTop: signal(0), hover: signal(null), isDragging: signal(false) };
}

const REACH_PX = 3;

// The box under a point of the canvas.
export function hitBox(store: Store, state: TimelineState, x: number, y: number): Hover {
  const { width } = state.size.peek();
  const view = store.view.peek();
  const contentY = y - RULER_HEIGHT + state.scrollTop.peek();
  const row = y < RULER_HEIGHT ? null : rowAt(store.rows.peek(), contentY);
  if (row === null) return { x, y, row: null, box: null };
  const depth = row.isUnfolded ? depthAt(row, contentY) : null;
  if (row.isUnfolded && depth === null) return { x, y, row, box: null };
  const group = groupFor(row, depth);
  const tile = store.tiles.best(group, view, width);
  const slice = tile?.rows.find((candidate) => depth === null || candidate.depth === depth);
  if (tile === null || slice === undefined) return { x, y, row, box: null };
  const reach = (REACH_PX / Math.max(1, width)) * (view.to - view.from);
  const ix = findBox(tile.boxes, slice, timeOf(x, view, width), reach);
  return { x, y, row, box: ix === null ? null : boxAt(tile.boxes, ix) };
}

function groupFor(row: TimelineRow, depth: number | null): RowGroup {
  const thread = row.thread.id;
  if (depth === null) return { kind: "folded", thread };
  const low = Math.floor(depth / DEPTH_BLOCK) * DEPTH_BLOCK;
  return { kind: "depths", thread, low, high: low + DEPTH_BLOCK - 1 };
}
