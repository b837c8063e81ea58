// The rows of an Android app's trace: what is the same all over the view is one line, and what shows
// is where the work is.
import assert from "node:assert/strict";
import { startAppTrace } from "./app-trace.mjs";
import { assertAccessible, createChecks, IS_ENGINE, wheel } from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const { browser, page, problems, rest, open, openAnew, fragment, stop } =
  await startAppTrace("[data-rank]");
const stage = () => page.locator(".stage").boundingBox();
// The lines of the first row: 0 is the line of the outer levels where there is one.
const RULER = 21;
// Start-up, messages and frames stand above them.
const LANES = 4 + 3 * 24;
async function clickLine(share, line) {
  const box = await stage();
  await page.mouse.click(box.x + box.width * share, box.y + RULER + LANES + 4 + line * 19 + 8);
  await rest();
}
const outer = () => page.locator(".depth-toggle", { hasText: "outer level" });
const sorted = () =>
  page.locator("[role=columnheader][aria-sort]:not([aria-sort=none])").innerText();

await check("levels that are the same all over the view are one line", async () => {
  await open();
  assert.equal(await outer().innerText(), "5 outer levels");
  assert.equal(await outer().getAttribute("aria-expanded"), "false");
  await clickLine(0.1, 1);
  assert.match(fragment().get("method") ?? fragment().get("call"), /Handler\.dispatchMessage/);
});

await check("the line opens by a click, and folds again by a key", async () => {
  await open();
  await clickLine(0.5, 0);
  assert.equal(await outer().getAttribute("aria-expanded"), "true");
  await clickLine(0.5, 0);
  assert.match(fragment().get("call"), /ZygoteInit\.main/);
  await page.keyboard.press("Escape");
  await outer().focus();
  await page.keyboard.press("Enter");
  await rest();
  assert.equal(await outer().getAttribute("aria-expanded"), "false");
});

await check("the timeline begins where stacks first branch in the view", async () => {
  await open("view=2-40ms");
  assert.equal(await outer().innerText(), "7 outer levels", "the innermost three stay");
  await page.keyboard.press("0");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".depth-toggle")].some((one) => one.textContent.startsWith("5 ")),
  );
});

await check("the caller of a call is never hidden by the line", async () => {
  await open();
  await clickLine(0.1, 1);
  await page.keyboard.press("ArrowUp");
  await rest();
  assert.match(fragment().get("call"), /Looper\.loop/);
  assert.equal(await outer().innerText(), "4 outer levels");
});

await check("how many levels show is a control", async () => {
  await page.setViewportSize({ width: 1280, height: 560 });
  await open("open=1:main");
  const toggle = page.locator(".depth-toggle", { hasText: " of " });
  assert.match(await toggle.innerText(), /^\d+–\d+ of 2\d levels$/);
  const { height } = await toggle.boundingBox();
  assert.ok(height >= 24, `${height} px high`);
  await toggle.focus();
  await page.keyboard.press("Enter");
  await rest();
  await page.locator(".depth-toggle", { hasText: /^all 2\d levels$/ }).waitFor();
  await page.setViewportSize({ width: 1600, height: 900 });
});

await check("main is unfolded, though a worker made more calls", async () => {
  await openAnew();
  const open1 = await page.$$eval(".fold[aria-expanded=true]", (all) =>
    all.map((one) => one.textContent.trim()),
  );
  assert.deepEqual(open1, ["main"]);
});

await check("the profile begins with exclusive time, a range too; a choice is kept", async () => {
  await openAnew();
  assert.match(await sorted(), /^Excl CPU/);
  await openAnew("range=100-200ms");
  assert.match(await sorted(), /^Excl CPU/);
  assert.equal(fragment().get("sort"), null);
  await page.getByRole("columnheader", { name: /^Incl Wall/ }).click();
  await rest();
  assert.equal(fragment().get("sort"), "inclusive.wall.desc");
  await page.getByRole("button", { name: "Whole trace" }).click();
  await rest();
  assert.match(await sorted(), /^Incl Wall/);
});

await check(
  "a click or a right click within a range leaves it, one outside clears it",
  async () => {
    await open("picked=100-200ms");
    const box = await stage();
    const x = (ms) => box.x + (ms / end) * box.width;
    const end = await page
      .evaluate(() => document.querySelector(".facts").textContent)
      .then((text) => Number(/([\d.,]+) ms/.exec(text)[1].replace(",", "")));
    assert.ok(end > 200 && end < 1000, `${end} ms`);
    const y = box.y + RULER + LANES + 4 + 19 + 8;
    await page.mouse.click(x(150), y);
    await rest();
    assert.equal(fragment().get("picked"), "100-200ms");
    assert.ok(fragment().get("call") !== null, "the call under the pointer is selected");
    await page.mouse.click(x(150), y, { button: "right" });
    const menu = page.getByRole("menu");
    assert.match(await menu.innerText(), /Clear the range/);
    await page.keyboard.press("Escape");
    await rest();
    assert.equal(fragment().get("picked"), "100-200ms");
    await page.mouse.click(x(50), y);
    await rest();
    assert.equal(fragment().get("picked"), null);
  },
);

