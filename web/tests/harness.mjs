// Starts the real program and a real browser, and counts what holds.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = path.dirname(fileURLToPath(import.meta.url));
export const EXAMPLE = path.resolve(here, "../../tests/data/recipes.trace.zst");

export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Starts `traceview --no-browser FILE` and waits for its address. VIEWER_URL names one that runs already.
export async function startViewer(file, extra = [], variables = {}) {
  if (process.env.VIEWER_URL) return { url: process.env.VIEWER_URL, stop: () => undefined };
  const binary =
    process.env.TRACEVIEW === undefined
      ? path.resolve(here, "../../build/release/traceview")
      : path.resolve(process.env.TRACEVIEW);
  // The user's own settings must neither change nor matter.
  const config = await mkdtemp(path.join(os.tmpdir(), "traceview-config-"));
  const child = spawn(binary, ["--no-browser", ...extra, ...(file === null ? [] : [file])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      XDG_CONFIG_HOME: config,
      XDG_STATE_HOME: config,
      XDG_CACHE_HOME: config,
      ...variables,
    },
  });
  let errors = "";
  child.stderr.on("data", (bytes) => (errors += bytes));
  const url = await new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`no address after 20 s; stderr: ${errors}`)),
      20_000,
    );
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const found = /http:\/\/\S+/.exec(text);
      if (found !== null) {
        clearTimeout(timer);
        resolve(found[0]);
      }
    });
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`the program ended with ${status}: ${errors}`)));
  });
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await rm(config, { recursive: true, force: true });
    },
  };
}

export async function startBrowser() {
  const profile = await mkdtemp(path.join(os.tmpdir(), "traceview-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: CHROMIUM_ARGS,
    viewport: { width: 1600, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  return {
    context,
    stop: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

// Waits until nothing is on its way any more, and the link has followed: that is written a moment later, and
// `pause` is longer than that moment and the page's own.
export async function settle(page, pause) {
  let link = "";
  do {
    link = page.url();
    await page.waitForTimeout(pause);
    await page.waitForFunction(
      () => document.querySelector("[aria-busy=true], [data-busy=true]") === null,
    );
  } while (link !== page.url());
}

// A list of named checks; each prints a line, the end prints the counts.
export function createChecks() {
  let passed = 0;
  let failed = 0;
  return {
    async check(name, run) {
      try {
        await run();
        passed += 1;
        console.log(`ok - ${name}`);
      } catch (problem) {
        failed += 1;
        console.log(`not ok - ${name}`);
        for (const line of String(problem?.message ?? problem)
          .split("\n")
          .slice(0, 12))
          console.log(`# ${line}`);
      }
    },
    finish() {
      console.log(`${passed} passed, ${failed} failed`);
      process.exitCode = failed > 0 ? 1 : 0;
    },
  };
}
