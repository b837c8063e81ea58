// The levels of a stack that are the same all over the view: where each of them holds one call and
// no other, nothing is learned from them, so the timeline begins below them. Before the first and
// behind the last record of a thread nothing is known of it: what lasts as long as its outermost
// call is the same all over the view.

import { spanOf, type Range } from "../../base/time";
import { BOX_MIXED, firstEndingAfter, type BoxRow } from "./boxes";
import { depthGroups, type RowGroup, type Tile } from "./tiles";

// A single level is as high as the line that would stand for it.
const FEWEST = 2;
// Where the stack never branches in the view, its innermost levels stay.
const KEPT = 3;
const MOST = 256;
// Of a thread that ran for less of the view, its outermost call tells where it did.
const LEAST_SHARE = 0.5;

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

// The one call that a level has in the view, as far as it is in it.
interface Only extends Range {
  readonly rank: number;
}

// What a level has in the view: no call, one call, or several. What ends or begins within half a
// pixel of the view's ends is not in it.
function onlyCall({ tile, row }: Level, view: Range, pixel: number): Only | "none" | "several" {
  if (row === null) return "none";
  const { boxes } = tile;
  const end = row.first + row.count;
  const ix = firstEndingAfter(boxes, row, view.from + pixel / 2);
  const isIn = (at: number): boolean =>
    at < end && (boxes.start[at] ?? Infinity) < view.to - pixel / 2;
  if (!isIn(ix)) return "none";
  if (isIn(ix + 1) || (boxes.count[ix] ?? 0) > 1 || ((boxes.flags[ix] ?? 0) & BOX_MIXED) !== 0)
    return "several";
  const start = boxes.start[ix] ?? 0;
  return {
    from: Math.max(view.from, start),
    to: Math.min(view.to, start + (boxes.duration[ix] ?? 0)),
    rank: boxes.rank[ix] ?? 0,
  };
}

interface Lead {
  readonly depths: number;
  // Whether deeper levels are known: else there may be more that are the same.
  readonly isKnown: boolean;
}

const pixelOf = (view: Range, width: number): number => spanOf(view) / Math.max(1, width);

// Whether a call begins and ends with the outermost one, or less than a pixel beside it.
function isAllOver(call: Range, outermost: Range, pixel: number): boolean {
  return call.from - outermost.from < pixel && outermost.to - call.to < pixel;
}

// How many levels of a thread are the same all over the view; null while its boxes are not there.
export function leadOf(
  tileOf: TileOf,
  thread: number,
  maxDepth: number,
  view: Range,
  width: number,
): Lead | null {
  const pixel = pixelOf(view, width);
  const known = (depths: number): Lead => ({ depths: depths < FEWEST ? 0 : depths, isKnown: true });
  let outermost: Range | null = null;
  for (let depth = 0; depth < Math.min(maxDepth, MOST); depth++) {
    const level = levelOf(tileOf, thread, depth, view);
    if (level === null) return depth === 0 ? null : { depths: depth, isKnown: false };
    const only = onlyCall(level, view, pixel);
    if (only === "several") return known(depth);
    if (only === "none") return known(Math.max(0, depth - KEPT));
    outermost ??= only;
    if (spanOf(outermost) < LEAST_SHARE * spanOf(view) || !isAllOver(only, outermost, pixel))
      return known(depth);
  }
  return known(Math.max(0, Math.min(maxDepth, MOST) - KEPT));
}

interface LeadLine {
  // The methods of the levels that are the same, from the outermost.
  readonly ranks: readonly number[];
  // Where their calls run; null while no box is there.
  readonly range: Range | null;
}

// The line that stands for the first `depths` levels.
export function leadLine(
  tileOf: TileOf,
  thread: number,
  depths: number,
  view: Range,
  width: number,
): LeadLine {
  const ranks: number[] = [];
  let range: Range | null = null;
  for (let depth = 0; depth < depths; depth++) {
    const level = levelOf(tileOf, thread, depth, view);
    const only = level === null ? "none" : onlyCall(level, view, pixelOf(view, width));
    if (typeof only === "string") continue;
    ranks.push(only.rank);
    range ??= only;
  }
  return { ranks, range };
}
