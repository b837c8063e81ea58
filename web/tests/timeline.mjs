// The upper half of the page in a real browser: marks, rows, fingers, keys and what they leave behind.
import assert from "node:assert/strict";
import {
  createChecks,
  drawn,
  EXAMPLE,
  followLink,
  IS_ENGINE,
  isNoStep,
  openView,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
  watchProblems,
  wheel,
} from "./harness.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page, isNoStep);

const rest = () => settle(page);
const stage = () => page.locator(".stage").boundingBox();
const fragment = () => new URLSearchParams(new URL(page.url()).hash.slice(1));
// Follows a link in the page that is open; what a check leaves behind that no link names, or asks for that a page asks for once,
// takes a page of its own.
const open = (link) => followLink(page, viewer, link, "[data-rank]");
const openAnew = (link) => openView(page, viewer, link, "[data-rank]");
// The view in milliseconds, from the link; null is the whole trace.
function view() {
  const text = fragment().get("view");
  return text === null ? null : text.replace("ms", "").split("-").map(Number);
}
const labels = () =>
  page.$$eval(".gutter .fold", (folds) => folds.map((fold) => fold.textContent.trim()));
async function drag(fromX, toX, y, options = {}) {
  const box = await stage();
  await page.mouse.move(box.x + fromX, box.y + y);
  await page.mouse.down(options);
  await page.mouse.move(box.x + (fromX + toX) / 2, box.y + y, { steps: 4 });
  await page.mouse.move(box.x + toX, box.y + y, { steps: 4 });
  await page.mouse.up(options);
  await rest();
}
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished (I)V";
const CALL = `call=${encodeURIComponent(`1:main|10|${METHOD}`)}`;

await check("M marks a picked range, and the link carries it", async () => {
  await open("");
  await drag(300, 500, 60);
  await page.keyboard.press("m");
  await rest();
  assert.equal(fragment().getAll("mark").length, 1);
  assert.match(fragment().get("mark"), /^[\d.]+-[\d.]+ms\|$/);
  assert.match(await page.getByRole("button", { name: "1 mark" }).textContent(), /1/);
});

await check("M takes the mark of a range away when the page was read again, too", async () => {
  const ranges = [
    [301, 477],
    [333, 512],
    [287, 701],
  ];
  for (const [from, to] of drawn(ranges, "a mark's range")) {
    await openAnew("");
    await drag(from, to, 60);
    await page.keyboard.press("m");
    await rest();
    await openAnew(new URL(page.url()).hash.slice(1));
    await page.keyboard.press("m");
    await rest();
    assert.deepEqual(fragment().getAll("mark"), []);
  }
  await open("");
  await drag(300, 500, 60);
  await page.keyboard.press("m");
  await rest();
});

await check("M marks a selected call by name, and again takes the mark away", async () => {
  await page.keyboard.press("Escape");
  const box = await stage();
  await page.mouse.click(box.x + box.width * 0.7, box.y + 50);
  await rest();
  await page.keyboard.press("m");
  await rest();
  const marks = fragment().getAll("mark");
  assert.equal(marks.length, 2);
  assert.match(marks.at(-1), /\|1:main\|1\|com\.example/);
  await page.keyboard.press("m");
  await rest();
  assert.equal(fragment().getAll("mark").length, 1);
  await page.keyboard.press("m");
  await rest();
});

await check("marks are listed, renamed, shown and removed", async () => {
  await page.keyboard.press("Shift+M");
  await page.locator(".marks").waitFor();
  assert.equal(await page.locator(".marks li").count(), 2);
  await page.locator(".marks input").first().fill("here it hurts");
  await page.locator(".marks input").first().blur();
  await rest();
  assert.match(fragment().get("mark"), /\|here it hurts$/);
  await page.getByRole("button", { name: "Show here it hurts" }).click();
  await rest();
  assert.equal(await page.locator(".marks").count(), 0);
  const [from, to] = view();
  const [markFrom, markTo] = fragment().get("mark").split("ms")[0].split("-").map(Number);
  assert.ok(from < markFrom && to > markTo && to - from < (markTo - markFrom) * 2);
  await page.keyboard.press("Shift+M");
  await page
    .getByRole("button", { name: /^Remove / })
    .last()
    .click();
  await rest();
  assert.equal(await page.locator(".marks li").count(), 1);
  await page.keyboard.press("Escape");
});

