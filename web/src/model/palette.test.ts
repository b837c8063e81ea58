import assert from "node:assert/strict";
import test from "node:test";
import { overheadOf } from "./overhead";
import { bestMatches, matchScore } from "./palette";
import { colourIndex, paletteFor } from "./colour";
import {
  flameBoxAt,
  flameNeighbour,
  flamePath,
  matchedValue,
  NO_PARENT,
  type FlameAnswer,
} from "./flame";
import type { TraceInfo } from "./trace";

test("letters must come in their order", () => {
  assert.equal(matchScore("Zoom out", "tuo"), null);
  assert.ok(matchScore("Zoom out", "zo") !== null);
});

test("starts of words beat letters inside", () => {
  assert.deepEqual(
    bestMatches(["My code only", "Copy a link", "Classic mode"], "cl", (text) => text)[0],
    "Classic mode",
  );
});

test("no query keeps all, in their order", () => {
  assert.equal(bestMatches(["a", "b"], "", (text) => text).length, 2);
});

const INFO: TraceInfo = {
  file: "",
  format: "",
  vm: "",
  clocks: ["wall", "cpu"],
  sampled: false,
  startTime: 0,
  overflow: false,
  properties: [["clock-call-overhead-nsec", "50"]],
  records: 0,
  calls: 0,
  methods: 0,
  total: {},
  threads: [],
  findings: [],
  defaultClock: "cpu",
  axis: "wall",
  hasCommonAxis: true,
  span: 1,
};

test("the estimate counts two readings a call, of all clocks at once", () => {
  assert.equal(overheadOf(INFO, 10), 10 * 2 * 50);
  assert.equal(overheadOf({ ...INFO, clocks: ["wall"] }, 10), 10 * 2 * 50);
  assert.equal(overheadOf({ ...INFO, properties: [] }, 10), null);
  assert.equal(overheadOf({ ...INFO, sampled: true }, 10), null);
});

test("colours go round by rank, and stay with a package", () => {
  assert.equal(colourIndex(12, null, "rank", 10), 2);
  assert.equal(colourIndex(1, "a.b.C", "package", 10), colourIndex(99, "a.b.D", "package", 10));
  assert.equal(paletteFor("classic", "light").fills.length, 16);
  assert.equal(paletteFor("calm", "dark").inks.length, 10);
});

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
