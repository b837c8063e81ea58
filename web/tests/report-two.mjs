// A page that has two traces in it opens from a file, without a network, at what changed: in Chromium and in Firefox.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  assertAccessible,
  assertColours,
  assertChanges,
  BINARY,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
  watchProblems,
} from "./harness.mjs";
import { startFirefox } from "./marionette.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-report-two-"));
const half = path.join(folder, "half.trace");
const run = (...words) => execFileSync(BINARY, words, { encoding: "utf8", stdio: "pipe" });
run("export", EXAMPLE, "--from", "0", "--to", "400", "-o", half);
const report = (name, ...words) => {
  const file = path.join(folder, name);
  run("report", "--against", half, EXAMPLE, "-o", file, ...words);
  return file;
};
const file = report("both.html", "--title", "What the pull request costs");
const address = pathToFileURL(file).href;
const diff = JSON.parse(run("diff", "--json", half, EXAMPLE));

const browser = await startBrowser();
await browser.context.setOffline(true);
const page = await browser.context.newPage();
const problems = watchProblems(page);
const asked = [];
page.on("request", (request) => asked.push(request.url()));
const rows = (at) => at.locator("[data-table=changes] .table-rows .tr");
const sides = async () =>
  (await page.locator(".changes-head dd .clip").allTextContents()).map((text) => text.trim());

await check("opens at what changed, with the numbers of diff", async () => {
  await page.goto(address);
  await assertChanges(page, diff);
  assert.match(page.url(), /#tab=changes&against=1$/);
  const [old, opened] = await sides();
  assert.match(old, /half\.trace/);
  assert.match(opened, /recipes\.trace\.zst/);
  assert.equal(await page.locator(".report-bar b").textContent(), "What the pull request costs");
});

await check("has both timelines, and every tab shows both", async () => {
  await page.waitForFunction(() => {
    const canvases = [...document.querySelectorAll(".timelines .stage canvas:first-child")];
    return canvases.length === 2 && canvases.every(({ dataset }) => Number(dataset.boxes) > 100);
  });
  await page.keyboard.press("1");
  await page
    .locator("[data-table=profile] .th, [role=columnheader]", { hasText: /Old/i })
    .first()
    .waitFor();
  for (const name of ["Tree", "Callers"]) {
    await page.getByRole("tab", { name }).click();
    await page.getByRole("treegrid", { name }).waitFor();
    await page
      .getByText(/same calls|calls \+|new/)
      .first()
      .waitFor();
  }
  await page.getByRole("tab", { name: "Flame" }).click();
  await page.getByRole("radio", { name: "Change" }).click();
  await page.locator(".tab-tools.of-change").getByText("of CPU time").waitFor();
});

await check("axe-core finds nothing, in both themes", async () => {
  await page.getByRole("tab", { name: "Changes" }).click();
  await rows(page).first().waitFor();
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  await assertColours(page);
  await page.emulateMedia({ colorScheme: "light" });
});

await check("is printed with the names of both and what changed", async () => {
  await page.emulateMedia({ media: "print" });
  const text = await page.locator("body").innerText();
  for (const part of ["half.trace", "recipes.trace.zst", diff.times[0].method])
    assert.ok(text.includes(part), part);
  // Nothing cuts the columns at the width of the paper, which is made smaller for them.
  const cut = await page
    .locator("[data-table=changes] .tr.head .td")
    .last()
    .evaluate((cell) => {
      let at = cell.parentElement;
      while (at !== null && getComputedStyle(at).overflowX === "visible") at = at.parentElement;
      return at?.className ?? null;
    });
  assert.equal(cut, null);
  await page.emulateMedia({ media: "screen" });
});

await check("its sides are swapped in the page, and back", async () => {
  const swap = page.getByRole("button", { name: "Swap the sides" });
  await swap.click();
  await page.locator(".bar h1", { hasText: "half.trace" }).waitFor();
  // The head of what changed comes behind the trace's name, when the other side is read.
  await page
    .locator(".changes-head dd .clip")
    .first()
    .filter({ hasText: "recipes.trace.zst" })
    .waitFor();
  await swap.click();
  await page.locator(".bar h1", { hasText: "recipes.trace.zst" }).waitFor();
  await assertChanges(page, diff);
});

await check("a page that is made of it has one trace, and names no other", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Save as one page…" }).click();
  await page.getByRole("button", { name: "Make the page" }).click();
  const button = page.getByRole("button", { name: /^Save [\d.]+\s[kMKi]*B$/ });
  await button.waitFor();
  const [saved] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const text = await readFile(await saved.path(), "utf8");
  assert.equal(text.includes('id="tv-old"'), false);
  assert.doesNotMatch(/"link":"[^"]*"/.exec(text)[0], /against/);
});

