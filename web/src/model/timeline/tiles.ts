// Which tiles of the timeline to ask for, and which of those at hand to draw. A tile holds the
// boxes of one row group (a folded row, a block of depths, or extents) over three viewports at one
// resolution: 2^level nanoseconds a pixel. Panning within a tile needs no request, and zooming
// needs one for each factor of two.

import { spanOf, type Range } from "../../base/time";
import type { BoxRow, Boxes } from "./boxes";

export interface Tile extends Range {
  readonly level: number;
  readonly isCoarse: boolean;
  readonly boxes: Boxes;
  readonly rows: readonly BoxRow[];
}

// Depths are asked for in blocks, so that scrolling through a deep stack asks only for what shows.
export const DEPTH_BLOCK = 16;

// The widest answer that the program gives, in pixels.
const MAX_WIDTH = 32768;

export type RowGroup =
  | { readonly kind: "folded"; readonly thread: number }
  | {
      readonly kind: "depths";
      readonly thread: number;
      readonly low: number;
      readonly high: number;
    }
  | Extents;

// Where calls are: those of the lens, as the program's routes take it, else those of a method.
interface Extents {
  readonly kind: "extents";
  readonly thread: number;
  readonly of: { readonly extents: number } | { readonly calls: string };
}

// Null: nothing is selected.
export function extentsOf(thread: number, method: number | null, calls: string): Extents | null {
  if (calls !== "") return { kind: "extents", thread, of: { calls } };
  return method === null ? null : { kind: "extents", thread, of: { extents: method } };
}

export function groupKey(group: RowGroup): string {
  switch (group.kind) {
    case "folded":
      return `${group.thread}:f`;
    case "depths":
      return `${group.thread}:${group.low}-${group.high}`;
    case "extents":
      return `${group.thread}:x${"calls" in group.of ? group.of.calls : group.of.extents}`;
  }
}

// The row group as a `window` request writes it.
export function groupParam(group: RowGroup): string {
  return group.kind === "extents" ? `${group.thread}:x` : groupKey(group);
}

// The coarsest resolution whose pixels are no coarser than those of the screen.
export function levelFor(view: Range, widthPx: number): number {
  const pixel = spanOf(view) / Math.max(1, widthPx);
  return Math.max(-3, Math.floor(Math.log2(pixel) + 1e-9));
}

export function pixelOf(level: number): number {
  return 2 ** level;
}

// Three viewports around the view, cut at the trace's ends, in whole nanoseconds.
export function tileRange(view: Range, end: number, margin = 1): Range {
  const span = spanOf(view);
  const from = Math.floor(Math.max(0, view.from - span * margin));
  const to = Math.ceil(Math.min(Math.max(end, 1), view.to + span * margin));
  return { from, to: Math.max(to, from + 1) };
}

export function tileWidth(range: Range, level: number): number {
  return Math.min(MAX_WIDTH, Math.max(1, Math.round(spanOf(range) / pixelOf(level))));
}

function covers(tile: Range, view: Range, end: number): boolean {
  return tile.from <= Math.max(0, view.from) && tile.to >= Math.min(view.to, Math.max(end, 1));
}

// Whether one of the tiles at hand is of this level and covers the view.
export function isServed(tiles: readonly Tile[], view: Range, level: number, end: number): boolean {
  return tiles.some((tile) => tile.level === level && covers(tile, view, end));
}

// The tile to draw: one of the right level that covers the view; else the tile that shows most of
// the view, and among equals the one of the nearest level, a finer one before a coarser.
export function bestTile(tiles: readonly Tile[], view: Range, level: number): Tile | null {
  let best: Tile | null = null;
  let bestScore = 0;
  for (const tile of tiles) {
    const overlap = Math.min(tile.to, view.to) - Math.max(tile.from, view.from);
    if (overlap <= 0) continue;
    const share = overlap / Math.max(1e-9, spanOf(view));
    const distance = tile.level > level ? tile.level - level + 0.5 : level - tile.level;
    const coarse = tile.isCoarse ? 0.25 : 0;
    const score = share / (1 + 0.2 * (distance + coarse));
    if (score > bestScore) {
      best = tile;
      bestScore = score;
    }
  }
  return best;
}

// The blocks of depths that lie in low..high (inclusive), as groups.
export function depthGroups(thread: number, low: number, high: number): RowGroup[] {
  const groups: RowGroup[] = [];
  const first = Math.floor(Math.max(0, low) / DEPTH_BLOCK);
  const last = Math.floor(Math.max(0, high) / DEPTH_BLOCK);
  for (let block = first; block <= last; block++) {
    const start = block * DEPTH_BLOCK;
    groups.push({ kind: "depths", thread, low: start, high: start + DEPTH_BLOCK - 1 });
  }
  return groups;
}
