// The vertical layout of the timeline: one band per thread, folded to a line or unfolded to a stack.

import { clamp } from "../../base/math";
import type { Band } from "./lanes";
import type { Process, Thread } from "../trace";

export const FOLDED_HEIGHT = 33;
export const FOLDED_BOX_TOP = 8;
export const FOLDED_BOX_HEIGHT = 16;
export const DEPTH_PITCH = 19;
export const DEPTH_BOX_HEIGHT = 18;
export const STACK_TOP = 4;
// Room for the thin extent lines under a row.
const EXTENT_ROOM = 16;
export const SHORT_STACK = 12;
// The line that stands for the levels that are the same all over the view.
export const LEAD_HEIGHT = 19;
// A lane above the stack, and the box in it.
const LANE_PITCH = 24;
export const LANE_BOX_HEIGHT = 18;
const LANES_TOP = 4;
// As many folded rows stay in sight below the first unfolded ones.
const FOLDED_IN_SIGHT = 3;
// The height of the line below the rows, which names threads without a row.
export const FOOT_HEIGHT = 26;

export interface TimelineRow {
  readonly thread: Thread;
  readonly isUnfolded: boolean;
  readonly isPinned: boolean;
  readonly y: number;
  readonly height: number;
  // The number of depths that show; 0 for a folded row.
  readonly depths: number;
  // The depths above them, which are one line.
  readonly lead: number;
  // The lanes above the stack, and the height of them all.
  readonly bands: readonly Band[];
  readonly bandsHeight: number;
}

interface RowChoices {
  readonly unfolded: ReadonlySet<number>;
  // Threads whose stack is shown to its full depth.
  readonly deep: ReadonlySet<number>;
  readonly pinned: ReadonlySet<number>;
  // The number of depths of a stack that does not show to its full depth.
  readonly short: number;
  // How many depths of each thread are one line.
  readonly leads: ReadonlyMap<number, number>;
  readonly bands: ReadonlyMap<number, readonly Band[]>;
}

export interface RowLayout {
  readonly rows: readonly TimelineRow[];
  readonly height: number;
}

// The number of depths of each unfolded row with which they and some of the folded rows fill the
// panel, but never fewer than a few.
export function shortStackFor(panelPx: number, threadCount: number, unfoldedCount: number): number {
  if (unfoldedCount === 0) return SHORT_STACK;
  const folded = clamp(threadCount - unfoldedCount, 0, FOLDED_IN_SIGHT) * FOLDED_HEIGHT;
  const room = (panelPx - folded) / unfoldedCount - STACK_TOP - EXTENT_ROOM;
  return Math.max(SHORT_STACK, Math.floor(room / DEPTH_PITCH));
}

function shownDepths(thread: Thread, choices: RowChoices): number {
  if (!choices.unfolded.has(thread.id)) return 0;
  const all = Math.max(1, thread.maxDepth - (choices.leads.get(thread.id) ?? 0));
  return choices.deep.has(thread.id) ? all : Math.min(all, choices.short);
}

// Where a lane begins, below the top of its row.
export function laneY(ix: number): number {
  return LANES_TOP + ix * LANE_PITCH;
}

// The lane at a height within a row.
export function bandAt(row: TimelineRow, y: number): Band | null {
  return row.bands[Math.floor((y - row.y - LANES_TOP) / LANE_PITCH)] ?? null;
}

// Where the box of a depth begins, below the top of its row.
export function depthY(row: Pick<TimelineRow, "lead" | "bandsHeight">, depth: number): number {
  return (
    row.bandsHeight +
    STACK_TOP +
    (row.lead > 0 ? LEAD_HEIGHT : 0) +
    (depth - row.lead) * DEPTH_PITCH
  );
}

export function showsDepth(row: TimelineRow, depth: number): boolean {
  return depth >= row.lead && depth < row.lead + row.depths;
}

// Whether a height within a row is on the line of the levels that are the same.
export function isOnLead(row: TimelineRow, y: number): boolean {
  const top = row.y + row.bandsHeight + STACK_TOP;
  return row.lead > 0 && y >= top && y < top + LEAD_HEIGHT;
}

export function layoutRows(threads: readonly Thread[], choices: RowChoices): RowLayout {
  const rows: TimelineRow[] = [];
  let y = 0;
  for (const thread of threads) {
    const depths = shownDepths(thread, choices);
    const isUnfolded = depths > 0;
    const lead = isUnfolded ? (choices.leads.get(thread.id) ?? 0) : 0;
    const isPinned = choices.pinned.has(thread.id);
    const bands = choices.bands.get(thread.id) ?? [];
    const bandsHeight = bands.length === 0 ? 0 : laneY(bands.length);
    const row = { thread, isUnfolded, isPinned, y, height: 0, depths, lead, bands, bandsHeight };
    const height = isUnfolded
      ? depthY(row, lead + depths) + EXTENT_ROOM
      : bandsHeight + FOLDED_HEIGHT;
    rows.push({ ...row, height });
    y += height;
  }
  return { rows, height: y };
}

