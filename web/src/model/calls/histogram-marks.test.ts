import assert from "node:assert/strict";
import test from "node:test";
import { isLeftOf, marksOf } from "./histogram-marks";
import type { Percentiles } from "../trace";

const BARS = Array.from({ length: 20 }, (_, ix) => ({ from: ix, to: ix + 1, count: 1 }));

function labels(p50: number, p95: number, max: number): string[] {
  const percentiles: Percentiles = { min: 0, p50, p95, max };
  return marksOf(BARS, percentiles).map((mark) => mark.label);
}

test("marks have a label each where there is room, and share one where there is none", () => {
  assert.deepEqual(labels(1, 8, 19), ["p50", "p95", "max"]);
  assert.deepEqual(labels(1, 18, 19), ["p50", "p95, max", ""]);
  assert.deepEqual(labels(1, 19, 19), ["p50", "p95, max"]);
  assert.deepEqual(labels(5, 5, 6), ["", "p50, p95, max"]);
  assert.deepEqual(labels(16, 18, 19), ["p50, p95, max", "", ""]);
  // Of three calls the longest is the 95th percentile, too: the long label before the last line meets that of the median.
  assert.deepEqual(labels(13, 19, 19), ["", "p50, p95, max"]);
  // One label behind its line and the next before its own would meet in the middle.
  assert.deepEqual(labels(1, 15, 18), ["p50", "", "p95, max"]);
});

test("the label of all marks stands before its line where it would leave the picture behind it", () => {
  assert.equal(isLeftOf(0.76, "p50, p95, max"), true);
  assert.equal(isLeftOf(0.3, "p50, p95, max"), false);
  assert.equal(isLeftOf(0.76, "p50"), false);
});
