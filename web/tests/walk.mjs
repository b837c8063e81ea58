// Stories: an insight is walked in three steps, marks are steps, and a link and a saved page play them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { writeTrace } from "./odd-traces.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-walk-"));
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);
await page.setViewportSize({ width: 1280, height: 800 });

const bar = page.getByRole("region", { name: "Story" });
const text = bar.locator("p");
const link = () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
const focused = () =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement.getAttribute("aria-label") ?? activeElement.textContent;
  });
const next = async (at) => {
  await bar.getByRole("button", { name: "Next" }).click();
  await bar.filter({ hasText: at }).waitFor();
  await text.filter({ hasNotText: "…" }).waitFor();
  await settle(page);
};

// Two threads with CPU time alone, each from its own 0: nine short calls in the first, and one of 50 ms.
function ownClocks() {
  const records = [[1, 0x10, 0, 0, 0]];
  for (let i = 0; i < 10; i++)
    records.push([1, 0x14, 0, i * 200, 0], [1, 0x14, 1, i * 200 + (i < 9 ? 100 : 50_000), 0]);
  records.push([1, 0x10, 1, 52_000, 0], [2, 0x10, 0, 0, 0], [2, 0x10, 1, 30_000, 0]);
  const threads = [
    [1, "main"],
    [2, "worker"],
  ];
  return writeTrace({ clock: "thread-cpu", threads, records });
}

// Where the bar's buttons and the timeline begin.
const places = () =>
  page.evaluate(() =>
    [".story-steps", ".timeline-scroll"].map((one) => {
      const { top } = document.querySelector(one).getBoundingClientRect();
      return Math.round(top);
    }),
  );
let placesAtFirst = [];

await openView(page, viewer, "tab=insights");

await check("an insight begins with its call, among the other calls of its method", async () => {
  const line = page.locator(".insights li", { hasText: "nativeFinished were slow" });
  await line.getByRole("button", { name: "Walk through" }).focus();
  await page.keyboard.press("Enter");
  await bar.filter({ hasText: "The call 1 of 3" }).waitFor();
  await text.filter({ hasText: "of 14 calls of RecipeApp$LoadListener.nativeFinished" }).waitFor();
  await settle(page);
  assert.equal(await page.getByRole("tab", { selected: true }).innerText(), "Calls 14");
  assert.ok(await bar.getByRole("button", { name: "Back" }).isDisabled());
  assert.equal(await focused(), "Next");
  placesAtFirst = await places();
});

await check("why: the time of the call by what it called, all panels limited to it", async () => {
  await next("Why 2 of 3");
  assert.match(await text.innerText(), /^Of 20\d ms CPU time: 20\d ms in .*Database\.query/);
  await page.locator(".chip.through", { hasText: "only call 1 of" }).waitFor();
  assert.match(link(), /story=\d+\.2/);
  assert.deepEqual(await places(), placesAtFirst, "nothing moves between steps");
});

await check("why is told by the clock that the panels have", async () => {
  await page.getByRole("radio", { name: "Wall" }).click();
  await text.filter({ hasText: /^Of 20\d ms wall time/ }).waitFor();
  await page.getByText(/^20\d ms wall time$/).waitFor();
  await page.getByRole("radio", { name: "CPU" }).click();
  await text.filter({ hasText: /^Of 20\d ms CPU time/ }).waitFor();
});

await check("meanwhile: what the other threads did, as the Profile has it", async () => {
  await next("Meanwhile 3 of 3");
  const said = await text.innerText();
  const [, ms] = /^The 4 other threads had ([\d.,]+) (?:ms|µs) CPU time meanwhile/.exec(said) ?? [];
  assert.ok(ms !== undefined, said);
  await page.getByText(`100 % is ${ms}`).first().waitFor();
  assert.equal(await page.locator(".chip.through").count(), 0);
  assert.ok(await bar.getByRole("button", { name: "Next" }).isDisabled());
  assert.equal(await page.getByText("whose row is not shown").count(), 0);
  assert.equal(await focused(), "End the story");
  await assertAccessible(page);
});

await check("Back goes a step back, and a link plays the step that it names", async () => {
  await page.goBack();
  await bar.filter({ hasText: "Why 2 of 3" }).waitFor();
  await page.locator(".chip.through").waitFor();
  const other = await browser.context.newPage();
  await other.goto(page.url());
  await other.getByRole("region", { name: "Story" }).filter({ hasText: "ms in" }).waitFor();
  await other.locator(".chip.through", { hasText: "only call 1 of" }).waitFor();
  await other.close();
});

await check("its end takes back what it set", async () => {
  await bar.getByRole("button", { name: "End the story" }).click();
  await settle(page);
  assert.equal(await focused(), "Flame");
  assert.equal(await bar.count(), 0);
  assert.equal(await page.locator(".chip.through").count(), 0);
  assert.doesNotMatch(link(), /story=|picked=|threads=/);
});

await check("marks are steps, with what was written on them", async () => {
  const marks = "mark=100-200ms|it begins&mark=400-500ms|and goes on";
  await followLink(page, viewer, marks.replaceAll(" ", "+"));
  await page.keyboard.press("Shift+M");
  await page.getByRole("button", { name: "Walk through them" }).click();
  await bar.filter({ hasText: "Mark 1 1 of 2" }).waitFor();
  assert.match(await text.innerText(), /^it begins \(/);
  await next("Mark 2 2 of 2");
  assert.match(await text.innerText(), /^and goes on \(/);
  assert.match(link(), /picked=400-500ms/);
  assert.match(link(), /story=marks\.2/);
});

await check("threads that have a clock each: nothing is said of what ran meanwhile", async () => {
  const file = path.join(folder, "own.trace");
  await writeFile(file, ownClocks());
  const own = await startViewer(file);
  await openView(page, own, "tab=insights");
  await page.getByRole("button", { name: "Walk through" }).first().click();
  await next("Why 2 of 2");
  assert.ok(await bar.getByRole("button", { name: "Next" }).isDisabled());
  assert.equal(await focused(), "End the story");
  await openView(page, own, "story=1.3");
  await text.filter({ hasText: "Each thread has a clock of its own" }).waitFor();
  await page.goto("about:blank"); // first: a stream that ends is told of as an error
  await own.stop();
});

await check("a link to an insight that is not there says so", async () => {
  await followLink(page, viewer, "story=99.1");
  await text.filter({ hasText: "no such insight" }).waitFor();
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true });
finish();
