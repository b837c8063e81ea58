import assert from "node:assert/strict";
import test from "node:test";
import { decodeCalls } from "./decode-calls";

test("the calls of a list are of the method that the answer names once", () => {
  const call = { thread: 1, depth: 2, call: 3, start_ns: 5, wall_ns: 7 };
  const page = decodeCalls({ rank: 9, count: 1, calls: [call] });
  assert.deepEqual([page.rank, page.calls[0]?.rank, page.calls[0]?.end], [9, 9, 12]);
});
