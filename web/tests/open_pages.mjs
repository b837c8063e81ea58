// Many pages of one program in a real browser: more than the six connections that a browser opens to one server. All of them
// are answered and told of what happens to their trace, and the program ends when the last one is closed. With --all more pages,
// and Firefox, too, which takes as long as all the rest.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  BINARY,
  createChecks,
  dropFile,
  EXAMPLE,
  startBrowser,
  watchProblems,
} from "./harness.mjs";
import { startFirefox } from "./marionette.mjs";

const { checkProgram, finish } = createChecks();
const IS_WHOLE = process.argv.includes("--all");
const PAGES = IS_WHOLE ? 12 : 7;
// For an answer that takes milliseconds, where a connection is left for it.
const PATIENCE_MS = 20_000;
const ASK = `fetch("api/info", { signal: AbortSignal.timeout(${PATIENCE_MS}) }).then(({ status }) => status)`;

const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-open-pages-"));
const file = path.join(folder, "own.trace.zst");
await copyFile(EXAMPLE, file);

// As a user starts it, who has a browser: it ends when all pages are closed.
const { DISPLAY, WAYLAND_DISPLAY, ...others } = process.env;
const program = spawn(BINARY, [file], {
  stdio: ["ignore", "pipe", "ignore"],
  env: {
    ...others,
    BROWSER: "/bin/true",
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_CACHE_HOME: folder,
  },
});
process.on("exit", () => program.kill());
const [line] = await once(program.stdout, "data");
const url = String(line).trim();
const browser = await startBrowser();
const problems = [];
const pages = [];

const rows = (page) => page.locator("[data-rank]").first();
const isTold = (page) => page.getByText("The file was recorded anew.").isVisible();

async function open() {
  const page = await browser.context.newPage();
  watchProblems(page, undefined, problems);
  pages.push(page);
  await page.goto(url, { timeout: PATIENCE_MS });
  await rows(page).waitFor();
}

await checkProgram(`${PAGES} pages of one trace open, and all are answered at once`, async () => {
  for (let ix = 0; ix < PAGES; ix += 1) await open();
  const statuses = await Promise.all(pages.map((page) => page.evaluate(ASK)));
  assert.deepEqual(new Set(statuses), new Set([200]));
});

await checkProgram("a page among many is loaded again", async () => {
  await pages[3].reload({ timeout: PATIENCE_MS });
  await rows(pages[3]).waitFor();
  assert.equal(await pages[3].evaluate(ASK), 200);
});

await checkProgram("files that are dropped among many get pages of their own", async () => {
  const bytes = await readFile(EXAMPLE);
  for (const number of [2, 3]) {
    const opened = browser.context.waitForEvent("page", { timeout: PATIENCE_MS });
    await dropFile(pages[0], `dropped-${number}.trace.zst`, bytes);
    const page = await opened;
    watchProblems(page, undefined, problems);
    pages.push(page);
    await rows(page).waitFor();
    assert.equal(new URL(page.url()).pathname.split("/").slice(2).join("/"), `t/${number}/`);
  }
});

await checkProgram(
  "the pages of a file that was recorded anew are told, and no others",
  async () => {
    await copyFile(path.join(path.dirname(EXAMPLE), "recipes.trace.zst"), file);
    await Promise.all(
      pages.slice(0, PAGES).map((page) => page.getByText("The file was recorded anew.").waitFor()),
    );
    for (const page of pages.slice(PAGES)) assert.equal(await isTold(page), false);
  },
);

async function openInFirefox() {
  const firefox = await startFirefox();
  try {
    for (let ix = 0; ix < PAGES; ix += 1) {
      if (ix > 0) await firefox.openTab();
      await firefox.goto(url);
      await firefox.waitFor(`return document.querySelector("[data-rank]") !== null`);
    }
    await firefox.run(`self.answer = 0; ${ASK}.then((status) => (self.answer = status));`);
    await firefox.waitFor("return self.answer === 200");
  } finally {
    await firefox.stop();
  }
}

if (IS_WHOLE) await checkProgram("Firefox opens as many, too", openInFirefox);

await checkProgram(
  "the program stays while a page is left, and ends after the last one",
  async () => {
    const ended = once(program, "exit");
    for (const page of pages.slice(1)) await page.close();
    // It ends five seconds after the last page has gone.
    await new Promise((resolve) => setTimeout(resolve, 8000));
    assert.equal(program.exitCode, null);
    assert.equal(await pages[0].evaluate(ASK), 200);
    await pages[0].close();
    const [status] = await ended;
    assert.equal(status, 0);
  },
);

await checkProgram("nothing went wrong in any page", () => assert.deepEqual(problems, []));

await browser.stop();
program.kill();
await rm(folder, { recursive: true, force: true, maxRetries: 3 });
finish();
