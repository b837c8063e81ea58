import assert from "node:assert/strict";
import test from "node:test";
import {
  flameBoxAt,
  flameNeighbour,
  flamePath,
  flameRemainder,
  matchedValue,
  NO_PARENT,
  scrollToMethod,
  zoomCrumbs,
  type FlameAnswer,
} from "./flame";

// A root of 100 with children of 60 and 30; the first has a child of 60.
const FLAME: FlameAnswer = {
  total: 100,
  root: 100,
  dropped: 0,
  depths: 3,
  x: Float64Array.of(0, 0, 60, 0),
  value: Float64Array.of(100, 60, 30, 60),
  self: Float64Array.of(10, 0, 30, 60),
  rank: Uint32Array.of(5, 6, 7, 6),
  depth: Uint32Array.of(0, 1, 1, 2),
  parent: Uint32Array.of(NO_PARENT, 0, 0, 1),
  calls: Uint32Array.of(1, 1, 1, 1),
};

test("a box of the flame graph is found by its place, and its path by its parents", () => {
  assert.equal(flameBoxAt(FLAME, 70, 20, 100), 2);
  assert.equal(flameBoxAt(FLAME, 95, 20, 100), null);
  assert.deepEqual(flamePath(FLAME, 3), [5, 6, 6]);
});

test("arrows walk the flame graph", () => {
  assert.equal(flameNeighbour(FLAME, 0, "child"), 1);
  assert.equal(flameNeighbour(FLAME, 1, "next"), 2);
  assert.equal(flameNeighbour(FLAME, 2, "previous"), 1);
  assert.equal(flameNeighbour(FLAME, 0, "parent"), null);
});

test("a match inside a match counts once", () => {
  assert.equal(matchedValue(FLAME, new Set([6])), 60);
  assert.equal(matchedValue(FLAME, new Set([6, 7])), 90);
});

test("what the outermost boxes leave of the width is told", () => {
  assert.deepEqual(flameRemainder(FLAME), { x: 100, value: 0 });
  assert.deepEqual(flameRemainder({ ...FLAME, root: 130 }), { x: 100, value: 30 });
});

test("a long way to a box shows its end", () => {
  assert.deepEqual(zoomCrumbs([]), []);
  assert.deepEqual(zoomCrumbs([4]), [{ kind: "step", step: 4, length: 1 }]);
  assert.deepEqual(zoomCrumbs([1, 2, 3, 4, 5]), [
    { kind: "gap" },
    { kind: "step", step: 3, length: 3 },
    { kind: "step", step: 4, length: 4 },
    { kind: "step", step: 5, length: 5 },
  ]);
});

test("a method is scrolled to unless a box of it shows already", () => {
  const flame = {
    root: 10,
    x: Float64Array.of(0, 0, 6, 0),
    value: Float64Array.of(10, 6, 4, 5),
    rank: Uint32Array.of(0, 1, 2, 2),
    depth: Uint32Array.of(0, 40, 20, 60),
    parent: Uint32Array.of(0xffffffff, 0, 0, 1),
  };
  assert.equal(scrollToMethod(flame, 0, 0, 100), null);
  assert.equal(scrollToMethod(flame, 9, 0, 100), null);
  assert.equal(scrollToMethod(flame, 2, 0, 100), 60 * 19 - (100 - 19) / 2);
  assert.equal(scrollToMethod(flame, 2, 20 * 19, 100), null);
});
