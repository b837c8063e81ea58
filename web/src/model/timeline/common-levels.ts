// The levels of a stack that are the same all over the view: where each of them holds one call and
// no other, nothing is learned from them, so the timeline begins below them.

import { spanOf, type Range } from "../../base/time";
import { BOX_MIXED, firstEndingAfter, type BoxRow } from "./boxes";
import { depthGroups, type RowGroup, type Tile } from "./tiles";

// A single level is as high as the line that would stand for it.
const FEWEST = 2;
// Where the stack never branches in the view, its innermost levels stay.
const KEPT = 3;
const MOST = 256;

type TileOf = (group: RowGroup) => Tile | null;

interface Level {
  readonly tile: Tile;
  readonly row: BoxRow | null;
}

function levelOf(tileOf: TileOf, thread: number, depth: number, view: Range): Level | null {
  const [group] = depthGroups(thread, depth, depth);
  const tile = group === undefined ? null : tileOf(group);
  if (tile === null || tile.from > Math.max(0, view.from) || tile.to < view.to) return null;
  return { tile, row: tile.rows.find((row) => row.depth === depth && row.count > 0) ?? null };
}

// What a level has in the view: no call, one call (as the index of its box), or several. What ends
// or begins within half a pixel of the view's ends is not in it.
function onlyBox({ tile, row }: Level, view: Range, pixel: number): number | "none" | "several" {
  if (row === null) return "none";
  const { boxes } = tile;
  const end = row.first + row.count;
  const ix = firstEndingAfter(boxes, row, view.from + pixel / 2);
  const isIn = (at: number): boolean =>
    at < end && (boxes.start[at] ?? Infinity) < view.to - pixel / 2;
  if (!isIn(ix)) return "none";
  if (isIn(ix + 1) || (boxes.count[ix] ?? 0) > 1 || ((boxes.flags[ix] ?? 0) & BOX_MIXED) !== 0)
    return "several";
  return ix;
}

interface Lead {
  readonly depths: number;
  // Whether deeper levels are known: else there may be more that are the same.
  readonly isKnown: boolean;
}

// How many levels of a thread are the same all over the view; null while its boxes are not there.
export function leadOf(
  tileOf: TileOf,
  thread: number,
  maxDepth: number,
  view: Range,
  width: number,
): Lead | null {
  const pixel = spanOf(view) / Math.max(1, width);
  const known = (depths: number): Lead => ({ depths: depths < FEWEST ? 0 : depths, isKnown: true });
  for (let depth = 0; depth < Math.min(maxDepth, MOST); depth++) {
    const level = levelOf(tileOf, thread, depth, view);
    if (level === null) return depth === 0 ? null : { depths: depth, isKnown: false };
    const only = onlyBox(level, view, pixel);
    if (only === "several") return known(depth);
    if (only === "none") return known(Math.max(0, depth - KEPT));
  }
  return known(Math.max(0, Math.min(maxDepth, MOST) - KEPT));
}

// The methods of the levels that are the same, from the outermost.
export function leadRanks(
  tileOf: TileOf,
  thread: number,
  depths: number,
  view: Range,
): readonly number[] {
  const ranks: number[] = [];
  for (let depth = 0; depth < depths; depth++) {
    const level = levelOf(tileOf, thread, depth, view);
    if (level === null || level.row === null) continue;
    const ix = firstEndingAfter(level.tile.boxes, level.row, view.from);
    const rank = level.tile.boxes.rank[ix];
    if (rank !== undefined && ix < level.row.first + level.row.count) ranks.push(rank);
  }
  return ranks;
}
