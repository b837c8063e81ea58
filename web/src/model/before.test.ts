import assert from "node:assert/strict";
import test from "node:test";
import {
  beforeOf,
  changedText,
  clocklessText,
  oldCalls,
  callsChange,
  oldTime,
  runsNoteText,
  runTimes,
  signedMs,
  spreadsText,
  timeChange,
  type Before,
  type BeforeAnswer,
} from "./before";

const NOW = { calls: 14, inclusive: { wall: 30e6, cpu: 20e6 }, exclusive: { wall: 3e6, cpu: 2e6 } };
const OLD = {
  calls: 10,
  recursiveCalls: 2,
  inclusive: { wall: 40e6, cpu: 5e6 },
  exclusive: { wall: 3e6 },
};
const THERE: Before = { numbers: OLD, isMerged: false, isCounted: true };
const NONE: Before = { numbers: null, isMerged: false, isCounted: true };
const MERGED: Before = { numbers: null, isMerged: true, isCounted: true };

test("an answer tells of each rank whether it was there, or is one of several", () => {
  const answer: BeforeAnswer = {
    isCounted: true,
    numbers: new Map([[3, OLD]]),
    merged: new Set([4]),
    leftOut: 0,
  };
  assert.deepEqual(beforeOf(answer, 3), THERE);
  assert.deepEqual(beforeOf(answer, 4), MERGED);
  assert.deepEqual(beforeOf(answer, 5), NONE);
});

test("what was not there took no time, and of one of several nothing is told", () => {
  assert.equal(timeChange({ ...NOW, before: THERE }, "inclusive", "wall"), -10e6);
  assert.equal(timeChange({ ...NOW, before: NONE }, "exclusive", "cpu"), 2e6);
  assert.equal(timeChange({ ...NOW, before: MERGED }, "inclusive", "wall"), undefined);
  assert.equal(timeChange(NOW, "inclusive", "wall"), undefined);
  // The other trace lacks this clock.
  assert.equal(oldTime({ ...NOW, before: THERE }, "exclusive", "cpu"), undefined);
  assert.equal(oldCalls({ before: THERE }), 12);
  assert.equal(oldCalls({ before: NONE }), 0);
  assert.equal(oldCalls({ before: MERGED }), undefined);
});

test("a change of time has its sign, and none is none", () => {
  assert.equal(signedMs(38_100_000), "+38.100");
  assert.equal(signedMs(-1_000), "−0.001");
  assert.equal(signedMs(0), "0.000");
  assert.equal(signedMs(undefined), "");
});

test("the verdict is of counts alone, and says nothing where these are not compared", () => {
  assert.equal(changedText(14, THERE), "calls +2");
  assert.equal(changedText(11, THERE), "calls −1");
  assert.equal(changedText(12, THERE), "same calls");
  assert.equal(changedText(14, NONE), "new");
  assert.equal(changedText(14, MERGED), "one of several");
  assert.equal(changedText(14, undefined), "");
  assert.equal(changedText(14, { ...THERE, isCounted: false }), "");
  assert.equal(changedText(14, { ...NONE, isCounted: false }), "not there");
});

const ofCalls = (calls: number, wall: number) => ({
  calls,
  recursiveCalls: 0,
  inclusive: { wall },
  exclusive: { wall },
});
const inRuns = (
  old: readonly number[],
  now: readonly (number | null)[],
  isCounted = true,
): Before => ({
  numbers: null,
  isMerged: false,
  isCounted,
  runs: {
    old: old.map((calls) => (calls === 0 ? null : ofCalls(calls, calls * 1e6))),
    new: now.map((calls) => (calls === null ? null : ofCalls(calls, calls * 1e6))),
    shown: now.indexOf(null),
  },
});

test("of several runs medians are told, in which the row is the run that is shown", () => {
  const row = { ...NOW, before: inRuns([9, 5, 7], [40, null, 20]) };
  // 40, 30 and 20 ms now; 9, 5 and 7 ms before.
  assert.deepEqual(runTimes(row, "inclusive", "wall"), {
    old: [9e6, 5e6, 7e6],
    new: [40e6, 30e6, 20e6],
  });
  assert.equal(oldTime(row, "inclusive", "wall"), 7e6);
  assert.equal(timeChange(row, "inclusive", "wall"), 23e6);
  assert.equal(oldCalls(row), 7);
  assert.equal(callsChange(14, row), 13);
  assert.equal(
    spreadsText(runTimes(row, "inclusive", "wall")),
    "5.000 to 9.000 before, 20.000 to 40.000 now",
  );
  // A run lacks the clock: nothing is told.
  assert.equal(runTimes(row, "inclusive", "cpu"), undefined);
  assert.equal(oldTime(row, "inclusive", "cpu"), undefined);
  assert.equal(timeChange(row, "inclusive", "cpu"), undefined);
  assert.equal(runTimes({ ...NOW, before: THERE }, "inclusive", "wall"), undefined);
});

test("a run that lacks a method counts as none of it, and a shown one that is none of the runs does not count", () => {
  const row = { ...NOW, before: inRuns([0, 6], [8, 8]) };
  assert.deepEqual(runTimes(row, "inclusive", "wall"), { old: [0, 6e6], new: [8e6, 8e6] });
  assert.equal(oldTime(row, "inclusive", "wall"), 3e6);
});

test("the verdict of several runs is that of the command", () => {
  const told = (old: readonly number[], now: readonly (number | null)[], own = 0) =>
    changedText(own, inRuns(old, now));
  assert.equal(told([5, 5], [null, 5], 5), "same calls");
  assert.equal(told([5, 5], [null, 6], 6), "calls +1");
  // A gap of 1 is no wider than the range of 1, one of 4 is.
  assert.equal(told([5, 6], [null, 7], 7), "calls vary");
  assert.equal(told([5, 6], [null, 10], 10), "calls +4");
  assert.equal(told([5, 6], [null, 6], 5), "calls vary");
  assert.equal(told([0, 0], [null, 6], 5), "new");
  assert.equal(changedText(5, inRuns([0, 0], [null, 6], false)), "not there");
  assert.equal(changedText(5, inRuns([3, 3], [null, 6], false)), "");
  assert.equal(changedText(5, { ...inRuns([3], [null]), isMerged: true }), "one of several");
});

test("what the numbers below several runs are of is told", () => {
  assert.equal(
    runsNoteText(5, 4),
    "old numbers and changes are of medians: 5 old runs, 4 new; the others are of the run that is shown",
  );
});

test("a clock that the old trace lacks is told", () => {
  assert.equal(clocklessText("cpu"), "the old trace has no CPU time");
});