await check("a mark's flag in the ruler tells of it, and a press goes there", async () => {
  await page.keyboard.press("Escape");
  await page.keyboard.press("0");
  await rest();
  const end = 804.057;
  const box = await stage();
  const from = Number(fragment().get("mark").split("-")[0]);
  const x = box.x + (from / end) * box.width + 3;
  await page.mouse.move(x, box.y + 7);
  await page.locator(".card", { hasText: "here it hurts" }).waitFor();
  await page.mouse.click(x, box.y + 7);
  await rest();
  assert.ok(view() !== null && fragment().get("picked") !== null);
});

await check("the right button on a flag and on a call opens a menu with the keys", async () => {
  await page.keyboard.press("0");
  await rest();
  const box = await stage();
  const from = Number(fragment().get("mark").split("-")[0]);
  await page.mouse.click(box.x + (from / 804.057) * box.width + 3, box.y + 7, { button: "right" });
  await page.getByRole("menuitem", { name: "Remove it" }).click();
  await rest();
  assert.equal(fragment().get("mark"), null);
  await page.mouse.move(box.x + box.width * 0.7, box.y + 50);
  await page.locator(".card").waitFor();
  await page.mouse.click(box.x + box.width * 0.7, box.y + 50, { button: "right" });
  const menu = page.getByRole("menu", { name: "Call" });
  await menu.waitFor();
  await page.locator(".card").waitFor({ state: "detached" });
  assert.match(await menu.textContent(), /Mark the callM.*Who calls it/);
  await page.keyboard.press("Escape");
});

await check("two fingers that spread zoom, and that move pan", async () => {
  await open("view=200-600ms");
  const box = await stage();
  const touch = await browser.context.newCDPSession(page);
  const send = (type, ...xs) =>
    touch.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 80, id })),
    });
  await send("touchStart", 400, 600);
  await send("touchMove", 350, 650);
  await send("touchMove", 300, 700);
  await send("touchEnd");
  await rest();
  const [from, to] = view();
  assert.ok(Math.abs(to - from - 200) < 2, `${from} to ${to}`);
  await send("touchStart", 400, 600);
  await send("touchMove", 450, 650);
  await send("touchMove", 500, 700);
  await send("touchEnd");
  await rest();
  const [panned] = view();
  assert.ok(Math.abs(from - panned - (100 / box.width) * 200) < 2, `${from} to ${panned}`);
  assert.equal(fragment().get("picked"), null, "fingers pick no range");
});

await check("the middle button and Shift pan", async () => {
  await open("view=200-600ms");
  await drag(600, 500, 80, { button: "middle" });
  const [middle] = view();
  assert.ok(middle > 200, `${middle} > 200`);
  await page.keyboard.down("Shift");
  await drag(500, 600, 80);
  await page.keyboard.up("Shift");
  assert.ok(Math.abs(view()[0] - 200) < 1);
});

await check("a drag of two pixels is a click", async () => {
  await open("");
  await drag(700, 702, 50);
  assert.equal(fragment().get("picked"), null);
  assert.notEqual(fragment().get("call"), null);
});

await check("a double click fits the call, on the ruler the whole trace", async () => {
  await open("view=500-800ms");
  const box = await stage();
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 90);
  await rest();
  assert.notDeepEqual(view(), [500, 800]);
  await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 10);
  await rest();
  assert.equal(view(), null);
});

