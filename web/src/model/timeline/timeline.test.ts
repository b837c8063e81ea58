import assert from "node:assert/strict";
import test from "node:test";
import type { Band } from "./lanes";
import { boxAt, findBox, firstEndingAfter, type BoxRow, type Boxes } from "./boxes";
import {
  DEPTH_PITCH,
  FOLDED_HEIGHT,
  SHORT_STACK,
  STACK_TOP,
  depthAt,
  depthsInBand,
  layoutRows,
  movedOrder,
  orderThreads,
  placeAt,
  rowAt,
  scrollToShow,
  shortStackFor,
  visibleRows,
  type RowLayout,
} from "./rows";
import {
  bestTile,
  depthGroups,
  groupKey,
  groupParam,
  isServed,
  levelFor,
  pixelOf,
  tileRange,
  tileWidth,
  type Tile,
} from "./tiles";
import type { Thread } from "../trace";

function thread(id: number, wall: number, more: Partial<Thread> = {}): Thread {
  return {
    id,
    name: `t${id}`,
    records: 10,
    calls: 5,
    maxDepth: 3,
    times: { wall },
    first: 0,
    last: wall,
    ...more,
  };
}

function boxesOf(...spans: [number, number][]): { boxes: Boxes; row: BoxRow } {
  const count = spans.length;
  const boxes = {
    start: Float64Array.from(spans, ([start]) => start),
    duration: Float64Array.from(spans, ([, duration]) => duration),
    rank: new Uint32Array(count),
    count: new Uint32Array(count).fill(1),
    depth: new Uint32Array(count),
    call: Uint32Array.from(spans, (_, ix) => ix),
    flags: new Uint8Array(count),
    cpu: null,
  };
  return { boxes, row: { thread: 1, kind: "depth", depth: 0, first: 0, count } };
}

test("a box is found by the time inside it", () => {
  const { boxes, row } = boxesOf([0, 10], [20, 10], [40, 10]);
  assert.equal(findBox(boxes, row, 25, 0), 1);
  assert.equal(findBox(boxes, row, 15, 0), null);
  assert.equal(boxAt(boxes, 1).start, 20);
});

test("a call of no length is found within reach", () => {
  const { boxes, row } = boxesOf([0, 10], [20, 0], [30, 10]);
  assert.equal(findBox(boxes, row, 21, 2), 1);
  assert.equal(findBox(boxes, row, 25, 2), null);
});

test("the nearest of two is taken", () => {
  const { boxes, row } = boxesOf([0, 10], [14, 1]);
  assert.equal(findBox(boxes, row, 13, 5), 1);
});

test("drawing begins with the first box that still shows", () => {
  const { boxes, row } = boxesOf([0, 10], [20, 10], [40, 10]);
  assert.equal(firstEndingAfter(boxes, row, 30), 1);
  assert.equal(firstEndingAfter(boxes, row, 31), 2);
  assert.equal(firstEndingAfter(boxes, row, 99), 3);
});

const NONE = {
  unfolded: new Set<number>(),
  deep: new Set<number>(),
  pinned: new Set<number>(),
  short: SHORT_STACK,
  leads: new Map<number, number>(),
  bands: new Map<number, readonly Band[]>(),
};

test("folded rows have one height, unfolded ones a line per depth", () => {
  const layout = layoutRows([thread(1, 9), thread(2, 5)], { ...NONE, unfolded: new Set([1]) });
  assert.equal(layout.rows[0]?.depths, 3);
  assert.ok((layout.rows[0]?.height ?? 0) > 3 * DEPTH_PITCH);
  assert.equal(layout.rows[1]?.height, FOLDED_HEIGHT);
  assert.equal(layout.height, (layout.rows[1]?.y ?? 0) + FOLDED_HEIGHT);
});

test("a deep stack is short until it is asked for", () => {
  const deep = thread(1, 9, { maxDepth: 1_000_000 });
  assert.equal(
    layoutRows([deep], { ...NONE, unfolded: new Set([1]) }).rows[0]?.depths,
    SHORT_STACK,
  );
  assert.equal(
    layoutRows([deep], { ...NONE, unfolded: new Set([1]), deep: new Set([1]) }).rows[0]?.depths,
    1_000_000,
  );
});

