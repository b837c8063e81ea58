// The story of the old manual, done by hand: a method has 14 calls, and one of them took unusually
// long. Find it; see where it is; who called it; what it waited for. Only clicks and keys, and only
// what stands on the screen is looked at.
import assert from "node:assert/strict";
import { createChecks, EXAMPLE, IS_ENGINE, settle, startBrowser, startViewer } from "./harness.mjs";
import { startOffline } from "./offline.mjs";

const { check, finish } = createChecks();
const browser = await startBrowser();
// The page alone does it without a network.
const viewer = await (IS_ENGINE ? startOffline(browser.context) : startViewer(EXAMPLE));
const page = await browser.context.newPage();
await page.setViewportSize({ width: 1280, height: 800 });

const rest = () => settle(page);
const press = async (key) => {
  await page.keyboard.press(key);
  await rest();
};
const tab = async (name) => {
  await page.getByRole("tab", { name }).click();
  await rest();
};
// The parts of a name stand on lines of their own in innerText.
const panel = () => page.getByRole("tabpanel").textContent();
const calls = () => page.locator(".calls [role=grid] .table-rows [role=row]");
// Milliseconds out of a text like `164 ms`.
const msOf = (text) => {
  const [, number, unit] = /([\d.,]+) (s|ms|µs|ns)/.exec(text);
  return Number(number.replaceAll(",", "")) * { s: 1000, ms: 1, µs: 1e-3, ns: 1e-6 }[unit];
};
// Moves the pointer along the rows of the selected call until its card shows.
async function cardOf(name) {
  const box = await page.locator(".stage").boundingBox();
  for (let y = 30; y < box.height; y += 19)
    for (const share of [0.5, 0.85, 0.35]) {
      await page.mouse.move(box.x + box.width * share, box.y + y);
      await rest();
      const card = page.locator(".card");
      if ((await card.count()) === 0 || !(await card.innerText()).includes(name)) continue;
      await page.locator(".card", { hasText: " of " }).waitFor();
      return card.innerText();
    }
  return null;
}

await page.goto(viewer.url);
await page.locator("[data-rank]").first().waitFor();

await check("a word leads to the method; the Profile says that it has 14 calls", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("nativefinished");
  await page.locator(".found", { hasText: /^1$/ }).waitFor();
  await press("Enter");
  const row = page.locator(".tr.selected");
  assert.match(await row.textContent(), /LoadListener\.nativeFinished/);
  assert.equal(await row.getByText("14", { exact: true }).count(), 1);
  await page.keyboard.press("Escape");
  await press("Escape");
});

await check("Calls lists all 14, the one that waited longest first", async () => {
  await page.getByRole("radio", { name: "Wait" }).click();
  await tab("Calls");
  assert.equal(await calls().count(), 14);
  assert.doesNotMatch(await panel(), /p50|median/i, "waits have no median");
  const first = await calls().first().innerText();
  const second = await calls().nth(1).innerText();
  const longest = (text) => Math.max(...(text.match(/\d+\.\d{3}/g) ?? []).map(Number));
  assert.ok(longest(first) > 30, first);
  assert.match(first, /\b10\b/, "it is the tenth");
  assert.ok(first !== second);
});

let wall = 0;
await check("one press shows where it is in the timeline", async () => {
  await calls().first().click();
  await rest();
  await press("f");
  const card = await cardOf("nativeFinished");
  assert.ok(card !== null, "it is on the screen");
  assert.match(card, /10 of 14/);
  wall = msOf(/wall\s+([\d.,]+ \w+)/.exec(card)[1]);
  const wait = msOf(/wait\s+([\d.,]+ \w+)/.exec(card)[1]);
  assert.ok(wait > 10 && wait < wall, `${wait} of ${wall} ms`);
  assert.match(await page.locator(".crumbs").innerText(), /ms/);
});

await check("Callers says who called it", async () => {
  await tab("Callers");
  assert.match(await panel(), /lambda\$onResume\$2/);
  await page.locator(".timeline-scroll").focus();
  await press("ArrowUp");
  const card = await cardOf("lambda$onResume$2");
  assert.ok(card !== null, "the arrow goes to the caller");
  await press("ArrowDown");
});

await check(
  "limited to the call and its thread, the tree by waiting says what it waited for",
  async () => {
    await page.mouse.move(5, 5);
    await press("f");
    await press("v");
    await press("n");
    assert.match(await page.locator(".where").innerText(), /^in .* 1 of \d+ threads$/);
    await tab("Tree");
    // Most of it is in compactCache: one press opens the way down.
    const cache = page.locator("[role=treegrid] .tr", { hasText: "compactCache" }).first();
    await cache.locator("button").first().click();
    await rest();
    const tree = await panel();
    assert.match(tree, /Thread\.sleep/);
    assert.match(tree, /RecipeApp\.pause/);
  },
);

await check(
  "the timeline draws that wait hatched, and the call's card calls it waiting",
  async () => {
    const card = await cardOf("Thread.sleep");
    assert.ok(card !== null, "Thread.sleep is on the screen");
    assert.match(card, /waiting itself/);
    assert.ok(msOf(/wait\s+([\d.,]+ \w+)/.exec(card)[1]) < wall);
  },
);

await check("a mark and a copied link keep it for the others", async () => {
  await press("m");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Copy a link to this view" }).click();
  const told = await page.locator(".notice", { hasText: "Link copied." }).innerText();
  assert.equal(/on this computer alone, until traceview ends\./.test(told), !IS_ENGINE);
  // The next thing that is done ends what was told.
  await press("ArrowRight");
  assert.equal(await page.locator(".notices .notice").count(), 0);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await browser.context.newPage();
  await other.goto(link);
  await other.locator("[role=treegrid]", { hasText: "compactCache" }).waitFor();
  await other.getByRole("button", { name: "1 mark" }).waitFor();
  assert.equal(await other.locator(".notice", { hasText: "another trace" }).count(), 0);
  assert.match(link, /&trace=[0-9a-f]{16}$/);
  await other.close();
});

await check(
  "a copied link says where another trace is shown than the one that it is of",
  async () => {
    const other = await browser.context.newPage();
    await other.goto(`${page.url().replace(/#.*/s, "")}#tab=tree&trace=0123456789abcdef`);
    await other.locator(".notice", { hasText: "This link is of another trace than" }).waitFor();
    await other.locator("[role=treegrid]").first().waitFor();
    await other.close();
  },
);

await browser.stop();
await viewer.stop();
finish();
