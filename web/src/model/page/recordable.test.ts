import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deviceLabel,
  hasSomething,
  HERE,
  matchingProcesses,
  placesOf,
  recordableApp,
  recordableProgram,
  uptimeWords,
  type JavaProgram,
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

test("an app that is installed can be started, and one whose name is typed", () => {
  const list = {
    apps: [{ name: "com.example.app", rates: [] }],
    abilities: { android: "", of: [] },
    problem: null,
  };
  const names = (typed: string) => startable(list, typed).map(({ name }) => name);
  assert.deepEqual(names(""), ["com.example.app"]);
  assert.deepEqual(names("com.example.app"), ["com.example.app"]);
  assert.deepEqual(names("org.other"), ["com.example.app", "org.other"]);
  for (const typed of ["app", "a.b c", "--a.b", "a..b", "1.b"])
    assert.deepEqual(names(typed), ["com.example.app"]);
});
