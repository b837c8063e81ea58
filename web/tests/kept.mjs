// What is kept where it could be lost: the view in a link, the keyboard's place when what was pressed goes, words of a dialog that
// is closed, and in forced colours what is chosen.
import assert from "node:assert/strict";
import {
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);
const rest = () => settle(page);
const HASH = "com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";
await openView(page, viewer);

await check("a range in the view of the whole trace stays so in its link", async () => {
  const nav = page.locator("nav").first();
  await followLink(page, viewer, "range=400-450ms");
  const inRange = await nav.innerText();
  for (let i = 0; i < 12; i += 1) await page.keyboard.press("s");
  await rest();
  const wide = await nav.innerText();
  assert.notEqual(wide, inRange);
  const { hash } = new URL(page.url());
  assert.match(hash, /view=0/);
  await openView(page, viewer, hash.slice(1));
  assert.equal(await nav.innerText(), wide);
});

await check("the keyboard goes on where what it pressed is gone", async () => {
  const hasFocus = () => page.evaluate(() => document.activeElement !== document.body);
  for (const [link, button] of [
    [`method=${HASH}&upwards=${HASH}`, page.locator(".chips .chip").first()],
    ["filter=nativeFinished", page.locator(".chips .chip").first()],
    ["picked=400-450ms", page.getByRole("button", { name: "Clear" }).first()],
  ]) {
    await followLink(page, viewer, link);
    await button.focus();
    await page.keyboard.press("Enter");
    await rest();
    assert.equal(await button.count(), 0, link);
    assert.ok(await hasFocus(), `the focus is lost after ${link}`);
  }
});

await check("in forced colours what is chosen is marked", async () => {
  await followLink(page, viewer, "tab=flame");
  await page.emulateMedia({ forcedColors: "active" });
  const colours = await page
    .locator(".segments button")
    .evaluateAll((buttons) =>
      buttons.map((one) => [
        one.getAttribute("aria-checked"),
        getComputedStyle(one).backgroundColor,
      ]),
    );
  await page.emulateMedia({ forcedColors: "none" });
  const of = (isChosen) =>
    new Set(colours.flatMap(([checked, colour]) => (checked === isChosen ? [colour] : [])));
  assert.ok(of("true").size === 1 && colours.length > 4, JSON.stringify(colours));
  for (const colour of of("false")) assert.ok(!of("true").has(colour), JSON.stringify(colours));
});

await checkProgram("a page's title and note are there again after Escape", async () => {
  const open = async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Save as one page…" }).click();
    await page.locator(".one-page").waitFor();
  };
  await open();
  await page.getByLabel("Title").fill("Slow start");
  await page.getByLabel(/^Note/).fill("See the second wait");
  await page.keyboard.press("Escape");
  await rest();
  await open();
  assert.equal(await page.getByLabel("Title").inputValue(), "Slow start");
  assert.equal(await page.getByLabel(/^Note/).inputValue(), "See the second wait");
  await page.keyboard.press("Escape");
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
