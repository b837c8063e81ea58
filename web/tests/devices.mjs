// Devices for browser tests: ours, behind the real adb server of this machine (tests/adb/for_browser.py).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../../tests/adb/for_browser.py",
);

// Whether this machine has what the tests need.
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
