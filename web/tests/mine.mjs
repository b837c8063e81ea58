// "My code only" in a real browser: it belongs to the view of one trace, and a chip in the bar says so at any width.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  createChecks,
  drawn,
  dropFile,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { writeTrace } from "./odd-traces.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-mine-"));
const other = path.join(folder, "other.trace");
const empty = path.join(folder, "empty.trace");
const call = (at) => [
  [1, 0x10, 0, at, at],
  [1, 0x18, 0, at + 10, at + 10],
  [1, 0x18, 1, at + 20, at + 500],
  [1, 0x10, 1, at + 30, at + 600],
];
const threads = [[1, "main"]];
await writeFile(other, writeTrace({ threads, records: [...call(0), ...call(1000)] }));
await writeFile(empty, writeTrace({ threads, records: [] }));

// What an earlier version kept for all traces, where the program looks for its settings.
await mkdir(path.join(folder, "traceview"));
await writeFile(path.join(folder, "traceview", "settings.json"), '{"my_code_only":true}');
const viewer = await startViewer(EXAMPLE, [], { XDG_CONFIG_HOME: folder });
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const chip = page.locator(".bar .chip.mine");
const box = page.getByRole("checkbox", { name: "my code only" });
const count = () => page.locator(".table-footer .grow").innerText();
const open = (view) => openView(page, viewer, view, "[data-rank]");

await check("a setting that an earlier version kept hides nothing", async () => {
  await open("");
  assert.equal(await chip.count(), 0);
  assert.equal(await box.isChecked(), false);
});

await check("the link carries it, with the packages that it hides", async () => {
  const all = await count();
  await box.check();
  await chip.waitFor();
  await settle(page);
  assert.match(decodeURIComponent(page.url()), /mine=java\.,javax\.,/);
  const own = await count();
  assert.notEqual(own, all);
  await page.reload();
  await chip.waitFor();
  await settle(page);
  assert.equal(await count(), own);
  assert.match(await chip.getAttribute("title"), /^Shown are [\d,]+ of 401,987 calls\. /);
  await chip.click();
  await settle(page);
  assert.equal(await chip.count(), 0);
  assert.equal(await count(), all);
  await page.goBack();
  await chip.waitFor();
});

// The page that shows a trace: a dropped file has one of its own, in another tab where the browser lets the page open one.
async function pageOf(name) {
  for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(50))
    for (const one of page.context().pages())
      if (
        /\/t\/\d+\//.test(one.url()) &&
        (await one.locator(".bar h1", { hasText: name }).count()) > 0
      )
        return one;
  throw new Error(`no page shows ${name}`);
}

await check("another trace begins with all of its calls", async () => {
  await open("mine=java.");
  await dropFile(page, "other.trace", await readFile(other));
  const shown = await pageOf("other");
  await settle(shown);
  assert.equal(await shown.locator(".bar .chip.mine").count(), 0);
  assert.match(await shown.locator(".table-footer .grow").innerText(), /^2 methods/);
  await dropFile(shown, "recipes.trace.zst", await readFile(EXAMPLE));
  const again = await pageOf("recipes");
  await settle(again);
  assert.equal(await again.locator(".bar .chip.mine").count(), 0);
  for (const one of page.context().pages()) if (one !== page) await one.close();
  await page.goto(viewer.url);
});

// Everything in the bar that takes room: a search with its steps, marks, and one thread.
const CROWDED = "mine=java.,jdk.&search=query&threads=1:main&mark=1-2ms|here";

const WIDTHS = Array.from({ length: 21 }, (_, ix) => 320 + 70 * ix);

for (const colorScheme of ["light", "dark"])
  await check(`the chip is whole at any width, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    for (const view of ["mine=java.,jdk.", CROWDED]) {
      await followLink(page, viewer, view, "[data-rank]");
      await chip.waitFor();
      for (const width of drawn(WIDTHS, `${view}, ${colorScheme}`)) {
        await page.setViewportSize({ width, height: 800 });
        await settle(page);
        const seen = await chip.evaluate((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const y = (top + bottom) / 2;
          const hit = [left + 4, (left + right) / 2, right - 4].map((x) =>
            one.contains(document.elementFromPoint(x, y)),
          );
          const isWhole = one.scrollWidth <= one.clientWidth && left >= 0 && right <= innerWidth;
          const bar = document.querySelector(".bar");
          return { isWhole, hit, isBarWhole: bar.scrollWidth <= bar.clientWidth };
        });
        assert.deepEqual(
          seen,
          { isWhole: true, hit: [true, true, true], isBarWhole: true },
          `${width} px, ${view}`,
        );
      }
    }
    await page.setViewportSize({ width: 1600, height: 900 });
  });

await check("nothing failed in the page", () => assert.deepEqual(problems, []));

await check("a trace without records is empty, whatever the link hides or finds", async () => {
  const none = await startViewer(empty);
  for (const tab of ["profile", "flame", "tree", "callers"]) {
    await followLink(page, none, `tab=${tab}&mine=java.&filter=x`, ".table-message");
    await settle(page);
    const text = await page.locator(".table-message").first().innerText();
    assert.equal(text, "This trace holds no records.", tab);
  }
  assert.match(await page.locator(".where").innerText(), /^no records$/);
  await none.stop();
});

await viewer.stop();
await rm(folder, { recursive: true, force: true });
await browser.stop();
finish();
