// The overview: CPU time and waits of one thread, or strips of all.
import assert from "node:assert/strict";
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

await check("where one thread is chosen, it is of that one", async () => {
  await openView(page, viewer, "threads=4:ImageWorker");
  await legend.filter({ hasText: "ImageWorker" }).waitFor();
  assert.match(await box.getAttribute("title"), /^ImageWorker: [\d.]+ % of the time on the CPU/);
});

await check("View has the strips of all threads, and the settings keep that", async () => {
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "Overview of all threads" }).click();
  await settle(page);
  assert.equal(await legend.count(), 0);
  await openView(page, viewer);
  assert.equal(await legend.count(), 0);
  assert.ok((await coloursAt(0.2)) > 3);
  await assertAccessible(page);
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