await check("Shift and the wheel pan, the bare wheel does not zoom", async () => {
  await open("view=200-600ms");
  const box = await stage();
  await page.mouse.move(box.x + 300, box.y + 90);
  await wheel(page, 0, 200);
  await rest();
  assert.deepEqual(view(), [200, 600]);
  await page.keyboard.down("Shift");
  await wheel(page, 0, 200);
  await page.keyboard.up("Shift");
  await rest();
  assert.ok(view()[0] > 200);
});

async function classicMode() {
  await typeCommand(page, "classic mode");
  await page.keyboard.press("Enter");
  await rest();
}

await check("classic mode: a drag zooms, on the ruler it zooms out, the wheel zooms", async () => {
  await open("");
  await classicMode();
  await drag(400, 800, 60);
  assert.notEqual(fragment().get("range"), null);
  await open("view=300-500ms");
  await drag(400, 800, 8);
  const [from, to] = view();
  assert.ok(from < 300 && Math.abs(to - 500) < 0.001, `${from} to ${to}`);
  const box = await stage();
  await page.mouse.move(box.x + 300, box.y + 90);
  await wheel(page, 0, -200);
  await rest();
  assert.ok(view()[1] - view()[0] < to - from);
  await classicMode();
});

await check("Ctrl and a click open the source by the link of the settings", async () => {
  await openAnew("");
  await page.evaluate(() => {
    globalThis.opened = [];
    globalThis.open = (url) => (globalThis.opened.push(url), null);
  });
  const box = await stage();
  await page.keyboard.down("Control");
  await page.mouse.click(box.x + box.width * 0.7, box.y + 30);
  await page.keyboard.up("Control");
  await page.locator(".notice", { hasText: "source link" }).waitFor();
  await typeCommand(page, "settings");
  await page.keyboard.press("Enter");
  await page.locator("#source-link").fill("idea://open?file={file}&line={line}");
  await page.locator("#source-link").blur();
  await page.keyboard.press("Escape");
  await rest();
  await page.keyboard.down("Control");
  // The notice is a line above the timeline.
  const below = await stage();
  await page.mouse.click(below.x + below.width * 0.7, below.y + 30);
  await page.keyboard.up("Control");
  await rest();
  const opened = await page.evaluate(() => globalThis.opened);
  assert.equal(opened.length, 1);
  assert.match(opened[0], /^idea:\/\/open\?file=com\/example\/recipes\/RecipeApp\.java&line=\d+$/);
});

await check("rows are hidden, pinned and moved, and the link says so", async () => {
  await open("");
  const rowMenu = async (name, entry) => {
    await page.locator(".gutter .row", { hasText: name }).first().click({ button: "right" });
    await page.getByRole("menu").getByText(entry, { exact: true }).click();
    await page.keyboard.press("Escape");
    await rest();
  };
  assert.match((await labels())[0], /^main/);
  await rowMenu("Common-Cleaner", "Pinned on top");
  assert.match((await labels())[0], /Common-Cleaner/);
  await rowMenu("ImageWorker", "Hide this row");
  assert.equal((await labels()).length, 4);
  const before = await labels();
  const last = page.locator(".gutter .fold").last();
  await last.focus();
  await page.keyboard.press("Alt+ArrowUp");
  await rest();
  assert.deepEqual((await labels()).at(-2), before.at(-1));
  for (const key of ["pin", "hide", "order"]) assert.notEqual(fragment().get(key), null, key);
  const link = fragment().toString();
  const shown = await labels();
  await openAnew(link);
  assert.deepEqual(await labels(), shown);
});

await check("hidden rows are listed below the others, and come back from there", async () => {
  await page.locator(".row-foot button", { hasText: "1 hidden" }).click();
  await page.getByRole("menuitem", { name: /^Show ImageWorker/ }).click();
  await rest();
  assert.equal((await labels()).length, 5);
  assert.equal(await page.locator(".row-foot").count(), 0);
});

