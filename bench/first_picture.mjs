// Measures how long FILE takes from the start of the program to the first picture, in a browser that runs already:
// ROUNDS times with an empty cache, then as often with what the first of them saved. Prints one JSON object; without
// a saved index `reopened_s` is empty.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startBrowser, startViewer } from "../web/tests/harness.mjs";

const [file, rounds] = [process.argv[2], Number(process.argv[3] ?? 5)];
if (file === undefined) {
  console.error("usage: node first_picture.mjs FILE [ROUNDS]");
  process.exit(2);
}
const SAVING_S = 20;
const cache = await mkdtemp(path.join(os.tmpdir(), "traceview-cache-"));
delete process.env.TRACEVIEW_CACHE_SIZE;

async function savedBytes() {
  const names = await readdir(cache, { recursive: true, withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of names)
    if (entry.isFile()) {
      const found = await stat(path.join(entry.path, entry.name)).catch(() => ({ size: 0 }));
      sum += found.size;
    }
  return sum;
}

// Saving is over when a second look, a while later, finds what the first found.
async function waitUntilSaved() {
  let before = 0;
  for (let i = 0; i < SAVING_S * 2; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = await savedBytes();
    if (now > 0 && now === before) return now;
    if (now === 0 && i >= 8) return 0;
    before = now;
  }
  return savedBytes();
}

async function emptyCache() {
  for (const name of await readdir(cache))
    await rm(path.join(cache, name), { recursive: true, force: true });
}

async function timePicture(context, afterwards) {
  const page = await context.newPage();
  await page.goto("about:blank");
  const began = performance.now();
  const viewer = await startViewer(file, [], { XDG_CACHE_HOME: cache });
  try {
    await page.goto(viewer.url, { waitUntil: "commit" });
    await page.waitForFunction(
      () => Number(document.querySelector(".stage canvas")?.dataset.boxes ?? 0) > 0,
      null,
      { timeout: 30_000, polling: "raf" },
    );
    const seconds = (performance.now() - began) / 1000;
    await afterwards?.();
    return seconds;
  } finally {
    await page.close();
    await viewer.stop();
  }
}

const browser = await startBrowser();
const told = { first_s: [], reopened_s: [], saved_bytes: 0 };
try {
  // A browser that runs has drawn text and a canvas before.
  const page = await browser.context.newPage();
  await page.setContent("<p>text</p><canvas></canvas>");
  await page.evaluate(() =>
    document.querySelector("canvas").getContext("2d")?.fillText("text", 5, 5),
  );
  for (let i = 0; i < rounds; i++) {
    await emptyCache();
    const isLast = i === rounds - 1;
    told.first_s.push(
      await timePicture(
        browser.context,
        isLast ? async () => (told.saved_bytes = await waitUntilSaved()) : null,
      ),
    );
  }
  if (told.saved_bytes > 0)
    for (let i = 0; i < rounds; i++) told.reopened_s.push(await timePicture(browser.context));
} finally {
  await browser.stop();
  await rm(cache, { recursive: true, force: true });
}
console.log(JSON.stringify(told));
