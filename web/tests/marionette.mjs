// Firefox as Debian has it, by its own protocol for tests: JSON over a socket, each message with its length in front.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const PATIENCE_MS = 120_000;

// The first socket that Firefox takes; it listens a while after its start.
async function connect(port) {
  const begun = performance.now();
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const isThere = await new Promise((resolve) => {
      socket.on("connect", () => resolve(true));
      socket.on("error", () => resolve(false));
    });
    if (isThere) return socket;
    if (performance.now() - begun > PATIENCE_MS) throw new Error("Firefox does not listen");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

// A port that nobody has now.
async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

export async function startFirefox() {
  const profile = await mkdtemp(path.join(os.tmpdir(), "traceview-firefox-"));
  const port = await freePort();
  await writeFile(path.join(profile, "user.js"), `user_pref("marionette.port", ${port});\n`);
  const child = spawn(
    process.env.FIREFOX ?? "firefox-esr",
    ["--headless", "--marionette", "--no-remote", "--profile", profile],
    { stdio: "ignore", env: { ...process.env, HOME: profile } },
  );
  const socket = await connect(port);
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
