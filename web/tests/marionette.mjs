// Firefox as Debian has it, by its own protocol for tests: JSON over a socket, each message with its length in front.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const PATIENCE_MS = 120_000;

// A socket to Firefox, which writes the port of its choice to its profile once it listens.
async function connect(profile) {
  const begun = performance.now();
  for (;;) {
    const port = await readFile(path.join(profile, "MarionetteActivePort"), "utf8").catch(() => "");
    if (port !== "") {
      const socket = net.connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      return socket;
    }
    if (performance.now() - begun > PATIENCE_MS) throw new Error("Firefox does not listen");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export const TAB = "\ue004";

export async function startFirefox() {
  const profile = await mkdtemp(path.join(os.tmpdir(), "traceview-firefox-"));
  await writeFile(path.join(profile, "user.js"), 'user_pref("marionette.port", 0);\n');
  const child = spawn(
    process.env.FIREFOX ?? "firefox-esr",
    ["--headless", "--marionette", "--no-remote", "--profile", profile],
    { stdio: "ignore", env: { ...process.env, HOME: profile } },
  );
  const socket = await connect(profile);
  const waiting = new Map();
  let buffer = Buffer.alloc(0);
  let count = 0;
  socket.on("data", (bytes) => {
    buffer = Buffer.concat([buffer, bytes]);
    for (;;) {
      const colon = buffer.indexOf(":");
      const len = Number(buffer.subarray(0, colon));
      if (colon < 0 || buffer.length < colon + 1 + len) return;
      const message = JSON.parse(buffer.subarray(colon + 1, colon + 1 + len));
      buffer = buffer.subarray(colon + 1 + len);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, value] = message;
      const { resolve, reject } = waiting.get(id);
      if (error === null) resolve(value);
      else reject(new Error(error.message));
    }
  });
  const ask = (name, values) =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      const text = JSON.stringify([0, count, name, values]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  await ask("WebDriver:NewSession", {});
  const run = async (script) =>
    (await ask("WebDriver:ExecuteScript", { script, args: [], sandbox: null })).value;
  return {
    goto: (url) => ask("WebDriver:Navigate", { url }),
    // Opens another tab, and goes on in that one.
    openTab: async () => {
      const { handle } = await ask("WebDriver:NewWindow", { type: "tab" });
      await ask("WebDriver:SwitchToWindow", { handle });
    },
    run,
    // Waits until the script returns something true, and gives it.
    waitFor: async (script) => {
      const begun = performance.now();
      for (;;) {
        const value = await run(script);
        if (value) return value;
        if (performance.now() - begun > PATIENCE_MS) throw new Error(`in vain: ${script}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    // Real keys, one after the other while the former are down: what moves the focus in Firefox is Firefox itself.
    press: (...keys) => {
      const actions = (type) => keys.map((value) => ({ type, value }));
      const key = { type: "key", id: "keys" };
      const both = [...actions("keyDown"), ...actions("keyUp").reverse()];
      return ask("WebDriver:PerformActions", { actions: [{ ...key, actions: both }] });
    },
    picture: async () =>
      Buffer.from((await ask("WebDriver:TakeScreenshot", { full: false })).value, "base64"),
    stop: async () => {
      socket.destroy();
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
