// The picture that `traceview flame` writes, opened from a disk: zoom, search, keyboard, the link, both themes, and names
// that are not to be trusted.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { BINARY, createChecks, startBrowser } from "./harness.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-flame-"));
const browser = await startBrowser({ isWatched: false });
const page = await browser.context.newPage();
const problems = [];
page.on("pageerror", (problem) => problems.push(problem.message));
page.on("request", (request) => {
  if (!request.url().startsWith("file:")) problems.push(`asks for ${request.url()}`);
});

const STACKS = [
  "main;com.example.App.run;com.example.Disk.read 50",
  "main;com.example.App.run;com.example.Disk.write 20",
  "main;com.example.App.run 10",
  "main;com.example.Disk.read;com.example.Disk.read 10",
  "worker;java.lang.Thread.run 10",
];

async function draw(name, lines, ...options) {
  const stacks = path.join(folder, `${name}.folded`);
  const picture = path.join(folder, `${name}.svg`);
  await writeFile(stacks, `${lines.join("\n")}\n`);
  execFileSync(BINARY, ["flame", stacks, "-o", picture, ...options]);
  return pathToFileURL(picture).href;
}

// The boxes that are shown, each as its name, left edge and width, in shares of the picture.
const shown = () =>
  page.evaluate(() => {
    const groups = [...document.querySelectorAll("#boxes > g")];
    const room = document.documentElement.getBoundingClientRect().width - 20;
    return Object.fromEntries(
      groups
        .filter((group) => group.getBoundingClientRect().width > 0)
        .map((group) => {
          const rect = group.querySelector("rect");
          const share = (name) => Math.round((Number(rect.getAttribute(name)) / room) * 100);
          const title = group.querySelector("title").textContent;
          return [title.slice(0, title.lastIndexOf(" (")), share("width")];
        }),
    );
  });
const text = (id) => page.evaluate((of) => document.getElementById(of)?.textContent ?? "", id);
const box = (name) =>
  page
    .locator("#boxes > g", { hasText: `${name} (` })
    .first()
    .locator("rect");
const focused = () =>
  page.evaluate(() => document.activeElement?.querySelector("title")?.textContent ?? "");

const plain = await draw("plain", STACKS, "--title", "Plain");
const open = async (link = "") => {
  await page.goto("about:blank");
  await page.goto(plain + link);
};

await check("the picture fills the window and fits its names", async () => {
  await open();
  assert.deepEqual(await shown(), {
    all: 100,
    main: 90,
    "com.example.App.run": 80,
    "com.example.Disk.read": 10,
    "com.example.Disk.write": 20,
    worker: 10,
    "java.lang.Thread.run": 10,
  });
  const width = () => page.evaluate(() => document.documentElement.getBoundingClientRect().width);
  const wide = await width();
  await page.setViewportSize({ width: 500, height: 600 });
  await page.waitForFunction(
    () => Number(document.querySelector("#boxes rect").getAttribute("width")) < 500,
  );
  assert.ok((await width()) <= 500 && wide > 1000, `${wide}`);
  assert.equal((await shown()).main, 90);
  await page.setViewportSize({ width: 1400, height: 600 });
  assert.equal(await page.title(), "Plain");
});

await check("a click zooms, what is below stays, Reset Zoom goes back", async () => {
  await open();
  assert.equal(await page.locator("#unzoom").isVisible(), false);
  await box("com.example.App.run").click();
  const zoomed = await shown();
  assert.equal(zoomed["com.example.App.run"], 100);
  assert.equal(zoomed.main, 100);
  assert.equal(zoomed["com.example.Disk.write"], 25);
  assert.equal("worker" in zoomed, false);
  const opacity = await box("main").evaluate((rect) => getComputedStyle(rect).opacity);
  assert.equal(opacity, "0.5");
  // A drag within a box is none.
  const { x, y, width, height } = await box("main").boundingBox();
  await page.mouse.move(x + width / 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 3 });
  await page.mouse.up();
  assert.equal((await shown())["com.example.App.run"], 100);
  await box("main").click();
  assert.equal((await shown())["com.example.App.run"], 89);
  await page.locator("#unzoom").click();
  assert.equal((await shown()).worker, 10);
});

await check("the line below says what is pointed at", async () => {
  await open();
  await box("com.example.Disk.write").hover();
  assert.equal(await text("details"), "Function: com.example.Disk.write (20 samples, 20.00%)");
  await page.mouse.move(3, 3);
  assert.equal(await text("details"), "");
});

