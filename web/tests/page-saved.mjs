// Share, "Save as one page…": what the viewer saves opens from a file, without a network, at the view that was shown.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
  startViewer,
} from "./harness.mjs";

const { checkProgram, checkAlone, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-saved-"));
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = [];
page.on("pageerror", (error) => problems.push(error.message));
const footer = page.locator(".one-page footer");

async function openDialog(link) {
  await page.goto("about:blank");
  await page.goto(`${viewer.url}#${link}`);
  await page.locator("[data-rank], [role=treegrid]").first().waitFor();
  await settle(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Save as one page…" }).click();
  await page.locator(".one-page").waitFor();
}

// Makes the page and saves it; gives its address, and what was told before.
async function save(name) {
  await page.getByRole("button", { name: "Make the page" }).click();
  const button = page.getByRole("button", { name: /^Save [\d.]+\s[kMKi]*B$/ });
  await button.waitFor();
  const told = await footer.textContent();
  const [one] = await Promise.all([page.waitForEvent("download"), button.click()]);
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

// Opens a file with the network cut; gives what `look` gives.
async function offline(file, look) {
  await browser.context.setOffline(true);
  const other = await browser.context.newPage();
  const asked = [];
  other.on("pageerror", (error) => problems.push(error.message));
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

await checkProgram("the whole trace, at the view that was shown", async () => {
  await openDialog("tab=tree&clock=wall&range=100-300ms");
  await page.locator(".one-page select").first().selectOption({ index: 0 });
  await page.getByLabel("Title").fill("One slow load");
  await page.getByLabel(/^Note/).fill("Look at the <b>tenth</b>.\nIt waits.");
  const { file, told, name } = await save("whole.html");
  assert.equal(name, "recipes.html");
  assert.match(told, /^recipes\.html is made, [\d.]+\s\S+, and not saved yet/);
  const { size } = await stat(file);
  assert.equal(told.includes(`${(size / 1024 ** 2).toFixed(1)} MiB`), true, told);
  await page.keyboard.press("Escape");
  const shown = await seenIn(page);
  await offline(file, async (other) => {
    assert.deepEqual(await seenIn(other), shown);
    assert.equal(await other.locator(".report-bar b").textContent(), "One slow load");
    assert.equal(
      await other.locator(".report-bar p").textContent(),
      "Look at the <b>tenth</b>.\nIt waits.",
    );
  });
});

await checkProgram("a range of one thread has the same rows, and its own times", async () => {
  await openDialog("tab=tree&clock=wall&range=100-300ms&threads=1:main");
  const { file, name } = await save("part.html");
  assert.equal(name, "recipes-main-100-300ms.html");
  await page.keyboard.press("Escape");
  const shown = await seenIn(page);
  await offline(file, async (other) => {
    const seen = await seenIn(other);
    assert.deepEqual(seen.rows, shown.rows);
    assert.match(await other.locator(".facts").textContent(), /1 thread · 105,68\d calls/);
  });
});

await checkProgram("redacted, it has no name of the trace's", async () => {
  await openDialog("clock=wall&threads=1:main&filter=Database");
  await page.getByLabel("Redact: names become hashes").check();
  await page.locator(".preview", { hasText: "No method keeps its name" }).waitFor();
  const { file, name } = await save("redacted.html");
  assert.equal(name, "trace-1-thread-redacted.html");
  const text = await readFile(file, "utf8");
  const about = /id="tv-report">([^<]*)<\/script>/.exec(text)[1];
  assert.deepEqual(JSON.parse(about), {
    title: "",
    note: "",
    link: "clock=wall",
    name: "redacted.trace",
  });
  for (const word of ["RecipeApp", "recipes.trace", "ImageWorker"])
    assert.ok(!text.includes(word), word);
});

await checkProgram("another choice makes another page", async () => {
  await openDialog("clock=wall");
  await page.getByRole("button", { name: "Make the page" }).click();
  await page.getByRole("button", { name: /^Save / }).waitFor();
  await page.getByLabel("Title").fill("Other");
  await page.getByRole("button", { name: "Make the page" }).waitFor();
});

for (const theme of ["light", "dark"])
  await checkProgram(`axe-core finds nothing in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertAccessible(page);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${theme}.png` });
  });

await checkProgram("the page has no problems", async () => assert.deepEqual(problems, []));

await checkAlone("a page without a program does not offer it", async () => {
  await page.goto(viewer.url);
  await page.locator("[data-rank]").first().waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Download as…" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Save as one page…" }).count(), 0);
});

await browser.stop();
await viewer.stop();
await rm(folder, { recursive: true, force: true });
finish();
