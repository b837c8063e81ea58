import assert from "node:assert/strict";
import test from "node:test";
import { measuresOf } from "./column-kinds";

test("the clock in use comes first, and waiting needs both clocks", () => {
  assert.deepEqual(measuresOf(["wall", "cpu"], "cpu"), ["cpu", "wall", "wait"]);
  assert.deepEqual(measuresOf(["cpu"], "cpu"), ["cpu"]);
});