await check("a search marks and counts what lies on top of each other once", async () => {
  await open();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("Disk");
  assert.equal(await text("matched"), "Matched: 80.0%");
  const fill = await box("com.example.Disk.write").evaluate((rect) => getComputedStyle(rect).fill);
  assert.equal(fill, "rgb(230, 0, 230)");
  await page.keyboard.press("Enter");
  await box("com.example.App.run").click();
  assert.equal(await text("matched"), "Matched: 87.5% of what is shown");
  await page.locator("#search").click();
  assert.equal(await text("matched"), "");
  assert.equal(await page.locator("#boxes .match").count(), 0);
});

await check("case counts unless it is ignored; what is no expression is told", async () => {
  await open();
  await page.keyboard.press("/");
  await page.keyboard.type("disk|THREAD");
  assert.equal(await text("matched"), "Matched: 0.0%");
  await page.keyboard.press("Control+i");
  assert.equal(await text("matched"), "Matched: 90.0%");
  await page.keyboard.type("(");
  assert.equal(await text("matched"), "Not a regular expression");
});

await check("keys walk from box to box, zoom and go back", async () => {
  await open();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "all (100 samples, 100%)");
  for (const key of ["ArrowUp", "ArrowUp", "ArrowRight"]) await page.keyboard.press(key);
  assert.equal(await focused(), "com.example.Disk.read (10 samples, 10.00%)");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  assert.equal((await shown())["com.example.App.run"], 100);
  assert.equal(await text("details"), "Function: com.example.App.run (80 samples, 80.00%)");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "main (90 samples, 90.00%)");
  await page.keyboard.press("/");
  await page.keyboard.type("read");
  await page.keyboard.press("Escape");
  assert.equal(await text("matched"), "");
  assert.equal((await shown())["com.example.App.run"], 100);
  await page.keyboard.press("Escape");
  assert.equal((await shown()).worker, 10);
});

await check("Tab stops at one box, then at the buttons, which Space presses too", async () => {
  await open("#zoom=main");
  const stops = [];
  for (let stop = 0; stop < 4; stop++) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(
        () =>
          document.activeElement.id || document.activeElement.querySelector("title").textContent,
      ),
    );
  }
  assert.deepEqual(stops, ["main (90 samples, 90.00%)", "unzoom", "search", "ignorecase"]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  assert.equal((await shown()).worker, 10);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  assert.equal((await shown()).main, 100);
  assert.equal(await text("details"), "Function: main (90 samples, 90.00%)");
});

await check("in a window of any width nothing at the head lies on anything else", async () => {
  const long = await draw("long", STACKS, "--title", "A title of a flame graph ".repeat(4));
  for (const width of [360, 390, 500, 640, 900, 1280]) {
    await page.setViewportSize({ width, height: 600 });
    for (const link of ["#zoom=main", "#zoom=main&search=Disk"]) {
      await page.goto("about:blank");
      await page.goto(long + link);
      const spans = await page.evaluate(() =>
        ["#unzoom", "#title", "foreignObject", "#search", "#ignorecase"]
          .map((part) => [part, document.querySelector(part).getBoundingClientRect()])
          .filter(([, { width }]) => width > 0)
          .map(([part, { left, right }]) => ({ part, left, right })),
      );
      spans.sort((one, other) => one.left - other.left);
      assert.ok(spans.length >= 3 && spans[0].left >= 0 && spans.at(-1).right <= width);
      for (const [ix, { part, left }] of spans.entries())
        if (ix > 0)
          assert.ok(spans[ix - 1].right <= left, `${width}: ${spans[ix - 1].part} on ${part}`);
    }
  }
  await page.setViewportSize({ width: 1400, height: 600 });
});

await check("a box without a name is one of all, and a link leads to it", async () => {
  await page.goto(await draw("nameless", [";a 5", "b 5"]));
  assert.equal((await shown()).b, 50);
  await box("a").click();
  const link = new URL(page.url()).hash;
  await page.locator("#boxes > g").nth(1).locator("rect").click();
  assert.notEqual(new URL(page.url()).hash, link);
  await page.reload();
  assert.equal(await page.locator("#unzoom").isVisible(), true);
});

