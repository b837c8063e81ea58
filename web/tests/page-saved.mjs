// Share, "Save as one page…": what the viewer saves, what the page alone does and what such a page does itself, opens from a file, without a network, at the view that was shown.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  IS_ENGINE,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, checkAlone, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-saved-"));
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

async function openDialog(link, address = viewer.url, by = page) {
  await openView(by, { url: address }, link, "[data-rank], [role=treegrid]");
  await choosePage(by);
}

async function choosePage(by) {
  await by.getByRole("button", { name: "Share" }).click();
  await by.getByRole("menuitem", { name: "Save as one page…" }).click();
  await by.locator(".one-page").waitFor();
}

// To pack a whole trace takes seconds of the processor, which a busy machine gives now and then.
const MAKING_MS = 240_000;

// Makes the page and saves it; gives its address, and what was told before.
async function save(name, by = page) {
  await by.getByRole("button", { name: "Make the page" }).click();
  const button = by.getByRole("button", { name: /^Save [\d.]+\s[kMKi]*B$/ });
  await button.waitFor({ timeout: MAKING_MS });
  const told = await by.locator(".one-page footer").textContent();
  const [one] = await Promise.all([by.waitForEvent("download"), button.click()]);
  const file = path.join(folder, name);
  await one.saveAs(file);
  return { file, told, name: one.suggestedFilename() };
}

async function seenIn(other) {
  await other.locator("[role=treegrid] [role=row]").nth(3).waitFor();
  await settle(other);
  return {
    rows: await other.locator("[role=treegrid] [role=row]").allTextContents(),
    where: await other.locator(".where").textContent(),
    clock: await other.getByRole("radio", { name: "Wall" }).getAttribute("aria-checked"),
  };
}

// What a page says about itself: title, link, name.
const about = (other) =>
  other.evaluate(() => {
    const { title, link, name } = JSON.parse(document.getElementById("tv-report").textContent);
    return [title, link, name];
  });

// Opens a file with the network cut; gives what `look` gives.
async function offline(file, look) {
  await browser.context.setOffline(true);
  const other = await browser.context.newPage();
  const asked = [];
  watchProblems(other, undefined, problems);
  other.on("request", (request) => asked.push(request.url()));
  const address = pathToFileURL(file).href;
  try {
    await other.goto(address);
    const seen = await look(other);
    assert.deepEqual(
      asked.filter((one) => one !== address && !/^(blob|data):/.test(one)),
      [],
    );
    return seen;
  } finally {
    await other.close();
    await browser.context.setOffline(false);
  }
}

await check("the whole trace, at the view and the step of a story that were shown", async () => {
  await openDialog("tab=tree&clock=wall&range=100-300ms&story=1.1");
  await page.locator(".one-page select").first().selectOption({ index: 0 });
  await page.getByLabel("Title").fill("One slow load");
  await page.getByLabel(/^Note/).fill("Look at the <b>tenth</b>.\nIt waits.");
  const { file, told, name } = await save("whole.html");
  assert.equal(name, "recipes.html");
  assert.match(told, /^recipes\.html is made, [\d.]+\s\S+, and not saved yet/);
  const { size } = await stat(file);
  const shownSize =
    size < 1024 ** 2 ? `${Math.round(size / 1024)} KiB` : `${(size / 1024 ** 2).toFixed(1)} MiB`;
  assert.equal(told.includes(shownSize), true, told);
  await page.keyboard.press("Escape");
  const shown = await seenIn(page);
  await offline(file, async (other) => {
    assert.deepEqual(await seenIn(other), shown);
    assert.equal(await other.locator(".report-bar b").textContent(), "One slow load");
    const story = other.getByRole("region", { name: "Story" });
    await story.filter({ hasText: "The call 1 of 3" }).filter({ hasText: "were slow" }).waitFor();
    assert.equal(
      await other.locator(".report-bar p").textContent(),
      "Look at the <b>tenth</b>.\nIt waits.",
    );
  });
});

await check("a range of one thread has the same rows, and its own times", async () => {
  await openDialog("tab=tree&clock=wall&range=100-150ms&threads=1:main");
  const { file, name } = await save("part.html");
  assert.equal(name, "recipes-main-100-150ms.html");
  await page.keyboard.press("Escape");
  const shown = await seenIn(page);
  await offline(file, async (other) => {
    const seen = await seenIn(other);
    assert.deepEqual(seen.rows, shown.rows);
    assert.match(await other.locator(".facts").textContent(), /1 thread · 25,80\d calls/);
  });
});

