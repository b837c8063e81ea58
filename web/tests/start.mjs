// The start page in a real browser: drop a file, choose the example, open a recent file, cancel, reload
// what was recorded anew; what cannot be opened leaves what is shown; and each trace of a viewer has its own address.
import assert from "node:assert/strict";
import { appendFile, copyFile, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  assertColours,
  createChecks,
  dropFile,
  EXAMPLE,
  IS_ENGINE,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { traceOf } from "./odd-traces.mjs";

const { check, checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-start-"));
const viewer = await startViewer(null);
const browser = await startBrowser();
const page = await browser.context.newPage();
// What the page asks for in vain stands here, too.
const problems = watchProblems(page);

const drop = (name, bytes) => dropFile(page, name, bytes);

const title = () => page.locator(".bar h1").textContent();
const hasTitle = (name) =>
  page.waitForFunction((text) => document.querySelector(".bar h1")?.textContent === text, name);
const rows = () => page.locator("[data-rank]").first().waitFor();

await check("begins with a place to drop a file and the example", async () => {
  await page.goto(viewer.url);
  const help = await page.locator(".bar .button").last().boundingBox();
  const { width } = page.viewportSize();
  assert.ok(help.x + help.width > width - 20, `${help.x}: its buttons stand to the right`);
  await page.getByRole("heading", { name: "Open a method trace" }).waitFor();
  assert.equal(await page.locator(".start-recent").count(), 0);
  assert.match(await page.locator(".start-example").textContent(), /2\.5 MiB/);
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing on the start page in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertFine(page);
  });

await check("without a trace there are no keys and commands of one", async () => {
  const shown = () => page.locator("[role=dialog], dialog[open], .notices .notice").count();
  for (const key of ["t", "m", "Shift+M", "k", "2", "."]) {
    await page.keyboard.press(key);
    await settle(page);
    assert.equal(await shown(), 0, key);
  }
  await page.keyboard.press("Control+k");
  await page.locator(".dialog-search").waitFor();
  const commands = (await page.locator("#commands [role=option]").allInnerTexts()).join("\n");
  assert.match(commands, /Settings/);
  assert.doesNotMatch(commands, /Choose threads|Copy the selection|Marks/);
  await page.keyboard.type("main");
  await settle(page);
  await page.keyboard.press("Escape");
  assert.deepEqual(problems, []);
});

await check("what is no trace says why, and the start page stays", async () => {
  await drop("picture.png", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"));
  await page.locator(".start-problem", { hasText: "picture.png: " }).waitFor();
  await page.getByRole("heading", { name: "Open a method trace" }).waitFor();
});

await check("a dropped file is shown", async () => {
  await drop("small.trace", traceOf(3));
  await hasTitle("small.trace");
  await rows();
  await settle(page);
  assert.match(await page.locator(".facts").textContent(), /1 thread · 1,000 calls/);
  assert.match(await page.title(), /small\.trace/);
});

await check("another one is shown with nothing chosen", async () => {
  await page.locator("[data-rank]").first().click();
  await page.waitForFunction(() => location.hash.includes("method="));
  await page.evaluate(() => (window.open = () => null)); // as a browser that allows no tab
  await drop("other.trace", traceOf(5, 4000));
  await hasTitle("other.trace");
  await rows();
  await settle(page);
  assert.equal(await page.locator(".tr.selected").count(), 0);
  assert.match(await page.locator(".facts").textContent(), /2,000 calls/);
});

const address = () => new URL(page.url()).pathname.split("/").slice(2).join("/");

await checkProgram(
  "it has an address of its own, and Back returns to the former trace",
  async () => {
    assert.equal(address(), "t/2/");
    await page.goBack();
    await hasTitle("small.trace");
    assert.equal(address(), "");
    await page.locator(".tr.selected").waitFor(); // as it was left
    await page.goForward();
    await hasTitle("other.trace");
  },
);

await checkProgram("after a gesture it gets a tab of its own, and this one stays", async () => {
  await rows();
  await page.locator(".bar h1").click();
  const opened = browser.context.waitForEvent("page");
  await drop("third.trace", traceOf(4, 2000));
  const tab = await opened;
  await tab.waitForFunction(() => document.querySelector(".bar h1")?.textContent === "third.trace");
  assert.match(new URL(tab.url()).pathname, /\/t\/3\/$/);
  assert.equal(await title(), "other.trace");
  assert.equal(address(), "t/2/");
  await page.locator(".load-bar").waitFor({ state: "detached" });
  await tab.close();
});

const problem = page.locator(".error-lines .notice");
await check("what cannot be read leaves the trace, and one line says why", async () => {
  await page.reload();
  await rows();
  await page.locator("[data-rank]").nth(1).click(); // after which a browser would allow a new tab
  await page.waitForFunction(() => location.hash.includes("method="));
  await settle(page);
  const before = page.url();
  const pages = browser.context.pages().length;
  for (const [name, bytes, why] of [
    ["odd.txt", Buffer.from("nothing of interest\n"), /^odd\.txt: .{20,}$/],
    ["cut.trace", traceOf(3).subarray(0, 60), /^cut\.trace: .*cut/],
    ["cut.trace.zst", (await readFile(EXAMPLE)).subarray(0, 4000), /^cut\.trace\.zst: /],
  ]) {
    await drop(name, bytes);
    await problem.filter({ hasText: `${name}: ` }).waitFor();
    await settle(page);
    assert.match(await problem.locator("span").innerText(), why, "one line, of the last file");
    assert.equal(await page.locator(".load-bar").count(), 0);
    assert.equal(await title(), "other.trace");
    assert.equal(page.url(), before);
    assert.equal(await page.locator(".tr.selected").count(), 1);
  }
  assert.equal(browser.context.pages().length, pages, "no tab was opened for it");
  await page.keyboard.press("2");
  await settle(page);
  await page.locator(".flame-scroll").waitFor();
  await page.keyboard.press("1");
  await rows();
  await settle(page);
});

await check("a file that can be read takes away what was said of the last one", async () => {
  await page.evaluate(() => (window.open = () => null));
  await drop("small.trace", traceOf(3));
  await hasTitle("small.trace");
  await rows();
  await settle(page);
  assert.equal(await problem.count(), 0);
  if (IS_ENGINE) await drop("other.trace", traceOf(5, 4000));
  else await page.goBack();
  await hasTitle("other.trace");
  await rows();
  await settle(page);
  assert.equal(await problem.count(), 0);
});

await checkProgram("a link that names another trace says so", async () => {
  await page.goto(`${viewer.url}t/2/#trace=0123456789abcdef`);
  await page.reload(); // with the fragment alone the page is not loaded anew
  await page.locator(".notice", { hasText: "another trace than other.trace" }).waitFor();
});

await checkProgram("the page survives being loaded anew", async () => {
  await page.reload();
  await hasTitle("other.trace");
  await rows();
});

await page.close(); // first: a stream that ends is told of as an error
await viewer.stop();

await check("the example opens by a press", async () => {
  const fresh = await startViewer(null);
  const other = await browser.context.newPage();
  await other.goto(fresh.url);
  await other.locator(".start-example").click();
  await other.locator("[data-rank]").first().waitFor();
  assert.equal(await other.locator(".bar h1").textContent(), "recipes.trace.zst");
  await other.close();
  await fresh.stop();
});

await checkProgram(
  "recent files are listed and open; the file recorded anew is offered",
  async () => {
    const state = { XDG_STATE_HOME: path.join(folder, "state"), HOME: folder };
    const file = path.join(folder, "my app.trace.zst");
    await copyFile(EXAMPLE, file);
    const first = await startViewer(file, [], state);
    const other = await browser.context.newPage();
    await other.goto(first.url);
    await other.locator("[data-rank]").first().waitFor();
    await other.goto("about:blank");
    await first.stop();

    const second = await startViewer(null, [], state);
    await other.goto(second.url);
    const entry = other.locator(".start-recent li");
    await entry.waitFor();
    assert.match(await entry.textContent(), /my app\.trace\.zst.*~.*2\.5 MiB.*just now/);
    await entry.locator("button").click();
    await other.locator("[data-rank]").first().waitFor();
    await other.locator("[data-rank]").nth(2).click();
    await other.waitForFunction(() => location.hash.includes("method="));
    const chosen = await other.locator(".tr.selected code").first().textContent();

    const draft = path.join(folder, "draft");
    await copyFile(EXAMPLE, draft);
    await rename(draft, file);
    await other.locator(".load-bar", { hasText: "recorded anew" }).waitFor();
    await other.locator(".load-bar button", { hasText: "Reload" }).click();
    await other.locator(".load-bar").waitFor({ state: "detached" });
    await other.locator(".tr.selected", { hasText: chosen }).waitFor();

    // Reading it again kept its address; from the page of another trace, the list of recent files leads back to it.
    assert.equal(new URL(other.url()).pathname, new URL(second.url).pathname);
    await other.evaluate(() => (window.open = () => null)); // as a browser that allows no tab
    await dropFile(other, "small.trace", traceOf(3));
    const shows = (name) =>
      other.waitForFunction(
        (text) => document.querySelector(".bar h1")?.textContent === text,
        name,
      );
    await shows("small.trace");
    await other.locator(".bar button", { hasText: "View" }).click();
    await other.getByRole("menuitem", { name: "Recent files…" }).click();
    await other.locator("dialog li button", { hasText: "my app.trace.zst" }).click();
    await shows("my app.trace.zst");
    assert.equal(new URL(other.url()).pathname, new URL(second.url).pathname);
    await other.close();
    await second.stop();
  },
);

await checkProgram("two of the recent files are compared, the old one first", async () => {
  const state = { XDG_STATE_HOME: path.join(folder, "state-of-two"), HOME: folder };
  const old = path.join(folder, "old.trace");
  const now = path.join(folder, "now.trace");
  await writeFile(old, traceOf(3));
  await writeFile(now, traceOf(5));
  const both = await startViewer(old, [now], state);
  const other = await browser.context.newPage();
  await other.goto(both.url);
  await other.locator("[data-table=changes] .table-rows .tr").first().waitFor();
  await other.goto("about:blank");
  await both.stop();

  const empty = await startViewer(null, [], state);
  await other.goto(empty.url);
  const compare = (name) =>
    other.locator(".start-recent li", { hasText: name }).getByRole("button", { name: "Compare" });
  const list = other.locator(".start-recent ul");
  const place = await list.boundingBox();
  await compare("old.trace").click();
  await other.getByText("old.trace is the old one: choose the new one").waitFor();
  assert.deepEqual(await list.boundingBox(), place, "the list stays under the pointer");
  assert.equal(await compare("old.trace").getAttribute("aria-pressed"), "true");
  await assertAccessible(other);
  await compare("old.trace").click();
  assert.equal(await compare("old.trace").getAttribute("aria-pressed"), "false");
  await compare("old.trace").click();
  await compare("now.trace").click();
  await other.locator("[data-table=changes] .table-rows .tr").first().waitFor();
  assert.match(
    await other.locator(".changes-head").innerText(),
    /Old\s+old\.trace[^]*New\s+now\.trace/,
  );
  await other.close();
  await empty.stop();
});

// A viewer that was told, when it had read the beginning of a file, to leave out the rest. Where it has read the rest by the
// time that it is told, another one begins.
async function startCutShort(file, calls) {
  for (;;) {
    const viewer = await startViewer(file, ["--no-cache"], { TRACEVIEW_FIRST_PART: "20000000" });
    const ask = async () => (await fetch(`${viewer.url}api/first`)).json();
    const isWhole = ({ info }) => info?.calls === calls && info.part === undefined;
    let told = await ask();
    while (told.info?.part === undefined && !isWhole(told)) told = await ask();
    await fetch(`${viewer.url}api/cancel`, { method: "PUT" });
    do told = await ask();
    while (told.state.loading);
    if (!isWhole(told)) return viewer;
    await viewer.stop();
  }
}

await checkProgram(
  "the beginning of a large trace is shown, and the rest when asked for",
  async () => {
    const file = path.join(folder, "large.trace");
    const piece = traceOf(3, 2_000_000);
    await writeFile(file, piece);
    for (let ix = 0; ix < 9; ix++)
      await appendFile(file, piece.subarray(piece.length - 18_000_000));
    const large = await startCutShort(file, 10_000_000);
    const other = await browser.context.newPage();
    await other.goto(large.url);
    await other.locator(".load-bar", { hasText: "Only the first 11 % shown" }).waitFor();
    await other.locator("[data-rank]").first().waitFor();
    await other.keyboard.press("2");
    await other.locator(".load-bar button", { hasText: "Read all" }).click();
    await other.locator(".facts", { hasText: "10,000,000 calls" }).waitFor();
    await other.locator(".load-bar").waitFor({ state: "detached" });
    assert.equal(
      await other.getByRole("tab", { name: "Flame" }).getAttribute("aria-selected"),
      "true",
    );
    await other.close();
    await large.stop();
  },
);

await checkProgram(
  "while the rest of a large trace is read nothing offers to read it",
  async () => {
    const large = await startViewer(path.join(folder, "large.trace"), ["--no-cache"], {
      TRACEVIEW_FIRST_PART: "20000000",
    });
    const other = await browser.context.newPage();
    await other.addInitScript(() => {
      self.bars = [];
      const look = () => {
        const text = document.querySelector(".load-bar")?.textContent;
        if (text && text !== self.bars.at(-1)) self.bars.push(text);
      };
      new MutationObserver(look).observe(document, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    await other.goto(large.url);
    await other.locator(".facts", { hasText: "10,000,000 calls" }).waitFor();
    const bars = await other.evaluate(() => self.bars);
    assert.deepEqual(
      bars.filter((text) => !text.startsWith("The first 11 % shown, reading the rest…")),
      [],
    );
    await other.close();
    await large.stop();
  },
);

await checkProgram("reading can be cancelled, and the start page comes back", async () => {
  const fresh = await startViewer(null);
  const other = await browser.context.newPage();
  await other.goto(fresh.url);
  // A body that never ends, as far as this page sees.
  await other.route("**/api/open?*", () => undefined);
  await other.locator(".start-example").click();
  await other.locator(".reading", { hasText: "recipes.trace.zst" }).waitFor();
  await other.locator(".reading button", { hasText: "Cancel" }).click();
  await other.getByRole("heading", { name: "Open a method trace" }).waitFor();
  await other.close();
  await fresh.stop();
});

await check("nothing went wrong in the page", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await rm(folder, { recursive: true, force: true });
finish();
