// Starts the real program and a real browser, and counts what holds.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { drawnByName, drawnInTurn } from "../../tests/support/drawn.mjs";
import { watchRuns } from "./runs.mjs";
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
// Nothing is drawn.
export const isAll = process.argv.includes("--all");

// The shell is Chromium without what a user sees around the page: each check takes a quarter less of the processor's time.
export const CHROMIUM =
  process.env.CHROMIUM ??
  ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((file) => existsSync(file));

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
const PATIENCE_MS = 60_000;

// As on a machine that is slow in one place, so that a check which reads too early fails each time, and not one time in
// a thousand: answers and frames come SLOW_PAGE milliseconds later to the page, or each step of a check SLOW_STEPS
// milliseconds later.
const SLOW_PAGE_MS = Number(process.env.SLOW_PAGE ?? 0);
const SLOW_STEPS_MS = Number(process.env.SLOW_STEPS ?? 0);

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

// Pages of tests live for seconds: what V8's optimizing compilers do for them costs more than it gives back, a tenth of the
// processor's time of all tests. A browser of its own, as what is measured has, has them.
const SHORT_LIVED = ["--js-flags=--no-maglev,--no-opt"];

// Starts the browser that every startBrowser() from now on takes a part of; gives what ends it.
export async function shareBrowser() {
  shared = await launch(SHORT_LIVED);
  return () => shared.close();
}

const launch = (args = []) =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [...CHROMIUM_ARGS, ...args],
    slowMo: SLOW_STEPS_MS,
  });

