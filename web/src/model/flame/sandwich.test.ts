import assert from "node:assert/strict";
import test from "node:test";
import { flameNeighbour, flamePath, NO_PARENT, type FlameAnswer } from "./flame";
import { isRecursive, sandwichLines, sandwichOf } from "./sandwich";

const WORDS = { one: "call", many: "calls", heading: "Calls" } as Parameters<
  typeof sandwichLines
>[3];

// A column of boxes: rank, x, value, depth, parent; each with two calls and no time of its own but for the last of a stack.
function flame(...boxes: [number, number, number, number, number][]): FlameAnswer {
  const column = (of: number): number[] => boxes.map((box) => box[of] ?? 0);
  return {
    total: 200,
    root: boxes[0]?.[2] ?? 0,
    dropped: 1,
    depths: 1 + Math.max(-1, ...column(3)),
    rank: Uint32Array.from(column(0)),
    x: Float64Array.from(column(1)),
    value: Float64Array.from(column(2)),
    self: Float64Array.from(column(2)),
    depth: Uint32Array.from(column(3)),
    parent: Uint32Array.from(column(4)),
    calls: Uint32Array.from(boxes.map(() => 2)),
  };
}

// main > load > 5 > get, and main > 5 > put.
const ABOVE = flame(
  [5, 0, 100, 0, NO_PARENT],
  [2, 0, 60, 1, 0],
  [1, 60, 40, 1, 0],
  [1, 0, 60, 2, 1],
);
const BELOW = flame([5, 0, 100, 0, NO_PARENT], [7, 0, 70, 1, 0], [8, 70, 10, 1, 0]);

test("callers stand above the method and callees below it, at one width", () => {
  const both = sandwichOf(5, ABOVE, BELOW);
  assert.deepEqual([...both.rank], [5, 2, 1, 1, 7, 8]);
  assert.deepEqual([...both.depth], [2, 1, 1, 0, 3, 3]);
  assert.deepEqual([...both.x], [0, 0, 60, 0, 0, 70]);
  assert.deepEqual([...both.parent], [NO_PARENT, 0, 0, 1, 0, 0]);
  assert.equal(both.depths, 4);
  assert.equal(both.root, 100);
  assert.equal(both.dropped, 2);
});

test("arrows lead up to callers and down to callees", () => {
  const both = sandwichOf(5, ABOVE, BELOW);
  assert.equal(flameNeighbour(both, 0, "parent"), 1);
  assert.equal(flameNeighbour(both, 0, "child"), 4);
  assert.equal(flameNeighbour(both, 1, "parent"), 3);
  assert.equal(flameNeighbour(both, 3, "child"), 1);
  assert.equal(flameNeighbour(both, 3, "parent"), null);
  assert.equal(flameNeighbour(both, 4, "parent"), 0);
  assert.equal(flameNeighbour(both, 1, "next"), 2);
  assert.deepEqual(flamePath(both, 3), [5, 2, 1]);
});

test("a method that is not there has no boxes", () => {
  const none = sandwichOf(9, flame(), flame());
  assert.equal(none.x.length, 0);
  assert.equal(none.root, 0);
  assert.equal(sandwichOf(9, ABOVE, BELOW).depth.length, 0);
});

test("a card says of what a share is", () => {
  const both = sandwichOf(5, ABOVE, BELOW);
  assert.equal(sandwichLines(both, 0, "cpu", WORDS)[0]?.note, "50 % of all");
  assert.equal(
    sandwichLines(both, 1, "cpu", WORDS)[0]?.note,
    "60 % of the middle, called this way",
  );
  assert.equal(sandwichLines(both, 4, "cpu", WORDS)[0]?.note, "70 % of the middle");
});

test("a method among its own callees is recursive", () => {
  assert.equal(isRecursive(sandwichOf(5, ABOVE, BELOW)), false);
  const deeper = flame([5, 0, 100, 0, NO_PARENT], [7, 0, 70, 1, 0], [5, 0, 10, 2, 1]);
  assert.equal(isRecursive(sandwichOf(5, ABOVE, deeper)), true);
});
