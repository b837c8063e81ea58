import assert from "node:assert/strict";
import test from "node:test";
import { callWords } from "../words";
import * as text from "./calls-text";

const CALLS = callWords(false);
const RUNS = callWords(true);
const STATS = { min: 1e6, p50: 2e6, p95: 4e6, max: 20e6 };
const HEAD = {
  rank: 3,
  count: 14,
  listed: 14,
  stats: { wall: STATS, cpu: { ...STATS, max: 2.9e6 } },
  histogram: { clock: "cpu", bars: [] },
} as const;
const COST = { ns: 2e6, least: 1e6, most: 3e6 };

const SENTENCES: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
  longestText: [
    [
      text.longestText(HEAD, "wall", CALLS),
      "The longest call takes 20.0 ms of wall time, 10× the median of 2.00 ms.",
    ],
    [
      text.longestText(HEAD, "wall", RUNS),
      "The longest run takes 20.0 ms of wall time, 10× the median of 2.00 ms.",
    ],
    [
      text.longestText({ ...HEAD, stats: { cpu: STATS } }, "cpu", CALLS),
      "The longest call takes 20.0 ms of CPU time, 10× the median of 2.00 ms.",
    ],
    // Not much longer than others; waits, which have no median; one call; and no such clock.
    [text.longestText(HEAD, "cpu", CALLS), ""],
    [text.longestText(HEAD, "wait", CALLS), ""],
    [text.longestText({ ...HEAD, count: 1 }, "wall", CALLS), ""],
    [text.longestText({ ...HEAD, stats: {} }, "wall", CALLS), ""],
  ],
  durationsText: [
    [text.durationsText(HEAD, CALLS), "Durations of 14 calls, CPU"],
    [text.durationsText({ ...HEAD, count: 1 }, RUNS), "Durations of 1 run, CPU"],
  ],
  barText: [
    [text.barText({ from: 1e6, to: 2e6, count: 1 }, CALLS), "1.00 ms to 2.00 ms: 1 call"],
    [text.barText({ from: 0, to: 100, count: 1200 }, RUNS), "0 to 100 ns: 1,200 runs"],
    [
      text.barText({ from: 1e6, to: 2e6, count: 0, old: 1200 }, CALLS),
      "1.00 ms to 2.00 ms: 0 calls, 1,200 in the old trace",
    ],
  ],
  oldCallsText: [[text.oldCallsText(1, CALLS), "Outlined: 1 call of the old trace"]],
  pressText: [
    [text.pressText(CALLS), "Press a bar to list its calls"],
    [text.pressText(RUNS), "Press a bar to list its runs"],
  ],
  againText: [
    [text.againText(CALLS), "List all calls again"],
    [text.againText(RUNS), "List all runs again"],
  ],
  countText: [
    [text.countText(HEAD, CALLS), "14 calls"],
    [text.countText({ count: 1, listed: 1 }, RUNS), "1 run"],
    [text.countText({ ...HEAD, listed: 3 }, CALLS), "3 of 14 calls"],
  ],
  outlierText: [[text.outlierText(), "10 times the median or more"]],
  // A share is of the time that the estimate is a part of.
  tracingText: [
    [
      text.tracingText(COST, { wall: 10e6, cpu: 4e6 }, "wall", "wall", false),
      "Estimate: 2.00 ms (1.00 ms to 3.00 ms), 20 % of its exclusive wall time, is the tracing itself.",
    ],
    [
      text.tracingText(COST, { wall: 10e6, cpu: 4e6 }, "cpu", "wall", true),
      "Estimate: at least 2.00 ms (1.00 ms to 3.00 ms), 50 % of its exclusive CPU time, is the tracing itself.",
    ],
    [
      text.tracingText({ ns: 2e6 }, { wall: 10e6, cpu: 4e6 }, "wait", "wall", false),
      "Estimate: 2.00 ms, 20 % of its exclusive wall time, is the tracing itself.",
    ],
    [text.tracingText(COST, { wall: 1e9 }, "wall", "wall", false), ""],
    [text.tracingText(COST, {}, "cpu", "cpu", false), ""],
  ],
};

for (const [name, rows] of Object.entries(SENTENCES))
  test(`what the tab Calls says is made of its numbers: ${name}`, () => {
    for (const [said, expected] of rows) assert.deepEqual(said, expected);
  });

test("each sentence of the tab Calls has its row above", () => {
  assert.deepEqual(Object.keys(text).sort(), Object.keys(SENTENCES).sort());
});