test("a stack grows with the panel", () => {
  assert.equal(shortStackFor(200, 5, 1), SHORT_STACK);
  assert.equal(shortStackFor(33 + 20 + 19 * 30, 2, 1), 30);
  assert.equal(shortStackFor(3 * 33 + 20 + 19 * 20, 60, 1), 20, "few of the folded rows need room");
  assert.equal(shortStackFor(900, 5, 0), SHORT_STACK);
});

test("rows and depths are found by place", () => {
  const layout = layoutRows([thread(1, 9), thread(2, 5)], { ...NONE, unfolded: new Set([1]) });
  const first = layout.rows[0];
  assert.ok(first !== undefined);
  assert.equal(rowAt(layout, 1)?.thread.id, 1);
  assert.equal(rowAt(layout, first.height + 1)?.thread.id, 2);
  assert.equal(rowAt(layout, layout.height + 1), null);
  assert.equal(depthAt(first, STACK_TOP + DEPTH_PITCH + 1), 1);
  assert.equal(depthAt(first, 0), null);
  assert.deepEqual(depthsInBand(first, 0, 10_000), [0, 2]);
});

test("of 10,000 rows only those in sight are visited", () => {
  const many = Array.from({ length: 10_000 }, (_, ix) => thread(ix, 1));
  const [first, last] = visibleRows(layoutRows(many, NONE), 3300, 3300 + 330);
  assert.equal(first, 100);
  assert.equal(last, 110);
});

test("busiest first, main before them, pinned before all, idle last", () => {
  const threads = [
    thread(1, 5, { name: "main" }),
    thread(2, 9),
    thread(3, 7),
    thread(4, 0, { records: 0 }),
  ];
  const busy = (one: Thread): number => one.times.wall ?? 0;
  const ids = (pinned: number[], order: number[], isMainFirst: boolean): number[] =>
    orderThreads(threads, busy, new Set(pinned), order, isMainFirst).map((one) => one.id);
  assert.deepEqual(ids([], [], false), [2, 3, 1, 4]);
  assert.deepEqual(ids([], [], true), [1, 2, 3, 4]);
  assert.deepEqual(ids([3], [], true), [3, 1, 2, 4]);
  assert.deepEqual(ids([], [3, 2, 1], true), [3, 2, 1, 4]);
});

test("threads of a process stand together, its main thread first", () => {
  const app = { id: 10, name: "com.app" };
  const server = { id: 20, name: "system_server" };
  const threads = [
    thread(1, 5, { process: app, name: "main" }),
    thread(2, 30, { process: server }),
    thread(3, 20, { process: app }),
    thread(4, 10, { process: server, name: "main" }),
  ];
  const ids = (pinned: number[], isMainFirst: boolean): number[] =>
    orderThreads(threads, (one) => one.times.wall ?? 0, new Set(pinned), [], isMainFirst).map(
      (one) => one.id,
    );
  assert.deepEqual(ids([], false), [2, 4, 3, 1]);
  assert.deepEqual(ids([], true), [4, 2, 1, 3]);
  assert.deepEqual(ids([3], true), [3, 4, 2, 1]);
});

test("tiles have a power of two of nanoseconds a pixel, not coarser than the screen", () => {
  const view = { from: 0, to: 1_000_000 };
  const level = levelFor(view, 1000);
  assert.equal(level, 9);
  assert.ok(pixelOf(level) <= 1000);
  assert.equal(levelFor({ from: 0, to: 1024 }, 1024), 0);
});

test("a tile spans three viewports, cut at the trace's ends", () => {
  assert.deepEqual(tileRange({ from: 1000, to: 2000 }, 10_000), { from: 0, to: 3000 });
  assert.deepEqual(tileRange({ from: 0, to: 10_000 }, 10_000), { from: 0, to: 10_000 });
  assert.equal(tileWidth({ from: 0, to: 3000 }, 1), 1500);
});

