// Boxes of the timeline as the program packs them: columns, and rows that are slices of them.

export const BOX_MIXED = 1;
export const BOX_WAITING = 2;
export const BOX_OPEN_AT_END = 4;
export const BOX_ADOPTED = 8;
// Calls that the call made are hidden.
export const BOX_OMITS = 16;

// A column of whole numbers, as wide as its largest number needs.
export type Numbers = Uint8Array | Uint16Array | Uint32Array;

// Start and duration are exact to a small part of a pixel; the route `call` tells the exact times
// of one call.
export interface Boxes {
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly rank: Numbers;
  readonly count: Numbers;
  readonly depth: Numbers;
  readonly call: Numbers;
  readonly flags: Uint8Array;
  // CPU time of the longest call by its wall time, 0 to 254; 255 where a clock is
  // missing. Null when it was not asked for.
  readonly cpu: Uint8Array | null;
}

export type BoxRowKind = "folded" | "depth" | "extents";

export interface BoxRow {
  readonly thread: number;
  readonly kind: BoxRowKind;
  readonly depth: number;
  readonly first: number;
  readonly count: number;
}

export interface WindowAnswer {
  readonly isCoarse: boolean;
  readonly from: number;
  readonly to: number;
  readonly rows: readonly BoxRow[];
  readonly boxes: Boxes;
}

// One box, taken out of its columns.
export interface Box {
  readonly start: number;
  readonly duration: number;
  readonly rank: number;
  readonly count: number;
  readonly depth: number;
  readonly call: number;
  readonly flags: number;
}

export function boxAt(boxes: Boxes, ix: number): Box {
  return {
    start: boxes.start[ix] ?? 0,
    duration: boxes.duration[ix] ?? 0,
    rank: boxes.rank[ix] ?? 0,
    count: boxes.count[ix] ?? 0,
    depth: boxes.depth[ix] ?? 0,
    call: boxes.call[ix] ?? 0,
    flags: boxes.flags[ix] ?? 0,
  };
}

// The first box of a row that ends after `time`. Boxes of a row follow each other by start, and
// their ends do too, since on one row at most one call is open.
export function firstEndingAfter(boxes: Boxes, row: BoxRow, time: number): number {
  let low = row.first;
  let high = row.first + row.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boxes.start[middle] ?? 0) + (boxes.duration[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The box of a row at `time`, or the nearest one within `reach`: calls of no length could not be
// hit otherwise.
export function findBox(boxes: Boxes, row: BoxRow, time: number, reach: number): number | null {
  const end = row.first + row.count;
  let best: number | null = null;
  let bestGap = Infinity;
  for (let ix = firstEndingAfter(boxes, row, time - reach); ix < end; ix++) {
    const start = boxes.start[ix] ?? 0;
    if (start > time + reach) break;
    const stop = start + (boxes.duration[ix] ?? 0);
    const gap = time < start ? start - time : time > stop ? time - stop : -1;
    if (gap < bestGap) {
      best = ix;
      bestGap = gap;
    }
    if (gap < 0) break;
  }
  return best;
}