await check("a row dragged by its label changes places", async () => {
  await open("open=");
  const before = await labels();
  const [first, third] = await Promise.all(
    [0, 2].map((ix) => page.locator(".gutter .fold").nth(ix).boundingBox()),
  );
  await page.mouse.move(first.x + 40, first.y + 5);
  await page.mouse.down();
  // Past the middle of the third, which gives way then.
  await page.mouse.move(first.x + 40, third.y + third.height - 2, { steps: 8 });
  await page.mouse.up();
  await rest();
  assert.deepEqual((await labels())[2], before[0]);
  assert.equal(
    await page.locator(".gutter [aria-expanded=true]").count(),
    0,
    "a drag folds nothing",
  );
});

await check("the card tells everything about a call, for one question", async () => {
  await openAnew(`${CALL}&view=595-800ms`);
  const box = await stage();
  const asked = [];
  const note = (request) => {
    const route = /api\/([a-z]+)/.exec(request.url())?.[1];
    // Whether something is recorded is asked once, when the page has time, and not by the card.
    if (route !== "recording") asked.push(route);
  };
  page.on("request", note);
  // Two levels are the same all over the view, and one line.
  await page.mouse.move(box.x + box.width * 0.3, box.y + 21 + 4 + 19 + 3 * 19 + 9);
  await page.locator(".card", { hasText: "of 14" }).waitFor();
  await rest();
  const text = await page.locator(".card").innerText();
  for (const part of [
    /nativeFinished/,
    /wall\s+1\d\d ms/,
    /CPU/,
    /wait/,
    /exclusive/,
    /% of the thread\n/,
    /call\s+10 of 14/,
    /86× the median CPU time\n/,
    /main · RecipeApp\.java/,
  ])
    assert.match(text, part);
  page.off("request", note);
  assert.deepEqual(asked, IS_ENGINE ? [] : ["call"]);
});

await check(
  "the card compares as Calls does: on the chosen clock, in the range, and says so",
  async () => {
    const cardOf = async (link, part) => {
      await page.mouse.move(0, 0);
      await open(`${CALL}&view=595-800ms${link}`);
      const box = await stage();
      await page.mouse.move(box.x + box.width * 0.3, box.y + 21 + 4 + 19 + 3 * 19 + 9);
      await page.locator(".card", { hasText: part }).waitFor();
      await rest();
      return page.locator(".card").innerText();
    };
    // 104 ms of wall time and 78.0 of CPU time, among calls of which Calls tells the median.
    const ratio = async (own) => {
      await page.getByRole("tab", { name: "Calls" }).click();
      const line = page.locator(".calls p", { hasText: "the median of" });
      const text = await line.innerText();
      const [, number, unit] = /the median of ([\d.]+) (ms|µs)/.exec(text) ?? [];
      const median = Number(number) / (unit === "µs" ? 1000 : 1);
      assert.ok(median > 0, text);
      return Math.round(own / median);
    };
    const near = (text, word, expected) => {
      const times = Number(new RegExp(`(\\d+)× the median ${word}`).exec(text)?.[1]);
      assert.ok(Math.abs(times - expected) <= 1, `${text}: ${expected}`);
    };
    near(await cardOf("&clock=wall", "the median"), "wall time\n", await ratio(104));
    near(await cardOf("&clock=cpu", "the median"), "CPU time\n", await ratio(78));
    const inRange = await cardOf("&clock=wall&range=610-800ms", "in the range");
    assert.match(inRange, /wall\s+104 ms\s+55 % of the thread in the range/);
    assert.match(inRange, /CPU\s+78\.0 ms\s+\d+ % of the thread in the range/);
    // Half of the call is all that the thread did there; how much of its CPU time that is, is not known.
    const half = await cardOf("&clock=wall&range=672-724ms", "in the range");
    assert.match(half, /wall\s+104 ms\s+100 % of the thread in the range/);
    assert.doesNotMatch(half, /CPU[^\n]*%/);
  },
);

