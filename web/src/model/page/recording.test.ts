import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deviceLabel,
  failureWords,
  hasSomething,
  HERE,
  matchingProcesses,
  modeAdvice,
  modesOf,
  placesOf,
  pulledShare,
  recordableApp,
  recordableProgram,
  stepWords,
  uptimeWords,
  type JavaProgram,
  type Recording,
  type RecordingStep,
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
};

function running(step: Partial<RecordingStep> | null, more: Partial<Recording> = {}): Recording {
  return {
    state: "running",
    elapsedMs: 0,
    isStopped: false,
    text: "",
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

test("processes are found by a few letters", () => {
  const processes = ["com.example.app", "com.example.other", "org.mail"].map((name, pid) => ({
    pid,
    name,
    isDebuggable: true,
    user: 0,
    uptimeS: null,
  }));
  const names = (query: string) => matchingProcesses(processes, query).map(({ name }) => name);
  assert.equal(names("").length, 3);
  assert.deepEqual(names("mail"), ["org.mail"]);
  assert.deepEqual(names("zzz"), []);
});

test("a device has its model, an age its unit", () => {
  const device = { serial: "X1", isReady: true, state: "ready", model: "Pixel_8", advice: null };
  assert.equal(deviceLabel(device), "Pixel 8 (X1)");
  assert.equal(deviceLabel({ ...device, model: "" }), "X1");
  assert.deepEqual([null, 5, 65, 7200, 200_000].map(uptimeWords), [
    "",
    "5 s",
    "1 min",
    "2 h",
    "2 d",
  ]);
});

const DEVICE = { serial: "X1", isReady: true, state: "ready", model: "Pixel_8", advice: null };
const PROGRAM = { pid: 7, name: "Main", user: "me", java: "17", uptimeS: 1, advice: null };

test("devices come before this computer, which is there with its recorder", () => {
  const devices = { devices: [DEVICE, { ...DEVICE, serial: "X2", isReady: false }], problem: null };
  const java = { programs: [], problem: null };
  assert.deepEqual(placesOf(null, null), []);
  assert.deepEqual(placesOf(devices, java), [
    ["X1", "Pixel 8 (X1)"],
    [HERE, "This computer: Java programs"],
  ]);
  assert.deepEqual(placesOf(null, { ...java, problem: "libtraceview-jvm.so is missing" }), []);
});

test("there is something to record with a device, or a program that can be", () => {
  const none = { devices: [], problem: "adb is not installed" };
  const closed = { ...PROGRAM, advice: "process 7 is another user's" };
  const has = (programs: readonly JavaProgram[], problem: string | null = null) =>
    hasSomething(none, { programs, problem });
  assert.equal(has([]), false);
  assert.equal(has([closed]), false);
  assert.equal(has([closed, PROGRAM]), true);
  assert.equal(has([PROGRAM], "no recorder"), false);
  assert.equal(hasSomething({ devices: [DEVICE], problem: null }, null), true);
});

test("apps and programs are rows of one list", () => {
  const app = { pid: 7, name: "a", isDebuggable: false, user: 10, uptimeS: null };
  assert.equal(recordableApp(app).kind, "profileable, user 10");
  assert.equal(recordableApp({ ...app, isDebuggable: true, user: 0 }).kind, "debuggable");
  assert.equal(recordableProgram(PROGRAM).kind, "Java 17");
  assert.equal(recordableProgram({ ...PROGRAM, java: "" }).kind, "Java");
});

test("a Java program has no stream, and nothing is said of its buffer", () => {
  assert.deepEqual(
    modesOf(HERE).map(([mode]) => mode),
    ["trace", "sample"],
  );
  assert.equal(modesOf("X1").length, 3);
  assert.doesNotMatch(modeAdvice("trace", HERE, 64), /buffer/);
  assert.match(modeAdvice("trace", "X1", 64), /64 MB/);
});
