// A mapping that is dropped on the page: it renames the open trace, is refused where it is of another build, and forgotten when
// asked to. The same in the viewer and on the static site.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  assertAccessible,
  createChecks,
  dropFile,
  EXAMPLE,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { traceOf } from "./odd-traces.mjs";

const LOOPER = "com.example.recipes.RecipeApp$Looper";
const MAPPING = Buffer.from(`# compiler: R8
org.kitchen.Cook -> ${LOOPER}:
    void heat() -> loop
    void serve(com.example.recipes.RecipeApp$Message) -> dispatchMessage
`);
const OTHER_BUILD = Buffer.from(`org.kitchen.Other -> ${LOOPER}:
    void never() -> nowhere
`);

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-drop-"));
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const LOOP = `${LOOPER}.loop ()V`;
const names = async () => {
  await settle(page);
  return (await page.locator("[data-rank] code").allTextContents()).join("\n");
};
const notice = (text) => page.locator(".notice", { hasText: text });
const renamed = (text) => page.locator("[data-rank]", { hasText: text }).first().waitFor();
const view = async (label) => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  return page.getByRole("menuitem", { name: label });
};

await check("a mapping that is dropped renames the trace, and says what it knows", async () => {
  const link = `method=${encodeURIComponent(LOOP)}&search=Looper.loop&filter=Looper.loop`;
  await openView(page, viewer, link, "[data-rank]");
  assert.match(await names(), /RecipeApp\$Looper\.loop/);
  await dropFile(page, "cook.txt", MAPPING);
  await notice("Names by cook.txt, which knows 66 % of the names (2 of 3).").waitFor();
  await renamed("org.kitchen.Cook.heat");
  await assertAccessible(page);
});

await check("a link with the name of the file still finds its method", async () => {
  const told = page.locator(".details .other-name");
  assert.equal(await told.innerText(), `in the file: ${LOOPER}.loop() void`);
});

await check("a search for either name finds it", async () => {
  assert.match(await names(), /^org\.kitchen\.Cook\.heat/);
  await page.locator("#search").fill("Cook.heat");
  await settle(page);
  assert.match(await names(), /^org\.kitchen\.Cook\.heat/);
});

await check("the properties of the trace say so, too", async () => {
  await page.locator("#search").fill("cook.txt");
  await page.getByRole("tab", { name: "Trace", exact: true }).click();
  const row = page.locator(".trace-properties [role=row]", { hasText: "Names" }).first();
  assert.match(await row.innerText(), /by cook\.txt, which knows 66 % of the names/);
  await page.getByRole("tab", { name: "Profile", exact: true }).click();
  await page.locator("#search").fill("Looper.loop");
});

await check("one of another build is refused, the names stay, and it can be forced", async () => {
  await dropFile(page, "old.txt", OTHER_BUILD);
  const refusal = notice("is of another build: it knows 0 of the 3 methods");
  await refusal.waitFor();
  // What was told before would stand over it.
  assert.equal(await notice("Names by cook.txt").count(), 0);
  assert.match(await names(), /org\.kitchen\.Cook\.heat/);
  await assertAccessible(page);
  await refusal.getByRole("button", { name: "Take it all the same" }).press("Enter");
  await notice("Names by old.txt, which knows 0 % of the names (0 of 3).").waitFor();
  await renamed("org.kitchen.Other.loop");
  assert.equal(await refusal.count(), 0);
});

await check("what is no mapping and no trace says so, and changes nothing", async () => {
  await dropFile(page, "utf16.txt", Buffer.from("\ufeffa.B -> c:\n", "utf16le"));
  await page.locator(".notice.bad").waitFor();
  assert.match(await names(), /org\.kitchen\.Other\.loop/);
});

await check("a packed one is known by its name; an earlier failure is over then", async () => {
  await dropFile(page, "mapping.txt.gz", gzipSync(MAPPING));
  await notice("Names by mapping.txt.gz, which knows 66 %").waitFor();
  await renamed("org.kitchen.Cook.heat");
  assert.deepEqual(await page.locator(".notice.bad").allTextContents(), []);
});

await check("it can be forgotten", async () => {
  await (await view("Forget mapping.txt.gz")).click();
  await notice("Names are those of the file.").waitFor();
  await renamed("RecipeApp$Looper.loop");
  assert.equal(await (await view(/^Forget/)).count(), 0);
  await page.keyboard.press("Escape");
});

await check("without a trace it says what to do, and a trace opens after it", async () => {
  const none = await startViewer(null);
  await page.goto(none.url);
  await page.getByRole("heading", { name: "Open a method trace" }).waitFor();
  await dropFile(page, "cook.txt", MAPPING);
  await page.getByText(/open(?:s)? (?:it|its trace) first/).waitFor();
  await dropFile(page, "small.trace", traceOf(3));
  await page.locator("[data-rank]").first().waitFor();
  await page.goto("about:blank"); // a page tells of events that end
  await none.stop();
});

// The program answers 404 to a mapping where no trace is, as it is meant to.
await check("nothing else went wrong on the way", async () =>
  assert.deepEqual(
    problems.filter((text) => !/404/.test(text)),
    [],
  ),
);

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true });
finish();
