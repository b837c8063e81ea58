import assert from "node:assert/strict";
import test from "node:test";
import {
  beforeOf,
  changedText,
  oldCalls,
  oldTime,
  signedMs,
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
