import assert from "node:assert/strict";
import test from "node:test";
import { levelFromFlame, ranksInLevel } from "./flame-levels";
import { NO_PARENT, type FlameAnswer } from "./flame";
import type { Method } from "../trace";

// 5 (100) over 6 (60) and 7 (30); 8 (20) on 6; 10 is 5's own; 3 of 6 is too thin to draw.
const FLAME: FlameAnswer = {
  total: 200e6,
  root: 100e6,
  dropped: 1,
  depths: 3,
  x: Float64Array.of(0, 0, 60e6, 0),
  value: Float64Array.of(100e6, 60e6, 30e6, 20e6),
  self: Float64Array.of(10e6, 37e6, 30e6, 20e6),
  rank: Uint32Array.of(5, 6, 7, 8),
  depth: Uint32Array.of(0, 1, 1, 2),
  parent: Uint32Array.of(NO_PARENT, 0, 0, 1),
  calls: Uint32Array.of(1, 2, 3, 4),
};

function method(rank: number): Method {
  return {
    rank,
    id: "",
    method: `m${rank}`,
    class: "",
    name: `m${rank}`,
    signature: "",
    file: "",
    line: -1,
  };
}

test("the flame graph's boxes make a level of the tree", () => {
  assert.deepEqual(ranksInLevel(FLAME, false), [5]);
  assert.deepEqual(ranksInLevel(FLAME, true), [6, 7]);
  const roots = levelFromFlame(FLAME, false, "wall", method);
  assert.deepEqual(roots.total, { wall: 100e6 });
  assert.deepEqual(
    roots.nodes.map((node) => [node.method.rank, node.inclusive, node.exclusive, node.calls]),
    [[5, { wall: 100e6 }, { wall: 10e6 }, 1]],
  );
  assert.equal(roots.rest, 0);
});

test("what is too small to be told apart is added up, and callees too thin still open", () => {
  const level = levelFromFlame({ ...FLAME, root: 103e6 }, true, "cpu", method);
  assert.deepEqual(
    level.nodes.map((node) => node.hasChildren),
    [true, false],
  );
  assert.equal(level.rest, 3e6);
  const waiting = levelFromFlame(FLAME, true, "wait", method);
  assert.deepEqual(waiting.nodes[0]?.inclusive, { wait: 60e6 });
});
