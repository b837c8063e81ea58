import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallDetail } from "../trace";
import { medianNote, shareNote, type CallReference } from "./call-reference";

const CALL = {
  rank: 3,
  thread: 1,
  start: 10e6,
  end: 20e6,
  times: { wall: 10e6, cpu: 4e6 },
} as unknown as CallDetail;

const WHOLE: CallReference = {
  rank: 3,
  thread: 1,
  measure: "wall",
  median: 1e6,
  range: null,
  hasThreads: false,
  hasLens: false,
  ofThread: { wall: 100e6, cpu: 8e6 },
};

test("the median is that of the clock that is chosen, and says of which calls", () => {
  assert.equal(medianNote(CALL, WHOLE), "10× the median wall time");
  assert.equal(
    medianNote(CALL, { ...WHOLE, measure: "cpu", range: { from: 0, to: 30e6 } }),
    "4.0× the median CPU time in the range",
  );
  assert.equal(
    medianNote(CALL, { ...WHOLE, hasThreads: true }),
    "10× the median wall time of the chosen threads",
  );
  assert.equal(
    medianNote(CALL, { ...WHOLE, hasLens: true, range: { from: 0, to: 30e6 } }),
    "10× the median wall time of these calls in the range",
  );
  assert.equal(medianNote(CALL, { ...WHOLE, measure: "wait", median: 0 }), "");
});

test("a share is of the call's thread", () => {
  assert.equal(shareNote(CALL, "wall", "wall", WHOLE), "10 % of the thread");
  assert.equal(shareNote(CALL, "cpu", "wall", WHOLE), "50 % of the thread");
  assert.equal(shareNote(CALL, "cpu", "wall", { ...WHOLE, ofThread: {} }), "");
});

test("a share in a range is of what lies in the range", () => {
  const around = { ...WHOLE, range: { from: 0, to: 50e6 }, ofThread: { wall: 50e6, cpu: 8e6 } };
  assert.equal(shareNote(CALL, "wall", "wall", around), "20 % of the thread in the range");
  assert.equal(shareNote(CALL, "cpu", "wall", around), "50 % of the thread in the range");
  const cut = { ...WHOLE, range: { from: 15e6, to: 25e6 }, ofThread: { wall: 10e6, cpu: 3e6 } };
  assert.equal(shareNote(CALL, "wall", "wall", cut), "50 % of the thread in the range");
  assert.equal(shareNote(CALL, "cpu", "wall", cut), "", "how much CPU time is in it is not known");
  const beside = { ...cut, range: { from: 30e6, to: 40e6 } };
  assert.equal(shareNote(CALL, "wall", "wall", beside), "");
});