await checkAlone("such a page makes another one, with other marks", async () => {
  await openDialog("tab=tree&clock=wall&range=100-300ms&threads=1:main");
  const { file } = await save("first.html");
  const link = "tab=tree&clock=wall&mark=50-60ms|here";
  const told = await offline(file, async (first) => {
    const [, , ...rest] = await about(first);
    assert.deepEqual(rest, ["recipes.trace.zst"]);
    await openDialog(link, pathToFileURL(file).href, first);
    await first.getByLabel("Title").fill("Again");
    return (await save("second.html", first)).told;
  });
  assert.match(told, /^recipes\.html is made/);
  const second = path.join(folder, "second.html");
  await offline(second, async (other) => {
    assert.deepEqual(await about(other), ["Again", link, "recipes.trace.zst"]);
    await other.getByRole("button", { name: "1 mark" }).waitFor();
    assert.match(await other.locator(".facts").textContent(), /1 thread · 105,68\d calls/);
    await openDialog(link, pathToFileURL(second).href, other);
    await other.getByLabel("Title").fill("Again");
    await save("third.html", other);
  });
  assert.ok((await readFile(second)).equals(await readFile(path.join(folder, "third.html"))));
});

await checkAlone("a packed file that was chosen becomes a page, too", async () => {
  const packed = path.join(folder, "recipes.trace.gz");
  const plain = execFileSync("zstd", ["-dcq", EXAMPLE], { maxBuffer: 1 << 28 });
  await writeFile(packed, gzipSync(plain, { level: 1 }));
  const [address] = viewer.url.split("?");
  await page.goto("about:blank");
  await page.goto(`${address}#tab=tree&clock=wall&range=100-110ms&threads=1:main`);
  await page.locator("#file-input").setInputFiles(packed);
  const shown = await seenIn(page);
  await choosePage(page);
  const { file, name } = await save("packed.html");
  assert.equal(name, "recipes-main-100-110ms.html");
  await offline(file, async (other) => assert.deepEqual((await seenIn(other)).rows, shown.rows));
});

await check("redacted, it has no name of the trace's", async () => {
  await openDialog("clock=wall&threads=1:main&range=100-150ms&filter=Database");
  await page.getByLabel("Redact: names become hashes").check();
  await page.locator(".preview", { hasText: "No method keeps its name" }).waitFor();
  const { file, name } = await save("redacted.html");
  assert.equal(name, "trace-1-thread-100-150ms-redacted.html");
  const text = await readFile(file, "utf8");
  // Lengths stand there of what a browser packed.
  const { sha256, packed, unpacked, ...said } = JSON.parse(
    /id="tv-report">([^<]*)<\/script>/.exec(text)[1],
  );
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.equal(unpacked > packed, IS_ENGINE);
  assert.deepEqual(said, {
    title: "",
    note: "",
    part: "1 thread, from 100 to 150 ms",
    link: "clock=wall&range=0-50ms&view=0-50ms",
    name: "redacted.trace",
  });
  for (const word of ["RecipeApp", "recipes.trace", "ImageWorker"])
    assert.ok(!text.includes(word), word);
});

await check("another choice makes another page", async () => {
  await openDialog("clock=wall&range=100-110ms&threads=1:main");
  await page.getByRole("button", { name: "Make the page" }).click();
  await page.getByRole("button", { name: /^Save / }).waitFor({ timeout: MAKING_MS });
  await page.getByLabel("Title").fill("Other");
  await page.getByRole("button", { name: "Make the page" }).waitFor();
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertFine(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${theme}.png` });
  });

// The page alone has its engine.
if (!IS_ENGINE)
  await check("a program without the engine says how to have it", async () => {
    const first = /\/api\/first/;
    await page.route(first, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      answer.state.saves = false;
      await route.fulfill({ response, json: answer });
    });
    await openView(page, viewer, "", "[data-rank]");
    await page.getByRole("button", { name: "Share" }).click();
    const entry = page.getByRole("menuitem", { name: "Save as one page…" });
    assert.equal(await entry.getAttribute("aria-disabled"), "true");
    assert.match(await entry.textContent(), /scripts\/install engine, then make build$/);
    await assertAccessible(page);
    await page.unroute(first);
  });

await check("the page has no problems", async () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true, force: true });
finish();
