import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deviceLabel,
  hasSomething,
  HERE,
  matchingProcesses,
  modeAdvice,
  modesOf,
  placesOf,
  recordableApp,
  recordableProgram,
  uptimeWords,
  type JavaProgram,
  bufferAdvice,
  buffersMb,
  startable,
} from "./recordable";

const DEVICE = { serial: "X1", isReady: true, state: "ready", model: "Pixel_8", advice: null };
const PROGRAM = { pid: 7, name: "Main", user: "me", java: "17", uptimeS: 1, advice: null };

test("processes are found by a few letters", () => {
  const processes = ["com.example.app", "com.example.other", "org.mail"].map((name, pid) => ({
    pid,
    name,
    isDebuggable: true,
    user: 0,
    uptimeS: null,
    rates: [],
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
  const app = { pid: 7, name: "a", isDebuggable: false, user: 10, uptimeS: null, rates: [] };
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

const RATES = [
  {
    isSampled: false,
    bytesPerS: 4.7e6,
    isOfApp: false,
    buffers: [
      [5, 32],
      [10, 64],
    ] as const,
  },
  {
    isSampled: true,
    bytesPerS: 1e5,
    isOfApp: true,
    buffers: [
      [5, 8],
      [10, 8],
    ] as const,
  },
];

test("the buffer that a duration needs is told as the command tells it", () => {
  const choice = { mode: "trace", bufferMb: 32, durationS: 10 } as const;
  assert.deepEqual(bufferAdvice(RATES, choice), {
    text: "At 4.7 MB a second, as busy apps do, 10 s need a buffer of 64 MB, and it has 32.",
    neededMb: 64,
  });
  assert.equal(bufferAdvice(RATES, { ...choice, bufferMb: 64 }), null);
  assert.equal(bufferAdvice(RATES, { ...choice, mode: "stream" }), null);
  assert.equal(bufferAdvice(RATES, { ...choice, mode: "sample" }), null);
  assert.equal(bufferAdvice([], choice), null);
  assert.deepEqual(bufferAdvice(RATES, { ...choice, mode: "sample", durationS: 0 }), {
    text: "At 0.1 MB a second, as it did the last time, 32 MB are full after some 336 s.",
    neededMb: null,
  });
});

test("the buffer that was chosen is among those to choose from", () => {
  assert.deepEqual(buffersMb(64), [8, 32, 64, 256]);
  assert.deepEqual(buffersMb(128), [8, 32, 64, 128, 256]);
});

test("an app that is installed can be started, and one whose name is typed", () => {
  const list = { apps: [{ name: "com.example.app", rates: RATES }], problem: null };
  const names = (typed: string) => startable(list, typed).map(({ name }) => name);
  assert.deepEqual(names(""), ["com.example.app"]);
  assert.deepEqual(names("com.example.app"), ["com.example.app"]);
  assert.deepEqual(names("org.other"), ["com.example.app", "org.other"]);
  for (const typed of ["app", "a.b c", "--a.b", "a..b", "1.b"])
    assert.deepEqual(names(typed), ["com.example.app"]);
});
