// Names of a released build in a real browser: those of the source, a choice that shows those of the file, and what
// does not change with it.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-mapping-"));
const mapping = path.join(folder, "mapping.txt");
await writeFile(
  mapping,
  `org.kitchen.Cook -> com.example.recipes.RecipeApp$Looper:
    void heat() -> loop
    void serve(com.example.recipes.RecipeApp$Message) -> dispatchMessage
      # {"id":"com.android.tools.r8.synthesized"}
    void fry() -> post
    void err(java.lang.Exception) -> onError
`,
);
const viewer = await startViewer(EXAMPLE, ["--mapping", mapping]);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const names = async () => {
  await settle(page);
  return (await page.locator("[data-rank] code").allTextContents()).join("\n");
};
const swap = async () => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "Names of the file" }).click();
  await settle(page);
};
const other = page.locator(".details .other-name");
const HEAT = `method=${encodeURIComponent("org.kitchen.Cook.heat ()V")}`;

await check("names are those of the source, and the details tell that of the file", async () => {
  await openView(page, viewer, HEAT, "[data-rank]");
  assert.match(await names(), /org\.kitchen\.Cook\.heat/);
  assert.equal(
    await other.innerText(),
    "in the file: com.example.recipes.RecipeApp$Looper.loop() void",
  );
  await assertAccessible(page);
});

await check("names of the file are a choice, and the link is what it was", async () => {
  const link = page.url();
  await swap();
  const shown = await names();
  assert.match(shown, /com\.example\.recipes\.RecipeApp\$Looper\.loop/);
  assert.doesNotMatch(shown, /org\.kitchen/);
  assert.equal(await other.innerText(), "in the source: org.kitchen.Cook.heat() void");
  assert.equal(page.url(), link);
});

await check("a method that the compiler made is said to be", async () => {
  const serve = "org.kitchen.Cook.serve (Lcom/example/recipes/RecipeApp$Message;)V";
  await openView(page, viewer, `method=${encodeURIComponent(serve)}`, "[data-rank]");
  assert.match(
    await other.innerText(),
    /Cook\.serve\(RecipeApp\.Message\) void, made by the compiler$/,
  );
});

await check("the choice stays when the page is opened again, and can be taken back", async () => {
  await page.reload();
  await page.locator("[data-rank]").first().waitFor();
  assert.doesNotMatch(await names(), /org\.kitchen/);
  await swap();
  assert.match(await names(), /org\.kitchen\.Cook\.serve/);
});

await check("a search finds both names, whichever are shown", async () => {
  for (const text of ["Cook.heat", "RecipeApp$Looper.loop"]) {
    await openView(page, viewer, "", "[data-rank]");
    await page.locator("#search").fill(text);
    await page.locator("#search").press("Control+Enter");
    assert.match(await names(), /^org\.kitchen\.Cook\.heat/);
  }
});

await check("a hidden package is one of the source with either names", async () => {
  await openView(page, viewer, "without=org.kitchen.&search=Cook&filter=Cook", ".timeline-scroll");
  const hidden = page.locator("[data-rank]", { hasText: "heat" });
  assert.equal(await hidden.count(), 0);
  await swap();
  assert.equal(await page.locator("[data-rank]", { hasText: "Looper.loop" }).count(), 0);
  await swap();
});

await check("a trace without a mapping has no such choice", async () => {
  const plain = await startViewer(EXAMPLE);
  await openView(page, plain, "", "[data-rank]");
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "Classic mode" }).waitFor();
  assert.equal(await page.getByText("Names of the file").count(), 0);
  await page.keyboard.press("Escape");
  await page.goto("about:blank"); // a page tells of events that end
  await plain.stop();
});

await check("nothing went wrong on the way", async () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true });
finish();