await check("asks for nothing", async () => {
  assert.deepEqual(
    asked.filter((one) => !/^(?:blob|data):/.test(one) && one.replace(/#.*/, "") !== address),
    [],
  );
  assert.deepEqual(problems, []);
});

await check("opens at the view that was linked, and a part of both", async () => {
  const part = report("part.html", "--link", "#tab=tree&against=2", "--to", "300ms");
  await page.goto(pathToFileURL(part).href);
  await page.getByRole("treegrid", { name: "Tree" }).waitFor();
  await page
    .getByText(/same calls/)
    .first()
    .waitFor();
  await page.getByRole("tab", { name: "Changes" }).click();
  await page
    .locator(".changes-head", { hasText: /Calls of [\d,]+ methods changed \(\d+ new, 0 gone\)/ })
    .waitFor();
});

await check("has several runs a side, tested, and shows the most typical one", async () => {
  const [olds, news] = [path.join(folder, "olds"), path.join(folder, "news")];
  for (const [name, untils] of [
    [olds, [400, 420, 440]],
    [news, [500, 520]],
  ]) {
    await mkdir(name);
    for (const [ix, until] of untils.entries())
      run("export", EXAMPLE, "--to", `${until}`, "-o", path.join(name, `${until}-${ix + 1}.trace`));
  }
  const several = path.join(folder, "several.html");
  run("report", "--old", olds, "--new", news, "-o", several);
  const told = JSON.parse(run("diff", "--json", "-n", "0", olds, news));
  await page.goto(pathToFileURL(several).href);
  await rows(page).first().waitFor();
  const tested = Object.values(told.time_verdicts).reduce((sum, one) => sum + one, 0);
  await page
    .locator(".changes-head", { hasText: `Inclusive time of ${tested} methods was tested` })
    .waitFor();
  const dots = rows(page).first().locator("svg.run-dots");
  assert.equal(await dots.locator("circle.old").count(), 3);
  assert.equal(await dots.locator("circle.new").count(), 2);
  const text = await readFile(several, "utf8");
  assert.match(text, /This page has all 5 traces in it/);
  const typical = told.new.typical === 1 ? "500-1.trace" : "520-2.trace";
  assert.ok(text.includes(`and <code>${typical}</code>.</p>`), typical);
  await page.locator(".bar h1", { hasText: typical }).waitFor();
  const changed = path.join(folder, "changed-run.html");
  for (const [id, side] of [
    ["tv-more-1", "old"],
    ["tv-more-3", "new"],
  ]) {
    await writeFile(changed, damaged(text, id));
    await page.goto("about:blank");
    await page.goto(pathToFileURL(changed).href);
    await page
      .locator(".failed", { hasText: `the ${side} trace in this file is damaged` })
      .waitFor();
  }
});

await check("opens with methods that were matched by hand", async () => {
  const [gone] = diff.calls.filter((one) => one.new.calls[1] === 0);
  const now = diff.calls.find((one) => one.old.calls[1] === 0)?.method;
  const [old, to] = [gone?.method ?? diff.times[0].method, now ?? diff.times[1].method];
  const matched = report("matched.html", "--matched", `${old} = ${to}`);
  await page.goto(pathToFileURL(matched).href);
  await rows(page).first().waitFor();
  await page.locator(".chip.matched", { hasText: "matched:" }).waitFor();
  const params = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.deepEqual([params.get("matched"), params.get("as")], [old, to]);
});

// Another letter in the middle of the first block behind `id`.
function damaged(text, id) {
  const from = text.indexOf('plain">', text.indexOf(`id="${id}"`)) + 7;
  const at = from + Math.floor((text.indexOf("</script>", from) - from) / 2);
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
}

await check("a damaged file says which of both traces is damaged", async () => {
  const good = await readFile(file, "utf8");
  const changed = path.join(folder, "changed.html");
  for (const [text, told] of [
    [damaged(good, "tv-old"), "the old trace in this file is damaged"],
    [damaged(good, "tv-trace"), "the trace in this file is damaged"],
    [good.replace('id="tv-old"', 'id="tw-old"'), "the old trace in this file is damaged"],
    [
      good.slice(0, good.indexOf('plain">', good.indexOf('id="tv-trace"')) + 4096),
      "this file is cut short or damaged",
    ],
  ]) {
    await writeFile(changed, text);
    await page.goto("about:blank");
    await page.goto(pathToFileURL(changed).href);
    await page.locator(".failed", { hasText: told }).waitFor();
    // The tables stay.
    assert.ok((await page.locator(".failed ~ * table tr, table tr").count()) > 20);
  }
});

await check("shows tables and pictures where no script runs", async () => {
  const still = await browser.context.browser().newContext({ javaScriptEnabled: false });
  const other = await still.newPage();
  await other.goto(address);
  assert.ok((await other.locator("table tr").count()) > 30);
  assert.equal(await other.locator("svg #boxes").count(), 1);
  assert.match(await other.locator("h1").textContent(), /What the pull request costs/);
  await still.close();
});
await settle(page);
await browser.stop();

await check("opens in Firefox, too", async () => {
  const firefox = await startFirefox();
  try {
    await firefox.goto(address);
    await firefox.waitFor(
      "return document.querySelector('[data-table=changes] .table-rows .tr') !== null",
    );
    await firefox.waitFor(
      "return document.querySelector('.changes-head')?.textContent.includes('half.trace')",
    );
  } finally {
    await firefox.stop();
  }
});

await rm(folder, { recursive: true, force: true });
finish();
