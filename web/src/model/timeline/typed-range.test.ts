import assert from "node:assert/strict";
import test from "node:test";
import { typedRange } from "./typed-range";

const VIEW = { from: 2e6, to: 9e6 };
const END = 1e9;
const ms = (text: string) => {
  const range = typedRange(text, VIEW, END);
  return range === null ? null : [range.from / 1e6, range.to / 1e6];
};

test("from and to, with one unit or two", () => {
  assert.deepEqual(ms("600-650 ms"), [600, 650]);
  assert.deepEqual(ms("600–650"), [600, 650]);
  assert.deepEqual(ms("0.5 s .. 650ms"), [500, 650]);
  assert.deepEqual(ms("600,5 - 601 ms"), [600.5, 601]);
});

test("a start and a length; without a start the view's", () => {
  assert.deepEqual(ms("600 +50 ms"), [600, 650]);
  assert.deepEqual(ms("+50 ms"), [2, 52]);
  assert.deepEqual(ms("+500us"), [2, 2.5]);
});

test("what is no range, or none of the trace, is none; the end is the trace's", () => {
  for (const text of ["", "600", "-50 ms", "650-600 ms", "2000 +1 ms", "a-b", "600+"])
    assert.equal(ms(text), null, text);
  assert.deepEqual(ms("900-2000 ms"), [900, 1000]);
});
