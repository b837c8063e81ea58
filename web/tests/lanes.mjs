// The lanes above the main thread of an Android app, and the tab that lists them.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { appTrace, FRAMES, startAppTrace } from "./app-trace.mjs";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  settle,
  startViewer,
} from "./harness.mjs";

// Its first frame began before it, and its last is open at its end.
const CUT = path.resolve(EXAMPLE, "../../cli/cases/frames_cut/cut.trace");

const { check, finish } = createChecks();
const { folder, browser, page, problems, rest, open, openAnew, fragment, stop } =
  await startAppTrace(".lane-label");
const rows = () =>
  page.$$eval("[data-table=frames] .tr:not(.thead)", (lines) =>
    lines
      .filter((line) => line.querySelector("[role=gridcell]") !== null)
      .map((line) =>
        [...line.querySelectorAll("[role=gridcell]")].map((cell) => cell.innerText.trim()),
      ),
  );
const late = (budget) => FRAMES.filter((ms) => ms + 0.7 > budget).length;
const worst = FRAMES.indexOf(Math.max(...FRAMES)) + 1;

await check("messages, frames and start-up stand above main, with how many are late", async () => {
  await open();
  const labels = await page.$$eval(".lane-label", (all) => all.map((one) => one.innerText));
  assert.deepEqual(
    labels.map((label) => label.split(/\s+/)[0]),
    ["Start-up", "Messages", "Frames"],
  );
  assert.match(labels[2], new RegExp(`${late(16.7)} of ${FRAMES.length} late`));
  await assertAccessible(page);
});

await check("a press on a lane's name lists it, the worst first", async () => {
  await page.getByRole("button", { name: /^Frames/ }).click();
  await rest();
  assert.equal(fragment().get("tab"), "frames");
  const list = await rows();
  assert.equal(list.length, FRAMES.length);
  assert.equal(list[0][0], `Frame ${worst}`);
  const walls = list.map((cells) => Number(cells[2]));
  assert.deepEqual(
    walls,
    [...walls].sort((a, b) => b - a),
  );
  assert.ok(Math.abs(walls[0] - Math.max(...FRAMES)) < 1, `the worst took ${walls[0]} ms`);
  // Half of the app's code is in the measure, three tenths in the layout, the rest in the draw.
  assert.ok(Math.abs(Number(list[0][5]) - walls[0] * 0.5) < 1, list[0].join(" "));
  assert.ok(Math.abs(Number(list[0][6]) - walls[0] * 0.3) < 1, list[0].join(" "));
  await page.emulateMedia({ colorScheme: "dark" });
  await assertColours(page);
  await page.emulateMedia({ colorScheme: "light" });
  await assertAccessible(page);
});

await check("the budget is that of 60, 90 or 120 Hz, and stays", async () => {
  await open("tab=frames");
  for (const budget of ["16.7", "11.1", "8.3"]) {
    await page.getByRole("radio", { name: `${budget} ms` }).click();
    await rest();
    const said = await page.locator(".tab-tools .late").innerText();
    assert.match(said, new RegExp(`^${late(Number(budget))} of ${FRAMES.length} over`));
    const label = await page.locator(".lane-label", { hasText: "Frames" }).innerText();
    assert.match(label, new RegExp(`${late(Number(budget))} of`));
  }
  await page.reload();
  await page.locator(".tab-tools .late").waitFor();
  await rest();
  const chosen = page.getByRole("radio", { name: "8.3 ms" });
  assert.equal(await chosen.getAttribute("aria-checked"), "true");
  await page.getByRole("radio", { name: "16.7 ms" }).click();
  await rest();
});

await check("a row shows its frame in the timeline, whose card tells its parts", async () => {
  await open("tab=frames");
  await page.locator("[data-table=frames]").getByText(`Frame ${worst}`, { exact: true }).click();
  await rest();
  assert.match(fragment().get("call"), /Choreographer\.doFrame/);
  await page.locator(".timeline-scroll").focus();
  await page.keyboard.press("f");
  await rest();
  const box = await page.locator(".stage").boundingBox();
  const frames = await page.locator(".lane-label", { hasText: "Frames" }).boundingBox();
  const colourAt = (y) =>
    page
      .locator(".stage canvas")
      .first()
      .evaluate(
        (canvas, at) => {
          const x = Math.round(canvas.width * 0.7);
          return [...canvas.getContext("2d").getImageData(x, at, 1, 1).data].slice(0, 3);
        },
        Math.round(y - box.y),
      );
  const [late, fill] = await page.evaluate(() =>
    ["--bad", "--bad-bg"].map((name) => {
      const probe = document.createElement("i");
      probe.style.color = getComputedStyle(document.documentElement).getPropertyValue(name);
      document.body.append(probe);
      const parts = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      probe.remove();
      return parts;
    }),
  );
  const top = frames.y + 3;
  assert.deepEqual(await colourAt(top + 1), late, "a bar on top of a late frame");
  assert.deepEqual(await colourAt(top + 10), fill, "a late frame is red");
  await page.mouse.move(box.x + box.width / 2, frames.y + 12);
  const card = page.locator(".card", { hasText: `Frame ${worst} of ${FRAMES.length}` });
  await card.waitFor();
  await rest();
  const text = await card.innerText();
  for (const part of [
    /wall\s+9\d\.\d ms/,
    /measure/,
    /layout/,
    /draw/,
    /over the budget of 16\.7 ms/,
  ])
    assert.match(text, part);
});

await check("a press on a message in its lane selects the call that dispatched it", async () => {
  const box = await page.locator(".stage").boundingBox();
  const lane = await page.locator(".lane-label", { hasText: "Messages" }).boundingBox();
  await page.mouse.click(box.x + box.width / 2, lane.y + 12);
  await rest();
  assert.match(fragment().get("call"), /Handler\.dispatchMessage/);
});