function tile(from: number, to: number, level: number, isCoarse = false): Tile {
  return { from, to, level, isCoarse, boxes: boxesOf().boxes, rows: [] };
}

test("panning inside a tile needs no request, leaving it or zooming does", () => {
  const tiles = [tile(0, 3000, 1)];
  assert.ok(isServed(tiles, { from: 1500, to: 2500 }, 1, 10_000));
  assert.ok(!isServed(tiles, { from: 2500, to: 3500 }, 1, 10_000));
  assert.ok(!isServed(tiles, { from: 1500, to: 1900 }, 0, 10_000));
});

test("while a tile is on its way the next best is drawn", () => {
  const coarse = tile(0, 8000, 3);
  const near = tile(0, 3000, 1);
  assert.equal(bestTile([coarse, near], { from: 1000, to: 2000 }, 1), near);
  assert.equal(bestTile([coarse, near], { from: 4000, to: 5000 }, 1), coarse);
  assert.equal(bestTile([near], { from: 4000, to: 5000 }, 1), null);
});

test("depths are asked for in blocks", () => {
  assert.deepEqual(depthGroups(7, 3, 20).map(groupKey), ["7:0-15", "7:16-31"]);
  assert.equal(groupParam({ kind: "extents", thread: 7, of: { extents: 4 } }), "7:x");
  assert.equal(groupKey({ kind: "extents", thread: 7, of: { extents: 4 } }), "7:x4");
});

test("the call stepped to is scrolled to, and no further than needed", () => {
  const threads = [thread(1, 9, { maxDepth: 100 }), thread(2, 5)];
  const choices = { ...NONE, unfolded: new Set([1]), deep: new Set([1]) };
  const layout = layoutRows(threads, choices);
  assert.equal(scrollToShow(layout, 1, 3, 0, 300), null, "it shows already");
  const down = scrollToShow(layout, 1, 60, 0, 300) ?? 0;
  const y = STACK_TOP + 60 * DEPTH_PITCH;
  assert.ok(y >= down && y + DEPTH_PITCH <= down + 300);
  const up = scrollToShow(layout, 1, 3, 900, 300) ?? 900;
  assert.ok(STACK_TOP + 3 * DEPTH_PITCH >= up);
  assert.ok((scrollToShow(layout, 2, 0, 0, 300) ?? 0) > 0, "a folded row as a whole");
  assert.equal(scrollToShow(layout, 9, 0, 0, 300), null, "no such row");
});

test("a moved row is told by the shortest order that says it", () => {
  assert.deepEqual(movedOrder([1, 2, 3, 4, 5], 0, 3, 1), [1, 3, 2]);
  assert.deepEqual(movedOrder([1, 3, 2, 4, 5], 3, 1, 0), [1, 3, 2]);
  assert.deepEqual(movedOrder([1, 2, 3], 0, 1, 2), [2, 3, 1]);
  assert.deepEqual(movedOrder([1, 2, 3], 0, 1, -1), [], "there is no place before the first");
  assert.deepEqual(movedOrder([1, 2, 3], 2, 3, 3), [1, 2], "nor after the last");
});

test("a dragged row takes the place of one past whose middle the pointer is, and keeps it", () => {
  const row = (id: number, y: number, height: number): RowLayout["rows"][number] => ({
    ...{ thread: thread(id, 1), isUnfolded: false, isPinned: false, y, height },
    ...{ depths: 0, lead: 0, bands: [], bandsHeight: 0 },
  });
  const before = { rows: [row(1, 0, 300), row(2, 300, 30)], height: 330 };
  assert.equal(placeAt(before, 2, 310), null, "its own place");
  assert.equal(placeAt(before, 2, 200), null);
  assert.equal(placeAt(before, 2, 140), 0);
  const after = { rows: [row(2, 0, 30), row(1, 30, 300)], height: 330 };
  assert.equal(placeAt(after, 2, 140), null, "the next step does not bring it back");
  assert.equal(placeAt(after, 2, 190), 1);
  assert.equal(placeAt(after, 2, 400), null, "below all rows");
});
