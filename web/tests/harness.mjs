// Starts the real program and a real browser, and counts what holds.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { startStaticHost } from "./static-host.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
export const EXAMPLE = path.resolve(here, "../../tests/data/recipes.trace.zst");

export const BINARY = path.resolve(
  ...(process.env.TRACEVIEW === undefined
    ? [here, "../../build/release/traceview"]
    : [process.env.TRACEVIEW]),
);

// The static site, as `make site` leaves it; with --engine the tests open it in place of the program's viewer.
export const SITE = path.resolve(
  ...(process.env.SITE_FOLDER === undefined
    ? [here, "../../build/static-site"]
    : [process.env.SITE_FOLDER]),
);
export const IS_ENGINE = process.argv.includes("--engine");

const AXE = path.resolve(here, "../node_modules/axe-core/axe.min.js");

export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// A busy machine takes its time; who waits for what never comes, waits this long.
const PATIENCE_MS = 30_000;

// A list of checks that ends early stops nothing.
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill()));

// Starts the program and waits for the address that it prints first. What it keeps for its user is kept in `home`.
async function startProgram(args, home, variables) {
  const child = spawn(BINARY, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      XDG_CONFIG_HOME: home,
      XDG_STATE_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_DATA_HOME: home,
      ...variables,
    },
  });
  running.add(child);
  child.on("exit", () => running.delete(child));
  let errors = "";
  child.stderr.on("data", (bytes) => (errors += bytes));
  const url = await new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`no address after ${PATIENCE_MS / 1000} s; stderr: ${errors}`)),
      PATIENCE_MS,
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
      if (running.has(child)) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    },
  };
}

