// A page that has its trace in it opens from a file, without a network, at the view that was shared: in Chromium and in Firefox.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  assertAccessible,
  BINARY,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
} from "./harness.mjs";
import { startFirefox } from "./marionette.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-report-"));
const built = path.dirname(BINARY);
const NOTE = "Look at the tenth load.\n</script><b>It waits</b> for the cache.";
const LINK = "tab=tree&clock=wall&range=100-300ms";

// The template with its marks filled, as docs/report.md has it.
async function makeReport(name, trace) {
  const template = gunzipSync(await readFile(path.join(built, "web/report.html.gz"))).toString();
  const engine = gzipSync(await readFile(path.join(built, "src/engine/engine.wasm")));
  const about = { title: "One slow load", note: NOTE, link: LINK, name: "recipes.trace" };
  const block = (id, type, text) => `<script type="${type}" id="${id}">${text}</script>`;
  const data = [
    block("tv-report", "application/json", JSON.stringify(about).replaceAll("<", "\\u003c")),
    block("tv-engine", "text/plain", engine.toString("base64")),
    block("tv-trace", "text/plain", trace),
  ].join("");
  const fill = (text, mark, by) => text.split(`<!--tv:${mark}-->`).join(by);
  const titled = fill(template, "title", about.title);
  const still = fill(titled, "still", "<p>The top table stands here.</p>");
  const file = path.join(folder, name);
  await writeFile(file, fill(still, "data", data));
  return pathToFileURL(file).href;
}

const plain = execFileSync("zstd", ["-dc", EXAMPLE], { maxBuffer: 1 << 28 });
const packed = gzipSync(plain).toString("base64");
const whole = await makeReport("whole.html", packed);
const small = await makeReport("small.html", (await readFile(EXAMPLE)).toString("base64"));
const browser = await startBrowser();
await browser.context.setOffline(true);
const page = await browser.context.newPage();
const problems = [];
const asked = [];
page.on("pageerror", (error) => problems.push(error.message));
page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
page.on("request", (request) => asked.push(request.url()));

await check("opens from a file at the shared view, without a network", async () => {
  await page.goto(whole);
  await page.locator("[role=treegrid]").waitFor();
  await settle(page);
  assert.match(await page.locator(".where").textContent(), /^in 100 – 300 ms/);
  assert.equal(
    await page.getByRole("radio", { name: "Wall" }).getAttribute("aria-checked"),
    "true",
  );
});

await check("says what its maker said, as text", async () => {
  assert.equal(await page.locator(".report-bar b").textContent(), "One slow load");
  assert.equal(await page.locator(".report-bar p").textContent(), NOTE);
  assert.match(await page.title(), /recipes\.trace/);
});

for (const theme of ["light", "dark"])
  await check(`axe-core finds nothing in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertAccessible(page);
  });

await check("a file dropped on it changes nothing", async () => {
  const transfer = await page.evaluateHandle(() => {
    const list = new DataTransfer();
    list.items.add(new File(["x"], "other.trace"));
    return list;
  });
  await page.dispatchEvent("#app", "drop", { dataTransfer: transfer });
  await settle(page);
  assert.equal(await page.locator(".bar h1").textContent(), "recipes.trace");
});

await check("asks for nothing", async () => {
  assert.deepEqual(
    asked.filter(
      (address) =>
        address !== whole && !address.startsWith("blob:") && !address.startsWith("data:"),
    ),
    [],
  );
  assert.deepEqual(problems, []);
});

await check("opens with its trace packed by zstd", async () => {
  await page.goto(small);
  await page.locator("[role=treegrid]").waitFor();
  await settle(page);
  assert.match(await page.locator(".facts").textContent(), /5 threads · 401,98\d calls/);
});

await check("a damaged one says so", async () => {
  await page.goto(await makeReport("cut.html", packed.slice(0, 4096)));
  await page.locator(".failed, .start-problem, .banner").first().waitFor();
  await page.goto(await makeReport("wrong.html", Buffer.from("no trace").toString("base64")));
  await page.locator(".failed", { hasText: "recipes.trace" }).waitFor();
});

await check("shows its table where no script runs", async () => {
  const still = await browser.context.browser().newContext({ javaScriptEnabled: false });
  const other = await still.newPage();
  await other.goto(whole);
  assert.equal(await other.locator("#app p").textContent(), "The top table stands here.");
  await still.close();
});
await browser.stop();

await check("opens in Firefox, too", async () => {
  const firefox = await startFirefox();
  try {
    await firefox.goto(small);
    await firefox.waitFor("return document.querySelector('[role=treegrid] [role=row]') !== null");
    const where = await firefox.run("return document.querySelector('.where').textContent");
    assert.match(where, /^in 100 – 300 ms/);
    assert.match(
      await firefox.run("return document.querySelector('.facts').textContent"),
      /5 threads · 401,98\d calls/,
    );
  } finally {
    await firefox.stop();
  }
});

await rm(folder, { recursive: true, force: true });
finish();