await check("a view wider than the range is no crumb below it", async () => {
  await open("range=620-724ms&view=640-700ms");
  const crumbs = page.locator(".crumbs li");
  assert.equal(await crumbs.count(), 3);
  assert.equal(await crumbs.last().innerText(), "640 – 700 ms");
  assert.equal(await page.locator(".crumbs .apart").count(), 0);
  await open("range=620-724ms&view=500-804ms");
  const apart = page.locator(".crumbs .apart");
  assert.equal(await apart.innerText(), "in view 500 – 804 ms");
  assert.match(await crumbs.nth(1).innerText(), /620 – 724 ms/);
  await apart.getByRole("button").click();
  await rest();
  assert.equal(await apart.count(), 0, "it is the range");
  assert.equal(await crumbs.count(), 2);
});

await check("stepping brings the call into sight, however deep and short it is", async () => {
  await page.setViewportSize({ width: 1280, height: 350 });
  await openAnew(`${CALL}&view=0-804ms`);
  const first = await page.locator(".timeline-scroll").evaluate((element) => element.scrollTop);
  for (let depth = 0; depth < 6; depth++) {
    await page.keyboard.press("ArrowDown");
    await rest();
  }
  await rest();
  const top = await page.locator(".timeline-scroll").evaluate((element) => element.scrollTop);
  const [from, to] = view() ?? [0, 804];
  assert.ok(top > first, `scrolled from ${first} to ${top}`);
  assert.ok(to - from < 804, "zoomed to where the call can be seen");
  await page.setViewportSize({ width: 1600, height: 900 });
});

await check("B colours by package and by CPU share, with a legend", async () => {
  await open("");
  const colours = () =>
    page
      .locator(".stage canvas")
      .first()
      .evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 25, canvas.width, 150);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4)
          seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return [...seen];
      });
  const byMethod = await colours();
  const waiting = 0xd5dce8;
  const busy = 0xe27f3c;
  assert.ok(!byMethod.includes(busy));
  await page.keyboard.press("b");
  await page.keyboard.press("b");
  await rest();
  await page.getByRole("img", { name: /from waiting to busy/ }).waitFor();
  const byShare = await colours();
  assert.ok(byShare.includes(busy), "RecipeApp.main is busy");
  await page.keyboard.press("u");
  await rest();
  assert.ok((await colours()).includes(waiting), "Unsafe.park waits");
  await page.keyboard.press("b");
  await rest();
  assert.equal(await page.locator(".cpu-legend").count(), 0);
});

await check("the ends of the view move by the keyboard", async () => {
  await open("");
  const start = page.getByRole("slider", { name: "Start of the view" });
  await start.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
  await rest();
  assert.ok(Math.abs(view()[0] - 0.3 * 804.057) < 1, String(view()));
  await page.getByRole("slider", { name: "End of the view" }).focus();
  await page.keyboard.press("PageDown");
  await rest();
  assert.ok(Math.abs(view()[1] - 0.9 * 804.057) < 1, String(view()));
  assert.match(await start.getAttribute("aria-valuetext"), /ms/);
});

await check("the splitter moves by keys and by dragging", async () => {
  await open("");
  const splitter = page.getByRole("separator", { name: "Height of the timeline" });
  const before = await splitter.boundingBox();
  await splitter.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await rest();
  const above = await splitter.boundingBox();
  assert.ok(above.y < before.y - 20);
  await page.mouse.move(above.x + 300, above.y + 3);
  await page.mouse.down();
  await page.mouse.move(above.x + 300, before.y + 3, { steps: 5 });
  await page.mouse.up();
  await rest();
  assert.ok(Math.abs((await splitter.boundingBox()).y - before.y) < 3);
});

await check("the ruler tells the time under the pointer", async () => {
  const box = await stage();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.locator(".card").waitFor();
  await rest();
  const drawn = await page
    .locator(".stage canvas")
    .nth(1)
    .evaluate((canvas) => {
      const { width } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, 20);
      let count = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 200) count += 1;
      return count;
    });
  assert.ok(drawn > 300, "a pill stands in the ruler");
});