await check("a link holds zoom and search by names, also where numbers changed", async () => {
  await open();
  await box("com.example.App.run").click();
  await page.keyboard.press("/");
  await page.keyboard.type("wri.e");
  const link = new URL(page.url()).hash;
  assert.equal(link, "#zoom=main/com.example.App.run&search=wri.e");
  const others = ["aaa 500", ...STACKS.map((line) => line.replace(/50$/, "90"))];
  const changed = await draw("changed", others);
  await page.goto(`${changed}${link}`);
  assert.equal((await shown())["com.example.App.run"], 100);
  assert.equal(await text("matched"), "Matched: 16.7% of what is shown");
  await open(link);
  assert.equal((await shown())["com.example.Disk.write"], 25);
  await page.locator("#unzoom").click();
  await page.goBack();
  assert.equal((await shown())["com.example.App.run"], 100);
});

await check("in order of time a link tells boxes of one name apart", async () => {
  const chart = await draw("chart", ["a;b 1", "a;c 2", "a;b 3"], "--flamechart");
  await page.goto(chart);
  await page.locator("#boxes > g", { hasText: "b (3 samples" }).locator("rect").click();
  assert.equal(new URL(page.url()).hash, "#zoom=a/b~1");
  await page.reload();
  assert.equal(await page.locator("#details").count(), 1);
  assert.equal((await shown()).b, 100);
});

await check("with the roots above, up leads to the caller", async () => {
  await page.goto(await draw("icicle", STACKS, "--icicle"));
  const top = await box("all").boundingBox();
  const next = await box("main").boundingBox();
  assert.ok(top.y < next.y);
  for (const key of ["Tab", "ArrowDown"]) await page.keyboard.press(key);
  assert.equal(await focused(), "main (90 samples, 90.00%)");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "all (100 samples, 100%)");
});

await check("a given width is kept", async () => {
  await page.goto(await draw("fixed", STACKS, "--width", "700"));
  const { width } = await box("all").boundingBox();
  assert.ok(Math.abs(width - 680) < 2, `${width}`);
});

await check("names are text, whatever is in them", async () => {
  const names = [
    '</title><script>document.title="taken"</script>',
    "<img src=x onerror=alert(1)>",
    "]]>&amp",
    "\u0001\u001b[31m\ufffe",
    "n".repeat(60_000),
    "a/b~1%2F#x",
  ];
  await page.goto(
    await draw(
      "hostile",
      names.map((name, ix) => `${name};${name} ${ix + 1}`),
    ),
  );
  assert.equal(await page.title(), "Flame Graph");
  assert.equal(await page.locator("#boxes > g").count(), 1 + 2 * names.length);
  await box("a/b~1%2F#x").click();
  await page.reload();
  assert.equal((await shown())["a/b~1%2F#x"], 100);
});

await check("it follows light and dark, and moves nothing", async () => {
  const colours = {};
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open();
    colours[colorScheme] = await page.evaluate(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      return [style("#top").stopColor, style("#title").fill, style("#boxes text").fill];
    });
  }
  assert.deepEqual(colours.light, ["rgb(238, 238, 238)", "rgb(0, 0, 0)", "rgb(0, 0, 0)"]);
  assert.deepEqual(colours.dark, ["rgb(32, 35, 43)", "rgb(232, 234, 240)", "rgb(0, 0, 0)"]);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  await page.emulateMedia({ colorScheme: "light" });
});

await check("inside a page it works as an object, and stands still as an image", async () => {
  const host = path.join(folder, "host.html");
  await writeFile(
    host,
    '<!doctype html><object data="plain.svg" width="800" height="200"></object><img src="plain.svg">',
  );
  await page.goto(pathToFileURL(host).href);
  const inside = page.frames()[1];
  await inside.locator("#boxes > g", { hasText: "worker (" }).locator("rect").click();
  const gone = await inside.evaluate(() => document.querySelectorAll("#boxes .gone").length);
  assert.ok(gone > 3, `${gone} boxes are gone`);
  const image = await page.evaluate(() => document.querySelector("img").naturalWidth);
  assert.equal(image, 1200);
});

await check("nothing is asked of the net, and no script fails", async () => {
  assert.deepEqual(problems, []);
  const source = await readFile(path.join(folder, "plain.svg"), "utf8");
  assert.equal(/(?:href|src)=|url\((?!#)|@import/.test(source), false);
});

await browser.stop();
await rm(folder, { recursive: true, force: true });
finish();