// The user's own settings must neither change nor matter.
async function startAtHome(args, variables) {
  const home = await mkdtemp(path.join(os.tmpdir(), "traceview-home-"));
  const program = await startProgram(args, home, variables);
  return {
    url: program.url,
    api: `${program.url}api/`,
    stop: async () => {
      await program.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

// `traceview --no-browser FILE`. VIEWER_URL names one that runs already.
export async function startViewer(file, extra = [], variables = {}) {
  if (IS_ENGINE) return startAlone(file);
  if (process.env.VIEWER_URL) return { url: process.env.VIEWER_URL, stop: () => undefined };
  return startAtHome(["--no-browser", ...extra, ...(file === null ? [] : [file])], variables);
}

// The static site on a host that has the file, too; its address opens it. What a test itself asks of `api/` the program
// answers, as the one to compare with; the page must not ask it (static.mjs).
async function startAlone(file) {
  if (file === null) return startStaticHost(SITE);
  const name = `traces/${path.basename(file)}`;
  const program = await startAtHome(["--no-browser", file], {});
  const host = await startStaticHost(SITE, { files: { [name]: file }, api: program.url });
  return {
    url: `${host.url}?url=${encodeURIComponent(name)}`,
    api: `${host.url}api/`,
    stop: async () => {
      await host.stop();
      await program.stop();
    },
  };
}

// `traceview serve` on a port of its own, with a store of its own.
export async function startSite(extra = []) {
  return startAtHome(["serve", "--listen", "127.0.0.1:0", "--log", "none", ...extra], {});
}

let shared = null;

// Starts the browser that every startBrowser() from now on takes a part of; gives what ends it.
export async function shareBrowser() {
  shared = await launch();
  return () => shared.close();
}

const launch = (args = []) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [...CHROMIUM_ARGS, ...args],
  });

// A browser as a new user has it, with nothing stored. What is measured is not watched; one with arguments of its own is
// shared with nobody. Pages see this machine's devices and Java programs only where they are told to: other tests start
// such, and the bar would have one button more or less.
export async function startBrowser({ isWatched = true, seesDevices = false, args = [] } = {}) {
  const browser = args.length > 0 || shared === null ? await launch(args) : shared;
  const context = await browser.newContext({
    viewport: { width: 1600, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (!seesDevices) await context.addInitScript(hideDevices);
  if (isWatched) await context.addInitScript(watchWork);
  return {
    context,
    stop: async () => {
      await context.close();
      if (browser !== shared) await browser.close();
    },
  };
}

// Runs in every page before the page's own scripts: there is nothing to record.
function hideDevices() {
  const { fetch } = self;
  self.fetch = (address, ...values) =>
    /\bapi\/(devices|processes)\b/.test(String(address))
      ? Promise.resolve(Response.json({}))
      : fetch(address, ...values);
}

// Runs in every page before the page's own scripts, and notes what the page has on its way: requests, questions to
// its workers, frames, timers and copies to the clipboard.
function watchWork() {
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, fetch, Worker } =
    self;
  const timers = new Map(); // id to milliseconds
  const frames = new Set();
  const questions = new Set(); // to workers
  let promises = 0;
  let wheels = 0;

  self.setTimeout = (then, ms = 0, ...values) => {
    const id = setTimeout(() => {
      timers.delete(id);
      then(...values);
    }, ms);
    timers.set(id, ms);
    return id;
  };
  self.clearTimeout = (id) => {
    timers.delete(id);
    clearTimeout(id);
  };
  self.requestAnimationFrame = (then) => {
    const id = requestAnimationFrame((now) => {
      frames.delete(id);
      then(now);
    });
    frames.add(id);
    return id;
  };
  self.cancelAnimationFrame = (id) => {
    frames.delete(id);
    cancelAnimationFrame(id);
  };

  const whileOnItsWay = (promise) => {
    promises += 1;
    const end = () => (promises -= 1);
    promise.then(end, end);
    return promise;
  };
  const watch = (object, name) => {
    const original = object[name];
    object[name] = function (...values) {
      return whileOnItsWay(original.apply(this, values));
    };
  };
  self.fetch = (...values) => whileOnItsWay(fetch(...values));
  for (const name of ["arrayBuffer", "blob", "json", "text"]) watch(Response.prototype, name);
  watch(ReadableStreamDefaultReader.prototype, "read");
  if (navigator.clipboard !== undefined) watch(Clipboard.prototype, "writeText");
  addEventListener("wheel", () => (wheels += 1), { capture: true, passive: true });

  // Questions to the engine of a page that stands alone: each has an id, which its answer has, too.
  self.Worker = class extends Worker {
    #mine = new Map();

    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        if (data.kind === "broken") this.#forget();
        if (data.kind === "answer" || data.kind === "failed")
          questions.delete(this.#mine.get(data.id));
      });
      this.addEventListener("error", () => this.#forget());
    }

    postMessage(message, ...values) {
      if (message.id !== undefined) {
        const question = {};
        this.#mine.set(message.id, question);
        questions.add(question);
      }
      super.postMessage(message, ...values);
    }

    terminate() {
      this.#forget();
      super.terminate();
    }

    #forget() {
      for (const question of this.#mine.values()) questions.delete(question);
    }
  };

  const isMoving = () =>
    document
      .getAnimations()
      .some(
        (one) =>
          one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity,
      );
  self.work = {
    isOver: (longestTimerMs) =>
      frames.size + promises + questions.size === 0 &&
      [...timers.values()].every((ms) => ms > longestTimerMs) &&
      document.querySelector("[aria-busy=true], [data-busy=true]") === null &&
      !isMoving(),
    wheels: () => wheels,
  };
}

// What comes of an element's new size, or of a scroll, begins a frame later.
const QUIET_FRAMES = 3;

// Timers of the page: none that changes what can be seen is longer than the first, the one of the table twin for
// screen readers is between the two, and the one that takes a notice away is longer than both.
const TIMER_MS = 500;
const TWIN_TIMER_MS = 1000;

// Waits until the page has nothing on its way any more: then the picture, the tables and the link are what they stay.
export async function settle(page, longestTimerMs = TIMER_MS) {
  const seen = await page.evaluateHandle(() => ({ quietFrames: 0 }));
  await page.waitForFunction(
    ([state, wanted, timerMs]) => {
      state.quietFrames = self.work.isOver(timerMs) ? state.quietFrames + 1 : 0;
      return state.quietFrames >= wanted;
    },
    [seen, QUIET_FRAMES, longestTimerMs],
    { polling: "raf" },
  );
}

// Opens the view that a link names as a page of its own, and waits until `ready` is there and the page is at rest.
export async function openView(page, viewer, link = "", ready = ".timeline-scroll") {
  await page.goto("about:blank");
  await page.goto(`${viewer.url}#${link}`);
  await page.locator(ready).first().waitFor();
  await settle(page);
}

// axe-core finds nothing in the page, targets smaller than 24 px among it, nor in what the page tells screen readers alone.
export async function assertAccessible(page, longestTimerMs = TWIN_TIMER_MS) {
  await settle(page, longestTimerMs);
  if (!(await page.evaluate(() => "axe" in globalThis)))
    await page.evaluate(await readFile(AXE, "utf8"));
  const found = await page.evaluate(() =>
    globalThis.axe.run(document, { rules: { "target-size": { enabled: true } } }),
  );
  assert.deepEqual(
    found.violations.map(
      (one) => `${one.id}: ${one.nodes.length} × ${one.help}: ${one.nodes[0]?.html.slice(0, 140)}`,
    ),
    [],
  );
}

// Turns the wheel, and waits until the page has been told.
export async function wheel(page, dx, dy) {
  const before = await page.evaluate(() => self.work.wheels());
  await page.mouse.wheel(dx, dy);
  await page.waitForFunction((count) => self.work.wheels() > count, before);
}

// What all lists of checks have counted that came to their end.
export const sum = { passed: 0, failed: 0, lists: 0 };

// A list of named checks; each prints a line, the end prints the counts.
export function createChecks() {
  let passed = 0;
  let failed = 0;
  const check = async (name, run) => {
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
  };
  return {
    check,
    // What only a program can do, and what only the page alone can.
    checkProgram: (name, run) => (IS_ENGINE ? undefined : check(name, run)),
    checkAlone: (name, run) => (IS_ENGINE ? check(name, run) : undefined),
    finish() {
      sum.passed += passed;
      sum.failed += failed;
      sum.lists += 1;
      console.log(`${passed} passed, ${failed} failed`);
      process.exitCode = sum.failed > 0 ? 1 : 0;
    },
  };
}

// Opens the command palette and types into it. The palette takes the keys once it has the focus, a frame after it opens.
export async function typeCommand(page, words) {
  await page.keyboard.press("Control+k");
  await page.locator(".dialog-search:focus").waitFor();
  await page.keyboard.type(words);
  await settle(page);
}