await check("what was just dragged is not covered until the pointer goes on", async () => {
  await open("");
  const box = await stage();
  const [x, y] = [box.x + box.width / 2, box.y + 60];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 5 });
  await page.mouse.up();
  await rest();
  assert.ok(fragment().get("picked") !== null);
  assert.equal(await page.locator(".card").count(), 0);
  await page.mouse.move(x + 62, y + 1);
  await rest();
  assert.equal(await page.locator(".card").count(), 0);
  await page.mouse.move(x + 62, y + 20);
  await page.locator(".card").waitFor();
});

await check("the tools of a range stand beside it, and no card is left under them", async () => {
  const tools = page.getByRole("toolbar", { name: "Selected range" });
  const box = await stage();
  for (const [from, to] of [
    [0.1, 0.2],
    [0.9, 0.8],
  ]) {
    await open("");
    await drag(box.width * from, box.width * to, 60);
    const { x, width } = await tools.boundingBox();
    const [left, right] = [from, to]
      .map((share) => box.x + box.width * share)
      .sort((a, b) => a - b);
    assert.ok(x >= right || x + width <= left, `${x} to ${x + width} over ${left} to ${right}`);
  }
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.locator(".card").waitFor();
  await tools.getByRole("button", { name: "Zoom" }).hover();
  await page.locator(".card").waitFor({ state: "detached" });
});

await check("on AZERTY the same places move, and digits choose tabs", async () => {
  await open("");
  const type = (key, code, extra = {}) =>
    page.evaluate((init) => document.body.dispatchEvent(new KeyboardEvent("keydown", init)), {
      key,
      code,
      bubbles: true,
      cancelable: true,
      ...extra,
    });
  await type("z", "KeyW");
  await rest();
  const zoomed = view();
  assert.ok(zoomed !== null, "the place of W zooms in");
  await type("q", "KeyA");
  await rest();
  assert.ok(view()[0] < zoomed[0], "the place of A pans");
  await type("é", "Digit2");
  await rest();
  assert.equal(fragment().get("tab"), "flame");
  await type(",", "KeyM");
  await type("?", "KeyM", { shiftKey: true });
  await page.getByRole("dialog", { name: "Keys and gestures" }).waitFor();
  await page.keyboard.press("Escape");
});

await check("Tab walks through the whole page, and the focus can be seen", async () => {
  await openAnew("");
  await page.evaluate(() => document.activeElement.blur());
  const seen = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const own = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
      const frame = element.closest(".search");
      return {
        name: element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40),
        isVisible:
          own || (frame !== null && getComputedStyle(frame).borderColor !== "rgba(0, 0, 0, 0)"),
        isBody: element === document.body,
      };
    });
    if (at.isBody) break;
    seen.push(at);
  }
  const names = seen.map((at) => at.name).join(" | ");
  for (const wanted of [
    "All threads",
    "Search all panels",
    "Start of the view",
    "Timeline:",
    "main",
    "Height of the timeline",
    "Profile",
  ])
    assert.ok(names.includes(wanted), `${wanted} in ${names}`);
  assert.deepEqual(
    seen.filter((at) => !at.isVisible).map((at) => at.name),
    [],
  );
});

await check("a move of the view glides, and with less motion asked for it does not", async () => {
  // In how many places the handle of the view was while a key moved it.
  const places = async (reducedMotion) => {
    await page.emulateMedia({ reducedMotion });
    await open("view=200-600ms");
    return page.evaluate(async () => {
      const seen = new Set();
      const handle = document.querySelector(".view-handle");
      document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: "d", code: "KeyD", bubbles: true }),
      );
      for (let i = 0; i < 20; i++) {
        await new Promise((done) => requestAnimationFrame(done));
        seen.add(handle.style.left);
      }
      return seen.size;
    });
  };
  assert.ok((await places("no-preference")) > 2);
  assert.ok((await places("reduce")) <= 2);
});

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await viewer.stop();
finish();
