// The overview: CPU time and waits of one thread, or strips of all.
import assert from "node:assert/strict";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);
await page.setViewportSize({ width: 1280, height: 800 });

const legend = page.locator(".curve-legend");
const box = page.locator(".overview-box");
const sum = (list) => list.reduce((all, one) => all + one, 0);
const ask = async (question) => (await fetch(`${viewer.api}${question}`)).json();
// How many colours, few enough to be read, stand in a line across the overview.
const coloursAt = (share) =>
  box
    .locator("canvas")
    .first()
    .evaluate((canvas, at) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, Math.round(height * at), width, 1);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 0) seen.add([...data.slice(i, i + 3)].map((one) => one >> 4).join());
      return seen.size;
    }, share);

await openView(page, viewer);

await check(
  "it begins with main, whose stretches add up to what the tables have of it",
  async () => {
    await legend.filter({ hasText: "main" }).waitFor();
    assert.match(await box.getAttribute("title"), /^main: 8\d(\.\d)? % of the time on the CPU, /);
    const curve = await ask("curve?thread=1&bins=97");
    const { total } = await ask("top?threads=1&n=1");
    assert.equal(curve.cpu_ns.length, 97);
    assert.equal(sum(curve.cpu_ns), total.cpu_ns);
    assert.equal(sum(curve.called_ns), total.wall_ns);
  },
);

await check("it has two looks of one colour, and no noise", async () => {
  assert.ok((await coloursAt(0.8)) <= 3);
});

await check("a drag over it chooses the range that was dragged over, both ways", async () => {
  const { x, y, width } = await box.boundingBox();
  const { span_ns: span } = await ask("info");
  const whole = async () => {
    await page.getByRole("button", { name: "Whole trace" }).click();
    await settle(page);
  };
  for (const [from, to] of [
    [0.25, 0.5],
    [0.75, 0.5],
  ]) {
    await page.mouse.move(x + width * from, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width * to, y + 20, { steps: 8 });
    await page.mouse.up();
    await settle(page);
    assert.ok(!(await box.getAttribute("title")), "no hint covers what was dragged");
    const range = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("range");
    const ends = range.replace("ms", "").split("-").map(Number);
    const wanted = [from, to].sort().map((share) => (share * span) / 1e6);
    for (const ix of [0, 1])
      assert.ok(Math.abs(ends[ix] - wanted[ix]) < span / 1e6 / 100, `${range} for ${wanted}`);
    await page.mouse.move(x + width / 2, y + 200);
    await settle(page);
    assert.match(await box.getAttribute("title"), /on the CPU/);
    await whole();
  }
  // What is in view is moved by its middle, and stays as long.
  await followLink(page, viewer, "range=200-400ms&view=200-400ms");
  const at = (ms) => x + (width * ms * 1e6) / span;
  await page.mouse.move(at(300), y + 20);
  await page.mouse.down();
  await page.mouse.move(at(400), y + 20, { steps: 8 });
  await page.mouse.up();
  await settle(page);
  const moved = new URLSearchParams(new URL(page.url()).hash.slice(1))
    .get("range")
    .split(",")
    .pop();
  const [first, last] = moved.replace("ms", "").split("-").map(Number);
  assert.ok(Math.abs(first - 300) < 3 && Math.abs(last - first - 200) < 0.01, moved);
  await whole();
});

await check("where one thread is chosen, it is of that one", async () => {
  await followLink(page, viewer, "threads=4:ImageWorker");
  await legend.filter({ hasText: "ImageWorker" }).waitFor();
  assert.match(await box.getAttribute("title"), /^ImageWorker: [\d.]+ % of the time on the CPU/);
});

await check("View has the strips of all threads, and the settings keep that", async () => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "Overview of all threads" }).click();
  await settle(page);
  assert.equal(await legend.count(), 0);
  await followLink(page, viewer);
  assert.equal(await legend.count(), 0);
  assert.ok((await coloursAt(0.2)) > 3);
  await assertAccessible(page);
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
