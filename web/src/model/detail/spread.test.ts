import assert from "node:assert/strict";
import { test } from "node:test";
import { callWords } from "../words";
import { isAmong, placeIn, spreadText, type Spread } from "./spread";

const BARS = [
  { from: 0, to: 100, count: 12 },
  { from: 100, to: 200, count: 1 },
  { from: 200, to: 400, count: 1 },
];
const SPREAD: Spread = {
  bars: BARS,
  words: callWords(false),
  hasRange: false,
  hasThreads: false,
  isPicked: false,
  median: 0,
};

test("a time stands in its bar", () => {
  assert.equal(placeIn(BARS, 300), 2.5 / 3);
  assert.equal(placeIn(BARS, 0), 0);
  assert.equal(placeIn(BARS, 400), null);
});

test("a call is among those that a range and chosen threads leave", () => {
  const call = { thread: 1, start: 10, end: 20 };
  assert.ok(isAmong(call, null, null));
  assert.ok(isAmong(call, { from: 15, to: 16 }, new Set([1, 2])));
  assert.ok(!isAmong(call, { from: 21, to: 30 }, null));
  assert.ok(!isAmong(call, { from: 0, to: 10 }, null));
  assert.ok(!isAmong(call, null, new Set([2])));
});

// What is left out is said; a share of 100 % would be false; a call that is as long as all others is not among the shortest.
const few = (...bars: [from: number, to: number, count: number][]): Partial<Spread> => ({
  bars: bars.map(([from, to, count]) => ({ from, to, count })),
});
const SENTENCES: readonly [Partial<Spread>, number | null, string][] = [
  [{}, null, "How long its calls take"],
  [{}, 300, "The longest of 14 calls"],
  [{}, 150, "Longer than 86 % of 14 calls"],
  [{ isPicked: true }, 150, "Longer than 86 % of 14 selected calls"],
  [{ isPicked: true }, null, "How long its selected calls take"],
  [{ median: 50 }, 50, "Among the shortest of 14 calls"],
  [
    { median: 50, hasRange: true, hasThreads: true },
    300,
    "The longest of 14 calls on the chosen threads in the range, 6.0× the median",
  ],
  [few([0, 100, 999], [100, 200, 2]), 150, "Among the longest of 1,001 calls"],
  [{ ...few([0, 1, 1]), hasRange: true, words: callWords(true) }, 0, "The only run in the range"],
  [few([0, 100, 5], [100, 200, 0]), 99, "About as long as all 5 calls"],
];

for (const [choice, own, expected] of SENTENCES)
  test(`where a call stands: ${expected}`, () =>
    assert.equal(spreadText({ ...SPREAD, ...choice }, own), expected));
