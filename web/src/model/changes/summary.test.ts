import assert from "node:assert/strict";
import test from "node:test";
import type { Changes } from "./changes";
import { nothingText, summaryText } from "./summary";

const SIDE = { file: "a.trace", runs: 5, calls: 1, total: 1, told: null };
const RUNS: Changes = {
  old: SIDE,
  new: SIDE,
  clock: "cpu",
  by: "inclusive",
  inBoth: 3,
  gone: 1,
  added: 0,
  callsVerdicts: { changed: 1, same: 2, undecided: 0 },
  noCounts: "",
  isOneSample: false,
  timeVerdicts: { changed: 1, same: 0, undecided: 2 },
  hasOtherProcessors: false,
  least: 0.05,
  list: [],
  leftOut: 0,
  callers: null,
};
const COUNTS = "Calls of 1 method changed (0 new, 1 gone); of 2 they are the same.";

test("times of several runs are tested, as the command tells it", () => {
  assert.equal(
    summaryText(RUNS),
    `${COUNTS} Inclusive time of 3 methods was tested: 1 changed by more than 5 %, 0 the same within it, 2 undecided.`,
  );
});

test("why times are not tested is told", () => {
  const none = { ...RUNS, timeVerdicts: null };
  assert.equal(
    summaryText({ ...none, hasOtherProcessors: true }),
    `${COUNTS} Times are of different processors, and are not tested.`,
  );
  assert.equal(
    summaryText({ ...none, isOneSample: true, new: { ...SIDE, runs: 1 } }),
    `${COUNTS} A side has one run: its times are one sample, and decide nothing.`,
  );
  assert.equal(
    summaryText({
      ...none,
      isOneSample: true,
      old: { ...SIDE, runs: 1 },
      new: { ...SIDE, runs: 1 },
    }),
    `${COUNTS} Times are one sample of each side, and decide nothing.`,
  );
});

test("counts that are not compared are not said to be the same", () => {
  assert.equal(nothingText(true), "No count of calls changed, and no time by a hundredth.");
  assert.equal(nothingText(false), "No time changed by a hundredth; calls are not compared.");
});
