import assert from "node:assert/strict";
import { test } from "node:test";
import {
  failureWords,
  pulledShare,
  stepWords,
  type Recording,
  type RecordingStep,
  neededMb,
} from "./recording";

const STEP: RecordingStep = {
  phase: "recording",
  ms: 0,
  bytes: 0,
  buffer: 0,
  done: 0,
  of: 0,
  isWaiting: false,
  text: "",
  neededMb: 0,
};

function running(step: Partial<RecordingStep> | null, more: Partial<Recording> = {}): Recording {
  return {
    state: "running",
    elapsedMs: 0,
    isStopped: false,
    text: "",
    page: null,
    file: "",
    folder: "",
    step: step === null ? null : { ...STEP, ...step },
    ...more,
  };
}

test("each step of a recording has words", () => {
  assert.equal(stepWords(running(null)), "Starting…");
  assert.equal(stepWords(running({ phase: "starting" })), "Starting…");
  assert.equal(stepWords(running({ ms: 1234 })), "Recording 1.2 s");
  assert.equal(
    stepWords(running({ ms: 60_000, bytes: 4 << 20, buffer: 8 << 20 })),
    "Recording 60.0 s, 4.0 MiB (50 % of the buffer)",
  );
  assert.equal(stepWords(running({ ms: 5 }, { isStopped: true })), "Stopping…");
  assert.equal(
    stepWords(running({ phase: "finishing" }, { isStopped: true })),
    "Waiting until the file on the device is whole…",
  );
  assert.equal(stepWords(running({ phase: "writing" })), "Writing the trace…");
  assert.match(stepWords(running({ phase: "pulling", done: 1, of: 2 })), /^Pulling 1 B of 2 B$/);
  assert.match(
    stepWords(running({ phase: "pulling", done: 1, of: 2, isWaiting: true })),
    /put its cable in again/,
  );
});

test("only a pull has a share", () => {
  assert.equal(pulledShare(running(null)), null);
  assert.equal(pulledShare(running({ done: 1, of: 2 })), null);
  assert.equal(pulledShare(running({ phase: "pulling" })), null);
  assert.equal(pulledShare(running({ phase: "pulling", done: 1, of: 4 })), 0.25);
  assert.equal(pulledShare(running({ phase: "pulling", done: 9, of: 4 })), 1);
});

test("a failure is told by its own words, else by the last line", () => {
  assert.equal(failureWords(running({ phase: "failed", text: "why" }, { text: "other" })), "why");
  assert.equal(failureWords(running({ phase: "recording" }, { text: "other" })), "other");
  assert.equal(failureWords(running(null)), "The recording ended without a trace.");
});

test("a buffer that was full tells which one has room", () => {
  const step = { phase: "full", neededMb: 32 };
  assert.equal(neededMb(running(step, { state: "done" })), 32);
  assert.equal(neededMb(running(step)), null);
  assert.equal(neededMb(running({}, { state: "done" })), null);
  assert.equal(neededMb(null), null);
});
