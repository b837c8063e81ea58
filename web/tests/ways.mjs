// Ways in and out that a new user looks for: Back, menus that show what there is, hints, and what the page says when
// the program has ended.
import assert from "node:assert/strict";
import {
  createChecks,
  EXAMPLE,
  followLink,
  settle,
  startBrowser,
  startViewer,
  wheel,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const rest = () => settle(page);
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";

const open = (link) => followLink(page, viewer, link);
const hash = () => decodeURIComponent(new URL(page.url()).hash);
const menu = (name) => page.getByRole("menuitem", { name });
const choice = (name) => page.getByRole("menuitemcheckbox", { name });
const button = (name) => page.getByRole("button", { name, exact: true });

await check("Back leads through the views, and each has its part of the time axis", async () => {
  await open("");
  const seen = [hash()];
  const step = async (act) => {
    await act();
    await rest();
    assert.notEqual(hash(), seen.at(-1));
    seen.push(hash());
    // A move that follows another within a second belongs to its step.
    await page.waitForTimeout(1100);
  };
  const stage = await page.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 400, stage.y + 60);
  await step(() => page.keyboard.press("w"));
  await step(() => page.keyboard.press("w"));
  await step(() => page.keyboard.press("2"));
  await step(() => page.keyboard.press("d"));
  assert.match(seen[2], /view=/);
  for (const was of seen.slice(0, -1).reverse()) {
    await page.goBack();
    await page.waitForFunction((wanted) => decodeURIComponent(location.hash) === wanted, was);
    await rest();
    assert.equal(hash(), was);
  }
  assert.ok(await page.locator(".timeline-scroll").isVisible());
  await page.goForward();
  await rest();
  assert.equal(hash(), seen[1]);
});

await check("the View menu has the colours, the marks, the themes and the settings", async () => {
  await open("");
  await button("View").click();
  const oneOf = (name) => page.getByRole("menuitemradio", { name, exact: true });
  await oneOf("CPU share").click();
  await page.locator(".cpu-legend").waitFor();
  assert.equal(await oneOf("method").getAttribute("aria-checked"), "false");
  await oneOf("method").click();
  assert.equal(await oneOf("CPU share").getAttribute("aria-checked"), "false");
  // Choices of one are round, those of each for itself are boxes.
  const corner = (entry) =>
    entry.locator(".check").evaluate((mark) => getComputedStyle(mark).borderRadius);
  assert.equal(await corner(oneOf("Dark")), "50%");
  assert.equal(await corner(choice("Classic mode")), "3px");
  await menu(/^Marks…/).click();
  await page.getByRole("dialog", { name: "Marks" }).waitFor();
  await page.keyboard.press("Escape");
  await button("View").click();
  await menu("Settings…").click();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  await page.keyboard.press("Escape");
});

await check("the thread menu tells threads apart, takes one away and shows one alone", async () => {
  await open("");
  const where = page.locator(".where");
  await button("All threads").click();
  assert.equal(await page.locator(".menu kbd").count(), 0, "a thread's number is no key");
  assert.equal(await choice(/^ImageWorker 4$/).count(), 1);
  assert.deepEqual(await page.locator(".menu-head span").allTextContents(), ["Threads", "id"]);
  await choice(/^ImageWorker 4$/).click();
  await rest();
  assert.match(await where.textContent(), /4 of 5 threads$/);
  await choice(/^ImageWorker 4$/).click();
  await rest();
  assert.match(await where.textContent(), /5 threads$/);
  await page.locator(".menu-line", { hasText: "ImageWorker4" }).getByText("only").click();
  await rest();
  assert.match(await where.textContent(), /1 of 5 threads$/);
  assert.match(hash(), /threads=4:ImageWorker/);
});

await check("the palette offers the stack of a call where one is selected", async () => {
  await open("");
  for (const count of [0, 1]) {
    if (count > 0) await page.locator(".stage").click({ position: { x: 400, y: 60 } });
    await rest();
    await page.keyboard.press("Control+k");
    await page.locator(".dialog-search:focus").waitFor();
    await page.keyboard.type("call's stack");
    await rest();
    const found = page.locator("#commands li", { hasText: "Copy the call's stack" });
    assert.equal(await found.count(), count);
    await page.keyboard.press("Escape");
  }
});

await check("parents and children have a menu of their own", async () => {
  await open(`method=${METHOD}`);
  await page.locator(".tr.selected .twist-button").click();
  const child = page.locator(".tr.inside.children", { hasText: "Database.query" }).first();
  await child.click({ button: "right" });
  await menu(/slowest first/).click();
  await rest();
  assert.match(hash(), /tab=calls/);
  assert.match(hash(), /Database\.query/);
});

await check("a wheel with nothing to scroll is told what it can do", async () => {
  await open("");
  const stage = await page.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 400, stage.y + 60);
  await wheel(page, 0, -100);
  await page.locator(".wheel-hint", { hasText: "Ctrl + wheel zooms" }).waitFor();
  await page.keyboard.down("Control");
  await wheel(page, 0, -100);
  await page.keyboard.up("Control");
  await page.locator(".wheel-hint").waitFor({ state: "detached" });
});

await check("what was done is told over the overview, and no table is covered", async () => {
  await open(`method=${METHOD}`);
  await page.keyboard.press("Control+c");
  // In one look: it goes away by itself.
  const [bottom, top] = await page.locator(".notices .notice").evaluate((notice) => {
    const boxes = [notice, document.querySelector(".panels")];
    const [told, panels] = boxes.map((one) => one.getBoundingClientRect());
    return [told.bottom, panels.top];
  });
  assert.ok(bottom <= top, `${bottom} > ${top}`);
});

await checkProgram("a program that has ended leaves no boxes that look alive", async () => {
  const own = await startViewer(EXAMPLE);
  const other = await browser.context.newPage();
  await other.goto(own.url);
  await other.locator("[data-rank]").first().waitFor();
  await settle(other);
  assert.equal(await other.locator(".stale").count(), 0);
  await own.stop();
  await other.locator(".gone", { hasText: "The program does not answer" }).waitFor();
  await other.waitForFunction(
    () => Number(getComputedStyle(document.querySelector(".stage canvas")).opacity) < 1,
  );
  await other.keyboard.press("w");
  await settle(other);
  assert.equal(await other.locator(".error-lines .notice").count(), 1, "said once");
  await other.close();
});

await browser.stop();
await viewer.stop();
finish();
