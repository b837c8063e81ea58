import assert from "node:assert/strict";
import test from "node:test";
import { barsOfBoth } from "./histogram-sides";

const bar = (from: number, to: number, count: number) => ({ from, to, count });

test("bars of one scale are one bar with both counts, and those of the old trace alone stand beside them", () => {
  assert.deepEqual(
    barsOfBoth([bar(4, 6, 1), bar(6, 8, 2)], [bar(2, 3, 5), bar(6, 8, 7), bar(16, 23, 9)]),
    [
      { ...bar(2, 3, 0), old: 5 },
      { ...bar(4, 6, 1), old: 0 },
      { ...bar(6, 8, 2), old: 7 },
      { ...bar(16, 23, 0), old: 9 },
    ],
  );
});

test("no call of the old trace is lost or counted twice where bars begin elsewhere", () => {
  const both = barsOfBoth(
    [bar(10, 20, 1), bar(20, 40, 1)],
    [bar(8, 16, 3), bar(16, 32, 4), bar(32, 64, 5)],
  );
  assert.equal(
    both.reduce((sum, { old = 0 }) => sum + old, 0),
    12,
  );
  assert.deepEqual(
    both.map(({ from }) => from),
    [10, 20, 32],
  );
  assert.deepEqual(barsOfBoth([], []), []);
});
