import assert from "node:assert/strict";
import test from "node:test";
import { isAmong } from "./detail";

test("a call outside of the range or the threads is none of the calls that are counted", () => {
  const call = { thread: 1, start: 10, end: 20 };
  assert.ok(isAmong(call, null, null));
  assert.ok(isAmong(call, { from: 15, to: 30 }, new Set([1])));
  assert.ok(!isAmong(call, { from: 30, to: 40 }, null));
  assert.ok(!isAmong(call, null, new Set([2])));
});
