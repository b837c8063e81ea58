// What browser tests record: devices of ours, behind the real adb server of this machine (tests/adb/for_browser.py), and a
// Java program.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { BINARY, EXAMPLE, startViewer } from "./harness.mjs";

const PROGRAM = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../../tests/adb/for_browser.py",
);

// A program that runs until something comes in.
const WAITS = path.resolve(path.dirname(EXAMPLE), "../record/programs/java/Waits.java");
const AGENT = path.join(path.dirname(BINARY), "include/libtraceview-jvm.so");

// Whether this machine has what the tests need.
export const hasJava = existsSync(AGENT) && spawnSync("javac", ["-version"]).error === undefined;
export const hasAdb = spawnSync("adb", ["version"]).error === undefined;

export async function startDevices() {
  const child = spawn("python3", [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the devices ended");
    return value;
  };
  const tell = async (line) => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return {
    // The environment of the program under test.
    variables: JSON.parse(await next()),
    plug: (android, settings = {}, state = "device") =>
      tell(`plug ${android} ${JSON.stringify(settings)} ${state}`),
    set: (settings) => tell(`set ${JSON.stringify(settings)}`),
    unplug: () => tell("unplug"),
    stopServer: () => tell("stop"),
    stop: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

// A viewer without a trace whose recordings are put into this folder.
export async function startIn(folder, variables) {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await startViewer(null, [], variables);
  } finally {
    process.chdir(before);
  }
}

export async function startWaits(folder, options = []) {
  assert.equal(spawnSync("javac", ["-d", folder, WAITS]).status, 0);
  const words = [...options, "-cp", folder, "Waits"];
  const program = spawn("java", words, { stdio: ["pipe", "pipe", "inherit"] });
  await once(program.stdout, "data");
  program.stdout.resume();
  return program;
}