await check("a range has tools: typed ends, profile, mark, zoom, clear", async () => {
  await open("picked=100-200ms");
  await page.getByRole("tab", { name: "Flame" }).click();
  const tools = page.getByRole("toolbar", { name: "Selected range" });
  const field = tools.getByRole("textbox");
  await field.fill("+50 ms");
  await field.press("Enter");
  await rest();
  assert.equal(fragment().get("picked"), "100-150ms");
  await field.fill("nonsense");
  await field.press("Enter");
  await page.getByText("A range is written like").waitFor();
  assert.equal(fragment().get("picked"), "100-150ms");
  await tools.getByRole("button", { name: "Profile" }).click();
  await rest();
  assert.equal(fragment().get("tab"), null);
  await assertAccessible(page);
  await tools.getByRole("button", { name: "Copy" }).click();
  await page.locator(".notice", { hasText: "Selection copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /range 100\.000 to 150\.000 ms/);
  await tools.getByRole("button", { name: "Mark" }).click();
  await rest();
  assert.match(fragment().get("mark"), /^100-150ms/);
  await tools.getByRole("button", { name: "Zoom" }).click();
  await rest();
  assert.equal(fragment().get("range"), "100-150ms");
  assert.equal(await tools.count(), 0);
  await open("picked=100-200ms");
  await tools.getByRole("button", { name: "Clear the range" }).click();
  await rest();
  assert.equal(fragment().get("picked"), null);
});

await check("the card under a pointer that rests follows the wheel", async () => {
  await page.setViewportSize({ width: 1280, height: 560 });
  await openAnew();
  const box = await stage();
  await page.mouse.move(box.x + box.width * 0.1, box.y + RULER + LANES + 4 + 19 + 8);
  await page.locator(".card", { hasText: "dispatchMessage" }).waitFor();
  await wheel(page, 0, 2 * 19);
  await page.locator(".card:not(:has-text('dispatchMessage'))").waitFor();
  await page.setViewportSize({ width: 1600, height: 900 });
});

await checkProgram("the overview asks for more than five threads", async () => {
  const many = await page.evaluate(async () => {
    const entries = performance.getEntriesByType("resource").map((entry) => entry.name);
    return entries.filter((name) => name.includes("api/overview")).map((name) => new URL(name));
  });
  assert.ok(many.length > 0);
  assert.equal(new URL(many.at(-1)).searchParams.get("rows"), "12");
});

await check("a name that has no room keeps its end, which tells threads apart", async () => {
  await open();
  const tail = page.locator(".thread-tail", { hasText: "worker-1" });
  const head = page.locator(".thread-head", { hasText: "DefaultDispatcher" }).first();
  assert.equal(await tail.innerText(), "worker-1");
  const cut = await head.evaluate((one) => one.scrollWidth > one.clientWidth);
  const [row, end] = await Promise.all([page.locator(".gutter").boundingBox(), tail.boundingBox()]);
  assert.ok(end.x + end.width <= row.x + row.width, "the end is within the names");
  assert.ok(cut, "the name has no room");
});

await check("my code only closes the levels of others in the timeline", async () => {
  await open();
  // The fourth line has the framework's callApplicationOnCreate, the fifth the app's own code.
  const yOf = (line) => RULER + LANES + 4 + line * 19 + 16;
  const colourOf = (y) =>
    page
      .locator(".stage canvas")
      .first()
      .evaluate((canvas, at) => {
        const x = Math.round(canvas.width * 0.03);
        return [...canvas.getContext("2d").getImageData(x, at, 1, 1).data].join();
      }, y);
  const stage = await page.locator(".stage").boundingBox();
  const press = async (y) => {
    await page.mouse.click(stage.x + stage.width * 0.03, stage.y + y);
    await rest();
    return fragment().get("call") ?? "";
  };
  const count = () => page.locator(".row-open .row-busy").first().innerText();
  await page.mouse.move(5, 5);
  await rest();
  const before = await colourOf(yOf(5));
  const calls = Number(/([\d,]+) calls/.exec(await count())[1].replace(",", ""));
  const toggle = page.getByRole("checkbox", { name: "my code only" });
  await toggle.check();
  await rest();
  assert.equal(await colourOf(yOf(0) - 8), before, "the app's own code is outermost");
  const [, shown, of] = /([\d,]+) of ([\d,]+) calls/.exec(await count());
  assert.equal(Number(of.replace(",", "")), calls);
  assert.ok(Number(shown.replace(",", "")) < calls);
  // The call keeps its name in the link, and the keys stay among what is shown.
  const link = await press(yOf(0) - 8);
  assert.match(link, /^1:main\|1\|com\.example\.app\.Feed\.bind/);
  await page.keyboard.press("ArrowUp");
  await page.getByText("This call has no caller.").waitFor();
  await page.keyboard.press("ArrowRight");
  await rest();
  assert.notEqual(fragment().get("call"), link, "the next of the outermost shown calls");
  assert.match(fragment().get("call") ?? "", /com\.example\./);
  await toggle.uncheck();
  await rest();
  assert.equal(await colourOf(yOf(5)), before);
  assert.match(await count(), /· [\d,]+ calls$/);
});

await check("a package that is hidden leaves the timeline, and a link shows the same", async () => {
  await openAnew("without=android.,com.example.");
  assert.match(
    await page.locator(".row-open .row-busy").first().innerText(),
    /[\d,]+ of [\d,]+ calls/,
  );
  if (IS_ENGINE) return; // which no address asks
  const [asked] = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((entry) => entry.name)
      .filter((name) => name.includes("api/window")),
  );
  assert.equal(new URL(asked).searchParams.get("hide"), "android.,com.example.");
});

await check("Tab leads through the names of all rows, which stay beside their boxes", async () => {
  for (const height of [420, 520, 561, 640, 723]) {
    await page.setViewportSize({ width: 1000, height });
    await open();
    await page.locator(".timeline-scroll").focus();
    const met = new Set();
    for (;;) {
      await page.keyboard.press("Tab");
      await rest();
      const at = await page.evaluate(() => {
        const focused = document.activeElement;
        const box = focused.getBoundingClientRect();
        const around = document.querySelector(".timeline-scroll").getBoundingClientRect();
        const gutter = document.querySelector(".gutter");
        const row = focused.closest("[role=listitem]");
        return {
          isInside: gutter.contains(focused),
          name: row?.textContent ?? "",
          isSeen: box.top >= around.top - 1 && box.bottom <= around.bottom + 1,
          own: gutter.scrollTop,
        };
      });
      assert.equal(at.own, 0, "the names alone were scrolled");
      if (!at.isInside) break;
      assert.ok(at.isSeen, `${at.name} has the focus out of sight, at ${height}`);
      if (at.name !== "") met.add(at.name);
    }
    const rows = await page.evaluate(
      () => document.querySelectorAll(".gutter [role=listitem]").length,
    );
    assert.ok(met.size >= rows, `${met.size} of ${rows} rows at ${height}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

const order = () =>
  page.$$eval(".gutter .fold", (all) => all.map((one) => one.getAttribute("aria-label")));
await check("a finger on a name scrolls the rows and moves none; a mouse moves it", async () => {
  await page.setViewportSize({ width: 1000, height: 420 });
  await openAnew();
  const before = await order();
  // The last row is as high as its name: the finger is over the row above it before the browser scrolls.
  const start = await page.locator(".timeline-scroll").evaluate((one) => {
    one.scrollTop = one.scrollHeight - one.clientHeight - 20;
    return one.scrollTop;
  });
  await rest();
  const name = await page.locator(".gutter .fold").last().boundingBox();
  const [x, y] = [name.x + 40, name.y + 4];
  await page.evaluate(() => {
    self.dragged = 0;
    const look = () => (self.dragged += document.querySelectorAll(".row-dragged").length);
    new MutationObserver(look).observe(document.querySelector(".gutter"), {
      attributes: true,
      subtree: true,
    });
  });
  const touch = await browser.context.newCDPSession(page);
  const send = (type, ...points) =>
    touch.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map((up) => ({ x, y: y - up })),
    });
  await send("touchStart", 0);
  for (let up = 4; up <= 80; up += 4) await send("touchMove", up);
  await send("touchEnd");
  await page.waitForFunction(
    (top) => document.querySelector(".timeline-scroll").scrollTop > top + 10,
    start,
  );
  await rest();
  assert.equal(await page.evaluate(() => document.querySelector(".gutter").scrollTop), 0);
  await page.locator(".timeline-scroll").evaluate((one) => (one.scrollTop = 0));
  await rest();
  assert.deepEqual(await order(), before);
  assert.equal(await page.evaluate(() => self.dragged), 0, "no row was taken along");

  await page.setViewportSize({ width: 1000, height: 1200 });
  await rest();
  const [first, second] = [
    await page.locator(".gutter .fold").first().boundingBox(),
    await page.locator(".gutter .fold").nth(1).boundingBox(),
  ];
  await page.mouse.move(second.x + 40, second.y + 8);
  await page.mouse.down();
  for (const steps of [7, 8]) await page.mouse.move(first.x + 40, first.y + 8 - steps, { steps });
  await page.mouse.up();
  await rest();
  assert.deepEqual((await order()).slice(0, 2), [before[1], before[0]]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

await check("nothing failed in the page", () => assert.deepEqual(problems, []));

await stop();
finish();
