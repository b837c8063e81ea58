// What the canvas shows, by its pixels: hatching, extents, fading, palettes, ranges; and paper.
import assert from "node:assert/strict";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
  until,
} from "./harness.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();

const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished (I)V";
const CALL = `call=${encodeURIComponent(`1:main|10|${METHOD}`)}`;
const RULER = 21;
const ACCENT = [0x3f, 0x5b, 0xd9];

const rest = () => settle(page);
// Follows a link in the page that is open; what a check leaves behind that no link names, or asks for that a page asks for once,
// takes a page of its own.
async function open(link, go = followLink) {
  await go(page, viewer, link, "[data-rank]");
  await page.mouse.move(5, 5);
  await rest();
}
// The colours along a line of a canvas: 0 is that of the boxes, 1 the layer above.
const line = (y, layer = 0, part = ".stage") =>
  page
    .locator(`${part} canvas`)
    .nth(layer)
    .evaluate((canvas, at) => {
      const { data } = canvas.getContext("2d").getImageData(0, at, canvas.width, 1);
      return Array.from({ length: canvas.width }, (_, x) => [...data.slice(x * 4, x * 4 + 3)]);
    }, Math.round(y));
const depthY = (depth) => RULER + 4 + depth * 19 + 15;
const same = (a, b) => a.every((part, ix) => Math.abs(part - b[ix]) < 3);

await check("a call that waits is hatched, one that works is not", async () => {
  await open("view=705-715ms");
  await page.locator(".depth-toggle", { hasText: "outer level" }).click();
  await page.mouse.move(5, 5);
  await rest();
  const changes = (pixels) =>
    pixels.filter((pixel, x) => x > 0 && !same(pixel, pixels[x - 1])).length;
  assert.ok(changes(await line(depthY(8))) > 100, "Thread.sleep");
  assert.ok(changes(await line(depthY(0))) < 10, "RecipeApp.main");
});

await check("extents of the selected method stand under the row, one for each call", async () => {
  await open(`${CALL}&view=595-760ms`, openView);
  const row = await page.locator(".gutter .row").first().boundingBox();
  const stage = await page.locator(".stage").boundingBox();
  const bottom = row.y + row.height - stage.y;
  const ends = (await line(bottom - 9)).filter((pixel) => same(pixel, ACCENT)).length;
  const lines = await Promise.all([4, 5, 6, 7].map((up) => line(bottom - up)));
  const counts = lines.map((pixels) => pixels.filter(([red, , blue]) => blue - red > 80).length);
  const wide = Math.max(...counts);
  assert.ok(ends >= 10, `${ends} ends`);
  assert.ok(wide > 500, `${wide} px of extents`);
});

await check("a row of the Profile marks its calls, however deep they lie", async () => {
  await open("view=400-760ms", openView);
  const overview = await page.locator(".overview-box").boundingBox();
  const marked = async () =>
    (await line(overview.height - 2, 1, ".overview-box")).filter((one) => same(one, ACCENT)).length;
  const before = await marked();
  const row = page.locator("[data-rank]", { hasText: "RecipeApp.fib" });
  await row.click();
  await page.mouse.move(5, 5);
  await rest();
  const calls = (await marked()) - before;
  assert.ok(calls >= 2 && calls < overview.width / 2, `${calls} px in the overview`);
  // With all its levels the row of main goes on below the panel, whose foot has the marks then.
  await page.locator(".depth-toggle", { hasText: "levels" }).last().click();
  await page.mouse.move(5, 5);
  await rest();
  const { height } = await page.locator(".stage").boundingBox();
  const feet = await Promise.all([6, 7, 8].map((up) => line(height - up)));
  assert.ok(
    feet.some((pixels) => pixels.filter(([red, , blue]) => blue - red > 80).length >= 2),
    "no marks at the foot",
  );
  // *Show* goes to the longest call.
  const scroller = page.locator(".timeline-scroll");
  const top = () => scroller.evaluate((element) => element.scrollTop);
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await rest();
  const was = await top();
  await row.getByRole("button", { name: "Show" }).click();
  await rest();
  assert.ok((await top()) < was, `${await top()} after ${was}`);
});

await check("a call too short to see keeps a frame that can be seen", async () => {
  await open(`${CALL}&view=0-804ms`, openView);
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press("ArrowDown");
    await rest();
  }
  await page.keyboard.press("0");
  await rest();
  const rows = await Promise.all([5, 6, 7, 8, 9].map((depth) => line(depthY(depth))));
  assert.ok(rows.some((pixels) => pixels.some((pixel) => same(pixel, ACCENT))));
  const band = (await line(RULER + 200, 1)).filter((pixel) => pixel.some((part) => part > 0));
  assert.ok(band.length >= 1, "a band through all rows");
});

await check("what a search did not find is faded", async () => {
  await open("");
  const middle = (pixels) => pixels[Math.round(pixels.length * 0.8)];
  const before = middle(await line(depthY(0)));
  await page.locator("#search").fill("nativeFinished");
  await rest();
  const after = middle(await line(depthY(0)));
  assert.ok(after[0] > before[0] + 40, `${before} to ${after}`);
});

