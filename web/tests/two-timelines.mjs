// Two timelines above each other, in a real browser: the example beside its part from 50 to 450 ms. Both move together, are
// aligned at a chosen call, and share range, selection and open threads; lines join the moments of both.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  assertColours,
  BINARY,
  createChecks,
  EXAMPLE,
  isAskedAgain,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-two-"));
const part = path.join(folder, "part.trace");
execFileSync(BINARY, ["export", EXAMPLE, "--from", "50", "--to", "450", "-o", part], {
  stdio: "ignore",
});
const viewer = await startViewer(EXAMPLE, [part]);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page, isAskedAgain);
const base = viewer.url.replace(/#.*/, "");
const METHOD = "com.example.recipes.RecipeApp.onCreate ()V";
const oldSide = page.getByRole("region", { name: "Timeline of the old trace" });
const newSide = page.getByRole("region", { name: "Timeline", exact: true });
const strip = page.getByRole("group", { name: "The old trace", exact: true });
const boxes = async (side) =>
  Number(await side.locator(".stage canvas").first().getAttribute("data-boxes"));
const lines = async () => Number(await strip.locator("canvas").getAttribute("data-lines"));

async function open(fragment) {
  await page.goto(`${base}#against=2${fragment}`);
  await oldSide.waitFor();
  await settle(page);
}

// What a timeline shows, as numbers of its pixels that are no background: two pictures that are the same are one text.
const picture = (side) =>
  side
    .locator(".stage canvas")
    .first()
    .evaluate((canvas) => canvas.toDataURL());

await open("&tab=profile");

await check("the old trace has a timeline of its own, with its threads and boxes", async () => {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".timelines .stage canvas:first-child")].every(
      (canvas) => Number(canvas.dataset.boxes) > 100,
    ),
  );
  assert.match(await strip.innerText(), /part\.trace/);
  assert.ok((await boxes(oldSide)) > 100);
  assert.equal(await oldSide.getByRole("button", { name: "main: fold" }).count(), 1);
});

await check("both move together, whichever is turned", async () => {
  for (const side of [newSide, oldSide]) {
    const before = [await picture(newSide), await picture(oldSide)];
    await side.locator(".stage").hover({ position: { x: 400, y: 60 } });
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await settle(page);
    assert.notEqual(await picture(newSide), before[0]);
    assert.notEqual(await picture(oldSide), before[1]);
  }
  const view = await page.evaluate(() => location.hash);
  assert.match(view, /view=/);
});

await check("a range that is drawn in one is that of both", async () => {
  const stage = await oldSide.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 300, stage.y + 120);
  await page.mouse.down();
  await page.mouse.move(stage.x + 420, stage.y + 120, { steps: 4 });
  await page.mouse.up();
  await newSide.getByRole("toolbar", { name: "Selected range" }).waitFor();
  await page.waitForFunction(() => location.hash.includes("picked="));
  await page.keyboard.press("Escape");
  await newSide.getByRole("toolbar", { name: "Selected range" }).waitFor({ state: "hidden" });
});

await check("threads are folded in both", async () => {
  await newSide.getByRole("button", { name: "main: fold" }).click();
  await oldSide.getByRole("button", { name: "main: unfold" }).waitFor();
  await oldSide.getByRole("button", { name: "main: unfold" }).click();
  await newSide.getByRole("button", { name: "main: fold" }).waitFor();
});

await checkProgram("a method is aligned at its first calls, and the link keeps it", async () => {
  await open(`&align=method:${encodeURIComponent(METHOD)}&method=${encodeURIComponent(METHOD)}`);
  const first = async (trace) => {
    const query = `method=${encodeURIComponent(METHOD)}&ordinal=0`;
    return (await (await fetch(`${base}${trace}api/call?${query}`)).json()).start_ns;
  };
  const delta = (await first("")) - (await first("t/2/"));
  assert.ok(Math.abs(delta) > 40e6, `the calls are ${delta} ns apart`);
  await page.getByRole("button", { name: "At the first call of a method" }).waitFor();
  assert.match(await page.evaluate(() => location.hash), /align=method:com\.example/);
  await page.waitForFunction(
    (wanted) =>
      Math.abs(Number(document.querySelector(".moment-lines canvas").dataset.delta) - wanted) < 2,
    delta,
  );
});

