// Fetches tiles of the timeline: one request at a time for all rows in sight. Wishes that come
// meanwhile are gathered for the next request, and tiles at hand are not asked for again.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api/client";
import { Refused } from "../api/request";
import { spanOf, type Range } from "../base/time";
import type { BoxRow, WindowAnswer } from "../model/timeline/boxes";
import {
  bestTile,
  groupKey,
  groupParam,
  isServed,
  levelFor,
  tileRange,
  tileWidth,
  type RowGroup,
  type Tile,
} from "../model/timeline/tiles";
import { hideOf } from "./levels";
import { isAbort } from "./loader";

const TILES_PER_GROUP = 6;
const MAX_GROUPS = 500;

export interface Wanted {
  readonly view: Range;
  readonly width: number;
  readonly end: number;
  readonly groups: readonly RowGroup[];
  // Whether the CPU shares of the boxes are wanted.
  readonly hasCpu: boolean;
  // The packages whose calls take no level.
  readonly hide: string;
}

export interface TileCache {
  want(wanted: Wanted): void;
  // The tile to draw for a row group now; null when none is at hand.
  best(group: RowGroup, view: Range, width: number): Tile | null;
  clear(): void;
  readonly version: ReadonlySignal<number>;
  readonly isLoading: ReadonlySignal<boolean>;
}

export function createTiles(api: Api, report: (problem: unknown) => void): TileCache {
  const tiles = new Map<string, Tile[]>();
  const version = signal(0);
  const isLoading = signal(false);
  let running: { controller: AbortController; level: number; range: Range } | null = null;
  let latest: Wanted | null = null;

  const keep = (key: string, tile: Tile): void => {
    const list = (tiles.get(key) ?? []).filter(
      (old) => !(old.level === tile.level && within(old, tile)),
    );
    list.unshift(tile);
    tiles.delete(key);
    tiles.set(key, list.slice(0, TILES_PER_GROUP));
    for (const oldest of tiles.keys()) {
      if (tiles.size <= MAX_GROUPS) break;
      tiles.delete(oldest);
    }
  };

  const store = (
    answer: WindowAnswer,
    groups: readonly RowGroup[],
    range: Range,
    level: number,
  ): void => {
    for (const group of groups) {
      const rows = answer.rows.filter((row) => belongs(row, group));
      keep(groupKey(group), {
        ...range,
        level,
        isCoarse: answer.isCoarse,
        boxes: answer.boxes,
        rows,
      });
    }
    version.value += 1;
  };

  // A tile that the program made coarser and that spans much more than the view is asked for again,
  // for the view alone.
  const isGood = (group: RowGroup, view: Range, level: number, end: number): boolean => {
    const list = tiles.get(groupKey(group)) ?? [];
    const told = list.filter((tile) => tile.boxes.cpu !== null || latest?.hasCpu !== true);
    const fine = told.filter((tile) => !tile.isCoarse || spanOf(tile) <= spanOf(view) * 1.6);
    return isServed(fine, view, level, end);
  };

  const send = (): void => {
    if (latest === null || running !== null) return;
    const { view, width, end } = latest;
    const level = levelFor(view, width);
    const missing = latest.groups.filter((group) => !isGood(group, view, level, end));
    if (missing.length === 0) return;
    const isSecondTry = missing.some((group) =>
      isServed(tiles.get(groupKey(group)) ?? [], view, level, end),
    );
    const range = tileRange(view, end, isSecondTry ? 0.25 : 1);
    const extents = missing.find((group) => group.kind === "extents");
    const controller = new AbortController();
    const mine = { controller, level, range };
    running = mine;
    isLoading.value = true;
    const query = {
      from: range.from,
      to: range.to,
      width: tileWidth(range, level),
      rows: missing.map(groupParam).join(","),
      cpu: latest.hasCpu ? 1 : undefined,
      ...(extents?.kind === "extents" ? extents.of : {}),
      ...hideOf(latest.hide),
    };
    api
      .window(query, controller.signal)
      .then((answer) => running === mine && store(answer, missing, range, level))
      .catch((problem: unknown) => {
        if (isAbort(problem) || running !== mine) return;
        latest = null;
        // That the trace has no calls like those is told where they are counted, and by each table of them.
        const isNone =
          extents !== undefined && problem instanceof Refused && problem.status === 404;
        if (!isNone) report(problem);
      })
      .finally(() => {
        if (running !== mine) return;
        running = null;
        isLoading.value = false;
        send();
      });
  };

  const forget = (): void => {
    running?.controller.abort();
    running = null;
    isLoading.value = false;
    tiles.clear();
  };

  return {
    version,
    isLoading,
    want: (wanted) => {
      if (latest !== null && latest.hide !== wanted.hide) forget();
      latest = wanted;
      if (running !== null) {
        const level = levelFor(wanted.view, wanted.width);
        const isFar = Math.abs(running.level - level) > 1 || !touches(running.range, wanted.view);
        if (!isFar) return;
        running.controller.abort();
        running = null;
        isLoading.value = false;
      }
      send();
    },
    best: (group, view, width) =>
      bestTile(tiles.get(groupKey(group)) ?? [], view, levelFor(view, width)),
    clear: () => {
      forget();
      latest = null;
      version.value += 1;
    },
  };
}

function within(inner: Range, outer: Range): boolean {
  return inner.from >= outer.from && inner.to <= outer.to;
}

function touches(a: Range, b: Range): boolean {
  return a.from < b.to && b.from < a.to;
}

function belongs(row: BoxRow, group: RowGroup): boolean {
  if (row.thread !== group.thread) return false;
  switch (group.kind) {
    case "folded":
      return row.kind === "folded";
    case "extents":
      return row.kind === "extents";
    case "depths":
      return row.kind === "depth" && row.depth >= group.low && row.depth <= group.high;
  }
}