await check("a picked range has its edges and its duration", async () => {
  await open("picked=300-500ms");
  const ruler = (await line(11, 1)).filter((pixel) => same(pixel, ACCENT)).length;
  assert.ok(ruler > 30, `a pill of ${ruler} px`);
  const edges = (await line(RULER + 100, 1)).filter((pixel) => same(pixel, ACCENT)).length;
  assert.ok(edges >= 2, `${edges} edges`);
});

await check("mixed pixels are lower than whole ones in a folded row", async () => {
  await open("open=");
  const white = (pixels) => pixels.filter((pixel) => same(pixel, [255, 255, 255])).length;
  const top = white(await line(RULER + 10));
  const bottom = white(await line(RULER + 20));
  assert.ok(top > bottom + 100, `${top} px are free above, ${bottom} below`);
});

await check("classic colours are the old viewer's", async () => {
  await open("");
  await typeCommand(page, "classic mode");
  await page.keyboard.press("Enter");
  await rest();
  const pixels = await line(depthY(0));
  assert.ok(same(pixels[Math.round(pixels.length * 0.8)], [90, 90, 255]));
  await typeCommand(page, "classic mode");
  await page.keyboard.press("Enter");
  await rest();
});

await check("the theme goes from the system's to light to dark", async () => {
  const is = (wanted) =>
    page.waitForFunction((name) => document.documentElement.dataset.theme === name, wanted);
  await page.emulateMedia({ colorScheme: "dark" });
  await is("dark");
  const choose = (name) => page.getByRole("menuitemradio", { name, exact: true }).click();
  await page.getByRole("button", { name: "View", exact: true }).click();
  await choose("Light");
  await is("light");
  await choose("Dark");
  await is("dark");
  await choose("Theme of the system");
  await page.emulateMedia({ colorScheme: "light" });
  await is("light");
  await page.keyboard.press("Escape");
});

await check("of what was done, the last is told of", async () => {
  await open("");
  await page.keyboard.press("b");
  await page.keyboard.press("b");
  await page.waitForFunction(() => {
    const told = [...document.querySelectorAll(".notices .notice")].map((one) => one.textContent);
    return told.length === 1 && told[0] === "Coloured by CPU share.";
  });
  await page.keyboard.press("b");
  await rest();
});

await check("Ctrl+C copies the method's name, Shift+C the short one", async () => {
  await open(CALL);
  await page.keyboard.press("Control+c");
  await rest();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), METHOD);
  await page.keyboard.press("Shift+C");
  await rest();
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    "RecipeApp$LoadListener.nativeFinished",
  );
});

await check("on paper there are the chart and the table, and no controls", async () => {
  await page.emulateMedia({ media: "print" });
  for (const hidden of [".search", ".splitter", ".table-footer", ".segments"])
    assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
  for (const shown of [".stage", ".gutter .row", "[data-rank]", ".bar h1"])
    assert.equal(await page.locator(shown).first().isVisible(), true, shown);
  await page.emulateMedia({ media: "screen" });
});

// How light the ground is behind what is drawn, from 0 to 255.
const ground = async () => {
  const lights = (await line(1)).map((pixel) => Math.min(...pixel)).sort((a, b) => a - b);
  return lights[lights.length >> 1];
};

await check("a dark page is light on paper, what is drawn, too", async () => {
  const turn = async (media, holds) => {
    await page.emulateMedia({ media, colorScheme: "dark" });
    await until(async () => holds(await ground()));
  };
  await turn("screen", (light) => light < 60);
  await turn("print", (light) => light > 200);
  await turn("screen", (light) => light < 60);
  // A browser that prints by itself gives no frame in between.
  const [printed, theme] = await page.evaluate(() => {
    const context = document.querySelector(".stage canvas").getContext("2d");
    globalThis.dispatchEvent(new Event("beforeprint"));
    const { data } = context.getImageData(0, 1, 600, 1);
    globalThis.dispatchEvent(new Event("afterprint"));
    const lights = Array.from({ length: 600 }, (_, ix) => data[ix * 4]).sort((a, b) => a - b);
    return [lights[300], document.documentElement.dataset.theme];
  });
  assert.ok(printed > 200, String(printed));
  assert.equal(theme, "dark");
  await until(async () => (await ground()) < 60);
  await page.emulateMedia({ colorScheme: "light" });
  await until(async () => (await ground()) > 200);
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(
    `axe-core finds nothing in marks, settings, menus and CPU colours in ${theme}`,
    async () => {
      await page.emulateMedia({ colorScheme: theme });
      await open(`${CALL}&mark=640-660ms|burst&hide=3:ImageWorker`);
      await page.keyboard.press("b");
      await page.keyboard.press("b");
      await assertFine(page);
      await page.keyboard.press("Shift+M");
      await assertFine(page);
      await page.keyboard.press("Escape");
      await page.locator(".row-foot button").click();
      await assertFine(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("b");
      await rest();
    },
  );

await browser.stop();
await viewer.stop();
finish();