// The rows that touch the band from `top` to `bottom`, as indexes [first, last).
export function visibleRows(layout: RowLayout, top: number, bottom: number): [number, number] {
  const { rows } = layout;
  let first = 0;
  let high = rows.length;
  while (first < high) {
    const middle = (first + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && row.y + row.height <= top) first = middle + 1;
    else high = middle;
  }
  let last = first;
  while (last < rows.length && (rows[last]?.y ?? Infinity) < bottom) last += 1;
  return [first, last];
}

export function rowAt(layout: RowLayout, y: number): TimelineRow | null {
  const [first] = visibleRows(layout, y, y + 1);
  const row = layout.rows[first];
  return row !== undefined && y >= row.y && y < row.y + row.height ? row : null;
}

// The place that a thread's row takes when it is dragged to a height; null: it stays. A row gives way once the pointer is past its
// middle, so that a low row does not come back over a high one by the next step.
export function placeAt(layout: RowLayout, thread: number, y: number): number | null {
  const over = rowAt(layout, y);
  if (over === null || over.thread.id === thread) return null;
  const to = layout.rows.indexOf(over);
  const isUp = to < layout.rows.findIndex((row) => row.thread.id === thread);
  const middle = over.y + over.height / 2;
  return (isUp ? y < middle : y >= middle) ? to : null;
}

function levelAt(row: TimelineRow, y: number): number {
  return row.lead + Math.floor((y - row.y - depthY(row, row.lead)) / DEPTH_PITCH);
}

// The depth at a height within an unfolded row; null above and below its stack, where the extents
// are.
export function depthAt(row: TimelineRow, y: number): number | null {
  const depth = levelAt(row, y);
  return showsDepth(row, depth) ? depth : null;
}

// The depths of a row that show in the band from `top` to `bottom` (inclusive), or null.
export function depthsInBand(
  row: TimelineRow,
  top: number,
  bottom: number,
): [number, number] | null {
  if (row.depths === 0) return null;
  const last = row.lead + row.depths - 1;
  const low = levelAt(row, top);
  const high = levelAt(row, bottom);
  if (high < row.lead || low > last) return null;
  return [clamp(low, row.lead, last), clamp(high, row.lead, last)];
}

// The scroll position at which a depth of a thread's row shows, with some of its surroundings; null
// when it shows already or the thread has no row.
export function scrollToShow(
  layout: RowLayout,
  thread: number,
  depth: number,
  top: number,
  height: number,
): number | null {
  const row = layout.rows.find((candidate) => candidate.thread.id === thread);
  if (row === undefined) return null;
  const from = row.isUnfolded ? row.y + depthY(row, depth) : row.y;
  const to = row.isUnfolded ? from + DEPTH_PITCH : row.y + row.height;
  if (from >= top && to <= top + height) return null;
  const air = Math.max(0, Math.min(height / 3, height - (to - from)));
  return Math.max(0, from < top ? from - air : to - height + air);
}

// The order of rows after `thread` was moved to place `to`. It ends with the last thread that was
// ever moved, so that a link carries no more ids than it needs.
export function movedOrder(
  ids: readonly number[],
  known: number,
  thread: number,
  to: number,
): number[] {
  const from = ids.indexOf(thread);
  if (from < 0 || to < 0 || to >= ids.length) return ids.slice(0, known);
  const next = ids.filter((id) => id !== thread);
  next.splice(to, 0, thread);
  return next.slice(0, Math.max(known, from + 1, to + 1));
}

// Busiest first; pinned threads before all others; threads without records last. The threads of a
// process stand together, those of the process with the busiest thread first.
export function orderThreads(
  threads: readonly Thread[],
  busy: (thread: Thread) => number,
  pinned: ReadonlySet<number>,
  order: readonly number[],
  isMainFirst: boolean,
): Thread[] {
  const place = new Map(order.map((id, ix) => [id, ix]));
  const group = (thread: Thread): number => {
    if (pinned.has(thread.id)) return 0;
    if (thread.records === 0) return 4;
    if (place.has(thread.id)) return 2;
    return isMainFirst && thread.name === "main" && thread.process === undefined ? 1 : 3;
  };
  const busiest = new Map<Process | undefined, number>();
  for (const thread of threads)
    busiest.set(thread.process, Math.max(busiest.get(thread.process) ?? 0, busy(thread)));
  const isSecond = (thread: Thread): number => (isMainFirst && thread.name !== "main" ? 1 : 0);
  const byProcess = (a: Thread, b: Thread): number =>
    a.process === b.process
      ? a.process === undefined
        ? 0
        : isSecond(a) - isSecond(b)
      : (busiest.get(b.process) ?? 0) - (busiest.get(a.process) ?? 0) ||
        (a.process?.id ?? 0) - (b.process?.id ?? 0);
  return [...threads].sort(
    (a, b) =>
      group(a) - group(b) ||
      (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0) ||
      byProcess(a, b) ||
      busy(b) - busy(a) ||
      a.id - b.id,
  );
}