await check("tables are of the ranges that stand above each other", async () => {
  const asked = page.waitForRequest(/api\/before\?.*old_from=/);
  const stage = await newSide.locator(".stage").boundingBox();
  await page.mouse.move(stage.x + 300, stage.y + 8);
  await page.mouse.down();
  await page.mouse.move(stage.x + 500, stage.y + 8, { steps: 4 });
  await page.mouse.up();
  const query = new URL((await asked).url()).searchParams;
  const number = (name) => Number(query.get(name));
  const delta = Number(await page.locator(".moment-lines canvas").getAttribute("data-delta"));
  assert.ok(Math.abs(number("from") - delta - number("old_from")) < 2, String(query));
  assert.ok(Math.abs(number("to") - delta - number("old_to")) < 2, String(query));
  await settle(page);
  await page.keyboard.press("Escape");
});

await check(
  "a range that the old trace does not reach is no error, and the tables say so",
  async () => {
    await open("&tab=profile&picked=420-500ms");
    await page.getByText("the old trace has nothing at this range").waitFor();
    assert.equal(await page.getByText("is not before the end").count(), 0);
    await page.keyboard.press("4");
    await settle(page);
    await open("&tab=profile&picked=300-500ms");
    await page.getByText("beside the old trace, times are").waitFor();
  },
);

await check("the selected call is selected in both, and lines join its ends", async () => {
  assert.equal(await lines(), 0);
  await open(`&call=1:main|1|${encodeURIComponent(METHOD)}`);
  await page.waitForFunction(
    () => document.querySelector(".moment-lines canvas").dataset.lines === "2",
  );
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".moment-lines, .timelines .stage")].map(
      (element) => element.clientWidth,
    ),
  );
  assert.equal(new Set(wide).size, 1, `${wide} px: moments do not stand above each other`);
});

await check("Calls has the durations of both traces in one histogram", async () => {
  const many = "java.lang.Object.<init> ()V";
  await open(`&tab=calls&method=${encodeURIComponent(many)}`);
  const box = page.locator(".histogram-box");
  await box.getByText(/^Outlined: [\d,]+ calls of the old trace$/).waitFor();
  const ask = async (trace) => {
    const query = `method=${encodeURIComponent(many)}&n=1&clock=cpu`;
    return (await fetch(`${base}${trace}api/calls?${query}`)).json();
  };
  const [is, was] = [await ask(""), await ask("t/2/")];
  const bars = await box.getByRole("option").allInnerTexts();
  const sums = bars.reduce(
    ([ofNew, ofOld], text) => {
      const [, a, b] = /: ([\d,]+) calls?, ([\d,]+) in the old trace$/.exec(text);
      const number = (digits) => Number(digits.replaceAll(",", ""));
      return [ofNew + number(a), ofOld + number(b)];
    },
    [0, 0],
  );
  assert.deepEqual(sums, [is.count, was.count]);
  assert.equal(await box.getByText(/^was /).count(), 4);
  await assertAccessible(page);
  await assertColours(page);
});

await check("what one of both lacks is said", async () => {
  await open("&align=method:no.such.Method.run");
  await strip.getByRole("status").waitFor();
  assert.match(await strip.innerText(), /does not have/);
  await strip.getByRole("button", { name: "From the starts of both" }).click();
  const menu = page.getByRole("menu");
  assert.match(await menu.innerText(), /First frame/);
  await page.keyboard.press("Escape");
});

await check("it is hidden and comes back, and the link says so", async () => {
  await strip.getByRole("button", { name: "Hide" }).click();
  await oldSide.waitFor({ state: "detached" });
  await page.waitForFunction(() => location.hash.includes("old=hidden"));
  await page.getByRole("button", { name: "View" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Timeline of the old trace" }).click();
  await page.keyboard.press("Escape");
  await oldSide.waitFor();
});

await check("it can be read, in both themes and in a narrow window", async () => {
  for (const [width, colorScheme] of [
    [1400, "light"],
    [1400, "dark"],
    [480, "light"],
  ]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await settle(page);
    await assertAccessible(page);
    await assertColours(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} of ${width} px, ${colorScheme}`);
  }
});

await check("nothing was reported", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true, force: true });
finish();