await check("start-up is told in its order, to the first frame", async () => {
  await open("tab=frames");
  await page.getByRole("radio", { name: /^Start-up/ }).click();
  await page.getByRole("radiogroup", { name: "Budget of a frame" }).waitFor({ state: "detached" });
  const heading = page.locator("[data-table=frames]").getByRole("columnheader", { name: "Start" });
  await heading.click();
  await heading.click();
  await rest();
  assert.deepEqual(
    (await rows()).map(([name]) => name),
    [
      "bindApplication",
      "Application.onCreate",
      "Activity.onCreate",
      "Activity.onResume",
      "first frame",
    ],
  );
});

await check("a range limits the list", async () => {
  await open("tab=frames&range=0-170ms");
  const list = await rows();
  assert.ok(list.length > 0 && list.length < FRAMES.length, `${list.length} rows`);
});

await check(
  "a trace without frames lists what it has, and says what an empty list lacks",
  async () => {
    const early = path.join(folder, "early.trace");
    await writeFile(early, appTrace({ hasFrames: false }));
    const other = await startViewer(early);
    const window = await browser.context.newPage();
    await window.goto(`${other.url}#tab=frames`);
    await window.locator("[data-table=frames] [role=gridcell]").first().waitFor();
    await settle(window);
    const chosen = window.getByRole("radio", { name: /^Messages/ });
    assert.equal(await chosen.getAttribute("aria-checked"), "true");
    await window.getByRole("radio", { name: /^Frames/ }).click();
    await window.getByText("No frames: no main thread has calls").waitFor();
    await window.close();
    await other.stop();
  },
);

await check("items that the recording cut are marked, in the list and on their card", async () => {
  const other = await startViewer(CUT);
  const window = await browser.context.newPage();
  await window.goto(`${other.url}#tab=frames`);
  await window.locator("[data-table=frames] [role=gridcell]").first().waitFor();
  await settle(window);
  const names = await window.$$eval("[data-table=frames] .td.name", (all) =>
    all.map((cell) => cell.innerText.trim()).filter((text) => text.startsWith("Frame ")),
  );
  assert.deepEqual(names, ["Frame 3 (still open)", "Frame 2", "Frame 1 (began before)"]);
  const box = await window.locator(".stage").boundingBox();
  const lane = await window.locator(".lane-label", { hasText: "Frames" }).boundingBox();
  await window.mouse.move(box.x + box.width * 0.9, lane.y + 12);
  await window.locator(".card", { hasText: "Frame 3 of 3 (still open)" }).waitFor();
  await window.close();
  await other.stop();
});

await check("without the wall clock no frame is late, nor in time", async () => {
  const file = path.join(folder, "cpu.trace");
  const both = await readFile(path.resolve(CUT, "../../frames/app.trace"), "latin1");
  await writeFile(file, both.replace("clock=dual", "clock=thread-cpu"), "latin1");
  const other = await startViewer(file);
  const window = await browser.context.newPage();
  await window.goto(`${other.url}#tab=frames`);
  await window.locator("[data-table=frames] [role=gridcell]").first().waitFor();
  await settle(window);
  const text = await window.locator(".frames").innerText();
  assert.match(text, /Without the wall clock nobody knows how long a frame took/);
  assert.doesNotMatch(text, /Over|16\.7 ms/);
  assert.doesNotMatch(await window.locator(".lane-label").last().innerText(), /late/);
  await window.close();
  await other.stop();
});

await check("a late frame's row, and what it was, are in sight beside open details", async () => {
  for (const [width, height] of [
    [1280, 800],
    [900, 600],
    [412, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await openAnew("tab=frames");
    if ((await page.locator(".details").count()) === 0) await page.keyboard.press("x");
    await page.locator(".details").waitFor();
    await page.locator("[data-table=frames] .table-rows .tr").first().click();
    await rest();
    const size = `${width}x${height}`;
    const at = await page.evaluate(() => {
      const place = (selector) => document.querySelector(selector).getBoundingClientRect();
      const name = document.querySelector(".details-title bdi");
      return {
        row: place(".tr.selected"),
        over: place(".tr.selected [role=gridcell]:nth-child(4)"),
        list: place("#tab-panel"),
        inside: place("[aria-label='Inside'] .details-row"),
        name: { shown: name.clientWidth, whole: name.scrollWidth },
        isWide: document.documentElement.scrollWidth > innerWidth,
      };
    });
    assert.ok(at.row.top >= at.list.top && at.row.bottom <= at.list.bottom, `row at ${size}`);
    assert.ok(at.over.right <= at.list.right, `how late it was, at ${size}`);
    assert.ok(at.inside.bottom <= height, `${at.inside.bottom} px at ${size}`);
    assert.equal(at.name.shown, at.name.whole, `the name at ${size}`);
    assert.ok(!at.isWide, size);
  }
  await page.setViewportSize({ width: 1600, height: 900 });
});

await check("8 leads to the list by the keyboard", async () => {
  await openAnew();
  await page.keyboard.press("8");
  await rest();
  assert.equal(fragment().get("tab"), "frames");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await rest();
  assert.match(fragment().get("call") ?? "", /doFrame/);
});

await check("a trace of another program has neither lanes nor the tab", async () => {
  const other = await startViewer(EXAMPLE);
  const window = await browser.context.newPage();
  await window.goto(other.url);
  await window.locator("[data-rank]").first().waitFor();
  await settle(window);
  assert.equal(await window.locator(".lane-label").count(), 0);
  assert.equal(await window.getByRole("tab", { name: "Frames" }).count(), 0);
  await window.close();
  await other.stop();
});

await check("nothing failed in the page", () => assert.deepEqual(problems, []));

await stop();
finish();