// A browser as a new user has it, with nothing stored. What is measured is not watched; one with arguments of its own is
// shared with nobody. Pages see this machine's devices and Java programs only where they are told to: other tests start
// such, and the bar would have one button more or less. `scale` is how many of the screen's pixels each of a page's is wide.
// Without `hasScript` pages run no script, and are not watched.
export async function startBrowser({
  isWatched = true,
  seesDevices = false,
  args = [],
  scale = 1,
  hasScript = true,
} = {}) {
  const browser = args.length > 0 || shared === null ? await launch(args) : shared;
  const context = await browser.newContext({
    viewport: { width: 1600, height: 900 },
    deviceScaleFactor: scale,
    // What glides is drawn anew for each frame of its way: only tests of that ask for it.
    reducedMotion: "reduce",
    javaScriptEnabled: hasScript,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (!seesDevices) await context.addInitScript(hideDevices);
  if (SLOW_PAGE_MS > 0) await context.addInitScript(slowDown, SLOW_PAGE_MS);
  if (isWatched) await context.addInitScript(watchWork);
  const isNoted = hasScript && process.env.TRACEVIEW_RUNS !== undefined;
  const noteRuns = isNoted ? watchRuns(context) : null;
  return {
    context,
    stop: async () => {
      await noteRuns?.();
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

// Runs in every page before the page's own scripts: what the page asks for, each frame, and what it keeps, comes `ms`
// later.
function slowDown(ms) {
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, fetch, Worker } =
    self;
  self.fetch = (...values) =>
    new Promise((done) => setTimeout(done, ms)).then(() => fetch(...values));
  const cancels = new Map(); // of frames, by their ids
  let count = 0;
  self.requestAnimationFrame = (then) => {
    const id = ++count;
    const timer = setTimeout(() => {
      const frame = requestAnimationFrame((now) => {
        cancels.delete(id);
        then(now);
      });
      cancels.set(id, () => cancelAnimationFrame(frame));
    }, ms / 4);
    cancels.set(id, () => clearTimeout(timer));
    return id;
  };
  self.cancelAnimationFrame = (id) => {
    cancels.get(id)?.();
    cancels.delete(id);
  };
  self.Worker = class extends Worker {
    postMessage(...values) {
      setTimeout(() => super.postMessage(...values), ms);
    }
  };
  // The browser's storage is opened later, so that what is kept is there later than it is seen.
  const { set } = Object.getOwnPropertyDescriptor(IDBRequest.prototype, "onsuccess");
  Object.defineProperty(IDBOpenDBRequest.prototype, "onsuccess", {
    set(then) {
      set.call(this, () => setTimeout(then, ms));
    },
  });
}

// The names of the traces that a page without a program keeps in the browser, so that a reload shows them.
export function keptNames(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        const opening = indexedDB.open("traceview");
        opening.onsuccess = () => {
          const all = opening.result.transaction("traces").objectStore("traces").getAll();
          all.onsuccess = () => done(all.result.map(({ name }) => name));
          opening.result.close();
        };
      }),
  );
}

// A trace is seen before the browser has its copy: a reload before that leads to the start page.
export const whenKept = (page, name) => until(async () => (await keptNames(page)).includes(name));

// Runs in every page before the page's own scripts, and notes what the page has on its way: requests, questions to
// its workers, frames, timers and copies to the clipboard.
function watchWork() {
  const { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, fetch, Worker } =
    self;
  const LOOK_MS = 25;
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
      // A piece of a file belongs to the question that opens it.
      if (message.id !== undefined && message.kind !== "take") {
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
  const words = (counts) =>
    Object.entries(counts)
      .flatMap(([name, number]) => (number > 0 ? [`${number} ${name}`] : []))
      .join(", ");
  // What is on its way, in words; empty: nothing. Elements and animations are looked for where nothing else is: the browser
  // computes styles for it.
  const left = (longestTimerMs) =>
    words({
      frames: frames.size,
      promises,
      questions: questions.size,
      timers: [...timers.values()].filter((ms) => ms <= longestTimerMs).length,
    }) ||
    words({
      busy: document.querySelectorAll("[aria-busy=true], [data-busy=true]").length,
      moving: isMoving() ? 1 : 0,
    });
  self.work = {
    // Comes once nothing was on its way for `quietFrames` frames one after the other; gives what is, when that takes
    // too long. It looks now and then, and asks for frames at the end alone: each costs the browser some milliseconds.
    rest: async (longestTimerMs, quietFrames, patienceMs) => {
      const end = performance.now() + patienceMs;
      for (let quiet = 0; quiet < quietFrames;) {
        const now = left(longestTimerMs);
        if (now !== "" && performance.now() > end) return now;
        quiet = now === "" ? quiet + 1 : 0;
        await new Promise((done) =>
          quiet > 0 ? requestAnimationFrame(done) : setTimeout(done, LOOK_MS),
        );
      }
      return "";
    },
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
  const left = await page.evaluate(
    ([timerMs, frames, ms]) => self.work.rest(timerMs, frames, ms),
    [longestTimerMs, QUIET_FRAMES, PATIENCE_MS],
  );
  assert.equal(left, "", "the page is never at rest");
}

// What the browser writes of a question that the program refuses for now, as one about a trace that it has to read first.
export const isRefusedForNow = (text) => /\b503\b/.test(text);

// Of such a question about an old trace, which is read behind the new one: the page asks it again. One that the old trace alone
// answers has it in its path.
export const isAskedAgain = (text) =>
  isRefusedForNow(text) && /[?&]old=|\/t\/\d+\/api\//.test(text);

// Opens the view that a link names as a page of its own, and waits until `ready` is there and the page is at rest.
export async function openView(page, viewer, link = "", ready = ".timeline-scroll") {
  await page.goto("about:blank");
  await followLink(page, viewer, link, ready);
}

// Follows a link in the page that is open, where one of this viewer is, as Back does it: that takes a third of the processor's time
// of a page of its own. What no link names, such as sizes, stays as it was.
export async function followLink(page, viewer, link = "", ready = ".timeline-scroll") {
  await page.goto(`${viewer.url}#${link}`);
  await page.locator(ready).first().waitFor();
  await settle(page);
}

// Drops a file on the page, as a user does from a folder.
export async function dropFile(page, name, bytes, clientX = 0) {
  const transfer = await page.evaluateHandle(
    ([fileName, data]) => {
      const list = new DataTransfer();
      const raw = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      list.items.add(new File([raw], fileName));
      return list;
    },
    [name, bytes.toString("base64")],
  );
  await page.dispatchEvent("#app", "dragover", { dataTransfer: transfer, clientX });
  await page.dispatchEvent("#app", "drop", { dataTransfer: transfer, clientX });
}

// axe-core finds nothing in the page, targets smaller than 24 px among it, nor in what the page tells screen readers alone.
export async function assertAccessible(page, longestTimerMs = TWIN_TIMER_MS) {
  await settle(page, longestTimerMs);
  await runAxe(page, { rules: { "target-size": { enabled: true } } });
}

// Nor in the colours of the other theme, in which the page is what it was but for them. They are values of the same variables, so
// that of a file's views one of three is looked at in them, the first among them; --all looks at all.
let coloursOf = null; // the check that is on its way

export async function assertColours(page, longestTimerMs = TIMER_MS) {
  await settle(page, longestTimerMs);
  if (coloursOf !== null && !coloursOf()) return;
  await runAxe(page, { runOnly: ["color-contrast", "link-in-text-block"] });
}

export async function assertAccessibleInBoth(page) {
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await assertColours(page);
  await page.emulateMedia({ colorScheme: "light" });
}

// The tab of what changed has the counts and the first row of the answer of `diff --json`.
export async function assertChanges(page, diff) {
  const first = page.locator("[data-table=changes] .table-rows .tr").first();
  await first.waitFor();
  const head = await page.locator(".changes-head").innerText();
  const { changed, same } = diff.calls_verdicts;
  const counts = `Calls of ${changed.toLocaleString("en")} methods changed (${diff.added} new, ${diff.gone} gone); of ${same} they are the same.`;
  assert.ok(head.includes(counts), `${head} has not: ${counts}`);
  const [told] = diff.times;
  const cells = await first.locator(".td").allTextContents();
  assert.equal(cells[0], told.method);
  assert.equal(cells[4], (told.old.time_ns / 1e6).toFixed(3));
  assert.equal(cells[5], (told.new.time_ns / 1e6).toFixed(3));
}

// Elements that differ in data alone from one before them in the same parent, as rows of a table do: their names, classes, attributes
// and all that is in them are the same but for lengths and words, and where one has a text, the other has. axe's rules are asked of
// the first: each kind of row, with each state and colour, keeps one. They read the others still, as what is around it.
function alike() {
  // Each kind has a number, so that one of many elements is a short text; an element's is worked out once.
  const numbers = new Map();
  const kinds = new Map();
  const kindOf = (element) => {
    const attributes = Array.from(element.attributes, ({ name, value }) => {
      if (name === "class") return value;
      if (name === "style") return value.replace(/-?[\d.]+(px|%|em|ch)/g, "");
      return `${name}=${/^[a-z-]{0,12}$/.test(value) ? value : "…"}`;
    });
    const inside = Array.from(element.childNodes, (node) =>
      node.nodeType === Node.ELEMENT_NODE ? kindOf(node) : node.data.trim() === "" ? "" : "text",
    );
    const kind = `${element.tagName} ${attributes.join(" ")} (${inside.join(" ")})`;
    if (!numbers.has(kind)) numbers.set(kind, numbers.size);
    kinds.set(element, numbers.get(kind));
    return numbers.get(kind);
  };
  kindOf(document.body);
  const found = [];
  const look = (parent) => {
    const before = new Set();
    for (const child of parent.children) {
      const kind = kinds.get(child);
      if (before.has(kind)) found.push(child);
      else look(child);
      before.add(kind);
    }
  };
  look(document.body);
  return found;
}

async function runAxe(page, options) {
  if (!(await page.evaluate(() => "axe" in globalThis)))
    await page.evaluate(await readFile(AXE, "utf8"));
  // Only what is wrong is told of; the style sheets are the page's own.
  const found = await page.evaluate(
    async ([more, exclude]) => {
      const how = { resultTypes: ["violations"], selectors: false, preload: false, ...more };
      const { violations } = await globalThis.axe.run({ exclude }, how);
      return violations.map(
        ({ id, help, nodes }) =>
          `${id}: ${nodes.length} × ${help}: ${nodes[0]?.html.slice(0, 140)}`,
      );
    },
    [options, isAll ? [] : await page.evaluateHandle(alike)],
  );
  assert.deepEqual(found, []);
}

// Asks until the answer is something true, and gives it: of what no locator can wait for.
export async function until(ask) {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`in vain: ${ask}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// Notes what goes wrong in a page, but for what a check brings about: an event may come after the check has ended.
export function watchProblems(page, isBroughtAbout = () => false, problems = []) {
  const note = (text) => isBroughtAbout(text) || problems.push(text);
  page.on("pageerror", (error) => note(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") note(`${message.text()} ${message.location().url}`.trim());
  });
  return problems;
}

// A step from the last call is refused with 404, which the page turns into a word to the user.
export const isNoStep = (text) => /\b404\b.*api\/call\?.*step=/.test(text);

// Turns the wheel, and waits until the page has been told.
export async function wheel(page, dx, dy) {
  const before = await page.evaluate(() => self.work.wheels());
  await page.mouse.wheel(dx, dy);
  await page.waitForFunction((count) => self.work.wheels() > count, before);
}

// Of cases that differ in data alone, such as the width of a window, a part that is drawn by their names; if none is
// drawn, the first. --all draws all of them; the head of scripts/check tells what is drawn.
export const drawn = (cases, what) => drawnByName(cases, (one) => `${what} ${JSON.stringify(one)}`);

// What all lists of checks have counted that came to their end.
export const sum = { passed: 0, failed: 0, lists: 0 };

// A list of named checks; each prints a line, the end prints the counts.
export function createChecks() {
  let passed = 0;
  let failed = 0;
  const isTaken = drawnInTurn();
  const check = async (name, run) => {
    let colours = 0;
    coloursOf = () => isTaken(`colours ${(colours += 1)} of ${name}`);
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
