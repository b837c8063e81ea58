import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestBar, stepBar } from "./histogram-bars";

const BARS = [3, 0, 0, 0, 1, 2, 0].map((count, ix) => ({ from: ix, to: ix + 1, count }));

test("a press means the nearest bar that has calls", () => {
  assert.equal(nearestBar(BARS, 0.2), 0);
  assert.equal(nearestBar(BARS, 2), 0);
  assert.equal(nearestBar(BARS, 3.4), 4);
  assert.equal(nearestBar(BARS, 6.9), 5);
  assert.equal(nearestBar([], 0.5), -1);
});

test("keys walk the bars that have calls, and Enter takes the choice off", () => {
  const from = (chosen: number, key: string) => stepBar(BARS, chosen, key);
  assert.equal(from(-1, "ArrowRight"), 0);
  assert.equal(from(0, "ArrowRight"), 4);
  assert.equal(from(5, "ArrowRight"), -1);
  assert.equal(from(5, "ArrowLeft"), 4);
  assert.equal(from(-1, "ArrowLeft"), 5);
  assert.equal(from(5, "Home"), 0);
  assert.equal(from(0, "End"), 5);
  assert.equal(from(4, "Enter"), 4);
  assert.equal(from(-1, "Escape"), -1);
  assert.equal(from(4, "x"), -1);
});
