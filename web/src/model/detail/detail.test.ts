import assert from "node:assert/strict";
import { test } from "node:test";
import { detailText, ownTimes, placeIn, placeText, subjectsOf, type Detail } from "./detail";
import type { Method } from "../trace";

const method = (name: string): Method => ({
  rank: 0,
  id: "0x4",
  method: name,
  class: "",
  name,
  signature: "",
  file: "",
  line: 0,
});

const BARS = [
  { from: 0, to: 100, count: 12 },
  { from: 100, to: 200, count: 1 },
  { from: 200, to: 400, count: 1 },
];
const WORDS = { one: "call", many: "calls" };

test("a time stands in its bar, and after the calls of the bars below", () => {
  assert.equal(placeIn(BARS, 300), 2.5 / 3);
  assert.equal(placeIn(BARS, 0), 0);
  assert.equal(placeIn(BARS, 400), null);
  assert.equal(placeText(BARS, 300, WORDS), "longer than 93 % of 14 calls");
  assert.equal(placeText(BARS, 50, WORDS), "among the shortest of 14 calls");
  assert.equal(placeText([{ from: 0, to: 1, count: 1 }], 0, WORDS), "the only call");
});

test("the trace is looked at where no range is", () => {
  const none = { hasCall: false, hasMethod: false, hasRange: false, hasThread: false };
  assert.deepEqual(subjectsOf(none), ["trace"]);
  assert.deepEqual(subjectsOf({ ...none, hasCall: true, hasMethod: true, hasRange: true }), [
    "call",
    "method",
    "range",
  ]);
});

test("the copied text names what was waited for", () => {
  const row = { calls: 2, exclusive: {}, passedOn: 0, longest: null };
  const detail: Detail = {
    total: {},
    calls: 1,
    inclusive: { wall: 104e6, cpu: 78e6, wait: 26e6 },
    exclusive: { wall: 20e3 },
    self: { wall: 15e3 },
    parts: [{ ...row, method: method("compact"), inclusive: { wall: 102e6 }, wait: 0 }],
    moreParts: 0,
    path: [],
    waits: [{ ...row, method: method("sleep"), inclusive: { wall: 26e6 }, wait: 26e6 }],
  };
  assert.deepEqual(detailText("load", detail, "call", (of) => of.name).split("\n"), [
    "load",
    "wall 104 ms, CPU 78.0 ms, wait 26.0 ms; self 15.0 µs",
    "Waited 26.0 ms: sleep 26.0 ms.",
    "Inside:",
    "  102 ms compact",
  ]);
  // A recursive method has own code below its outermost calls, too.
  assert.deepEqual(ownTimes(detail, "method"), { wall: 20e3 });
  assert.match(
    detailText("load", detail, "method", (of) => of.name),
    /self 20\.0 µs/,
  );
});
