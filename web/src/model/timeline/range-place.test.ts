import assert from "node:assert/strict";
import { test } from "node:test";
import { pillLeft, toolsLeft } from "./range-place";

test("the tools of a range stand behind it, or before it, and cover none of it", () => {
  assert.equal(toolsLeft(100, 200, 1000), 206);
  assert.equal(toolsLeft(500, 900, 1000), 70);
  assert.equal(toolsLeft(-50, 100, 1000), 106);
});

test("where neither side has room they stand in its middle, within the chart", () => {
  assert.equal(toolsLeft(100, 900, 1000), 288);
  assert.equal(toolsLeft(0, 1000, 1000), 288);
  assert.equal(toolsLeft(0, 300, 300), 6);
});

test("tools of a range that is out of view stand at the end where it is", () => {
  assert.equal(toolsLeft(-400, -300, 1000), 6);
  assert.equal(toolsLeft(1200, 1300, 1000), 570);
});

test("a pill stands over its place, within the chart", () => {
  assert.equal(pillLeft(500, 60, 1000, null), 470);
  assert.equal(pillLeft(3, 60, 1000, null), 2);
  assert.equal(pillLeft(999, 60, 1000, null), 938);
});

test("a pill that would meet another one stands beside it, on its own side", () => {
  const other = { left: 470, size: 60 };
  assert.equal(pillLeft(510, 60, 1000, other), 534);
  assert.equal(pillLeft(490, 60, 1000, other), 406);
  assert.equal(pillLeft(600, 60, 1000, other), 570);
  assert.equal(pillLeft(10, 60, 1000, { left: 2, size: 60 }), 66);
  assert.equal(pillLeft(990, 60, 1000, { left: 938, size: 60 }), 874);
});
