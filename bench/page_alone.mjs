// Measures how long a made trace of MEGABYTES (30) takes in the page alone (make site), from the file chosen to the first
// picture, ROUNDS (5) times: the engine is compiled and the page stands, as for whoever has it open. Beside it, how long the program takes to
// index the same file on one core. Prints one JSON object.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { BINARY, SITE, startBrowser } from "../web/tests/harness.mjs";
import { traceOf } from "../web/tests/odd-traces.mjs";
import { startStaticHost } from "../web/tests/static-host.mjs";

const [megabytes, rounds] = [Number(process.argv[2] ?? 30), Number(process.argv[3] ?? 5)];
const RECORD_LEN = 9;
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-alone-"));
const file = path.join(folder, "made.trace");
await writeFile(file, traceOf(3, Math.round((megabytes * 1e6) / RECORD_LEN)));

// Runs in the page: notes when the file is chosen, and the frame behind the first one with boxes in it.
function watch() {
  addEventListener("change", () => (self.chosenAt = performance.now()), { capture: true });
  new MutationObserver(() => {
    const boxes = document.querySelector(".stage canvas")?.dataset.boxes ?? 0;
    if (self.isSeen === true || !(Number(boxes) > 0)) return;
    self.isSeen = true;
    requestAnimationFrame(() => requestAnimationFrame(() => (self.pictureAt = performance.now())));
  }).observe(document, { attributes: true, attributeFilter: ["data-boxes"], subtree: true });
}

const host = await startStaticHost(SITE);
const browser = await startBrowser({ isWatched: false });
await browser.context.addInitScript(watch);
const pictureMs = [];
for (let round = 0; round <= rounds; round++) {
  const page = await browser.context.newPage();
  await page.goto(host.url);
  await page.locator(".start-promise").waitFor();
  await page.setInputFiles("#file-input", file);
  await page.waitForFunction(() => self.pictureAt > 0);
  const took = await page.evaluate(() => self.pictureAt - self.chosenAt);
  // The first round warms the file and the browser's caches.
  if (round > 0) pictureMs.push(Math.round(took));
  await page.close();
}
await browser.stop();
await host.stop();

const nativeMs = [];
for (let round = 0; round < rounds; round++) {
  const begun = performance.now();
  spawnSync("taskset", ["-c", "0", BINARY, "info", "--no-cache", file]);
  nativeMs.push(Math.round(performance.now() - begun));
}
await rm(folder, { recursive: true, force: true });
const sorted = (list) => [...list].sort((a, b) => a - b);
const report = { megabytes, picture_ms: sorted(pictureMs), native_info_ms: sorted(nativeMs) };
console.log(JSON.stringify({ ...report, load: os.loadavg()[0] }));
process.exit(0);
