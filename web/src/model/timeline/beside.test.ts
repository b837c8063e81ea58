import assert from "node:assert/strict";
import test from "node:test";
import type { Lanes, LaneItem } from "./lanes";
import {
  anchorOf,
  mapIds,
  momentsOf,
  pairThreads,
  readAlign,
  scrollBeside,
  shiftRange,
  writeAlign,
  type Align,
} from "./beside";
import { layoutRows } from "./rows";
import type { Thread } from "../trace";

const thread = (id: number, name: string, maxDepth = 4): Thread => ({
  id,
  name,
  records: 2,
  calls: 1,
  maxDepth,
  first: 0,
  last: 1,
  times: {},
});

const item = (name: string, start: number): LaneItem => ({
  kind: "phases",
  number: 1,
  thread: 1,
  depth: 0,
  call: 0,
  start,
  end: start + 5,
  cpu: undefined,
  isOpenAtEnd: false,
  isAdopted: false,
  name,
  method: null,
  measure: undefined,
  layout: undefined,
  draw: undefined,
  rest: undefined,
});

const lanes = (phases: readonly LaneItem[], frames: readonly LaneItem[] = []): Lanes => ({
  phases: { count: phases.length, items: phases },
  messages: { count: 0, items: [] },
  frames: { count: frames.length, items: frames },
});

test("threads are those of the same name, and of the same id where several have it", () => {
  const news = [thread(1, "main"), thread(2, "pool"), thread(3, "pool"), thread(4, "new")];
  const olds = [thread(3, "pool"), thread(9, "pool"), thread(7, "main")];
  assert.deepEqual([...pairThreads(news, olds)].sort(), [
    [1, 7],
    [2, 9],
    [3, 3],
  ]);
  assert.deepEqual([...mapIds([4, 1], pairThreads(news, olds))], [7]);
});

test("what stands above each other comes back from a link", () => {
  const all: Align[] = [
    { kind: "start" },
    { kind: "start-up" },
    { kind: "first-frame" },
    { kind: "method", method: "start" },
  ];
  for (const align of all) assert.deepEqual(readAlign(writeAlign(align)), align);
  for (const odd of [null, "", "frame", "start"]) assert.deepEqual(readAlign(odd), all[0]);
});

test("rows are scrolled to the same thread, and no further than it goes", () => {
  const choices = {
    unfolded: new Set([1, 11]),
    deep: new Set<number>(),
    pinned: new Set<number>(),
    short: 12,
    leads: new Map<number, number>(),
    bands: new Map(),
  };
  const news = layoutRows([thread(1, "main", 9), thread(2, "b")], choices);
  const olds = layoutRows([thread(12, "b"), thread(11, "main", 3)], choices);
  const pairs = new Map([
    [1, 11],
    [2, 12],
  ]);
  const main = olds.rows[1]?.y ?? 0;
  assert.equal(scrollBeside(news, olds, pairs, 10), main + 10);
  assert.equal(scrollBeside(news, olds, pairs, 180), main + (olds.rows[1]?.height ?? 0) - 1);
  assert.equal(scrollBeside(news, olds, pairs, news.rows[1]?.y ?? 0), 0);
  assert.equal(scrollBeside(news, olds, new Map(), 10), null);
});

test("moments are what both have", () => {
  const sides = {
    new: lanes([item("onCreate", 30), item("onResume", 60)], [item("", 90), item("", 80)]),
    old: lanes([item("onCreate", 10)], [item("", 40)]),
  };
  assert.equal(anchorOf(sides.new, "start-up"), 30);
  assert.equal(anchorOf(sides.new, "first-frame"), 80);
  assert.equal(anchorOf(lanes([]), "first-frame"), null);
  assert.equal(anchorOf(null, "start-up"), null);
  const call = { new: item("", 1), old: item("", 2) };
  assert.deepEqual(
    momentsOf(sides, call).map(({ new: a, old: b }) => [a, b]),
    [
      [30, 10],
      [80, 40],
      [1, 2],
      [6, 7],
    ],
  );
  assert.deepEqual(momentsOf({ new: null, old: null }, { new: call.new, old: null }), []);
});

test("a range of the one is that of the other, shifted", () => {
  assert.deepEqual(shiftRange({ from: 1, to: 3 }, -2), { from: -1, to: 1 });
});
