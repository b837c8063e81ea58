// Measures how long FILE takes from the start of the program to the first picture, in a browser that runs already:
// ROUNDS times with an empty cache, then as often with what the first of them saved; and as often a page of one
// rectangle from a server that runs already, which is the browser's own part. Prints one JSON object; without a
// saved index `reopened_s` is empty. With a third argument, the old trace of a comparison, nothing is kept: FILE alone and
// both are opened in turns, and of both the first picture of FILE's timeline is told, and when the other one has its own.
//
// It ends with the frame behind the one that has boxes in it, by the page's own clock: how long it takes to hear of
// that over the browser's debugging port is nobody's wait, nor is what a tool for tests does in the page.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { startViewer } from "../web/tests/harness.mjs";
import { startQuietChromium, WATCH } from "./quiet_chromium.mjs";

const [file, rounds, old] = [process.argv[2], Number(process.argv[3] ?? 5), process.argv[4]];
if (file === undefined) {
  console.error("usage: node first_picture.mjs FILE [ROUNDS [OLD]]");
  process.exit(2);
}
const SAVING_S = 20;
// A virtual machine may have given memory that was free for some seconds back to its host, and then gets it again at
// thirty times the usual price. What the measured program takes has been used a moment ago.
const WARM_BYTES = old === undefined ? 2 ** 30 : 2 ** 31;
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

// Saving is over when a second look, a while later, finds what the first found: where a file cannot be without a name
// until it is whole, its full length is there before its bytes.
async function waitUntilSaved() {
  let before = 0;
  for (let i = 0; i < SAVING_S * 2; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const found = await savedBytes();
    if (found > 0 && found === before && i >= 4) return found;
    if (found === 0 && i >= 8) return 0;
    before = found;
  }
  return savedBytes();
}

// The program of the round before may still be writing.
async function emptyCache() {
  for (const name of await readdir(cache))
    await rm(path.join(cache, name), { recursive: true, force: true, maxRetries: 10 });
}

const now = () => performance.timeOrigin + performance.now();

function warmMemory() {
  spawnSync(process.execPath, ["-e", `Buffer.alloc(${WARM_BYTES}, 1)`]);
}

async function openTab(chromium) {
  const tab = await chromium.newTab();
  await tab.begin(WATCH);
  return tab;
}

// Seconds from `began` to the picture that is noted as `name`.
async function secondsTo(tab, began, name = "pictureAt") {
  return ((await tab.value(`self.${name}`)) - began) / 1000;
}

// Runs `read` with a tab in which the program that has just begun is opened, and when that began.
async function withViewer(chromium, extra, variables, read) {
  const tab = await openTab(chromium);
  warmMemory();
  const began = now();
  const viewer = await startViewer(file, extra, variables);
  try {
    await tab.open(viewer.url);
    return await read(tab, began);
  } finally {
    await tab.close();
    await viewer.stop();
  }
}

const timePicture = (chromium, afterwards) =>
  withViewer(chromium, [], { XDG_CACHE_HOME: cache }, async (tab, began) => {
    const seconds = await secondsTo(tab, began);
    await afterwards?.();
    return seconds;
  });

// FILE alone and beside OLD, in turns, without saved indexes.
async function timeTwo(chromium) {
  const told = { one_s: [], new_s: [], both_s: [] };
  const bare = { TRACEVIEW_CACHE_SIZE: "0" };
  for (let i = 0; i < rounds; i++) {
    await withViewer(chromium, [], bare, async (tab, began) =>
      told.one_s.push(await secondsTo(tab, began)),
    );
    await withViewer(chromium, [old], bare, async (tab, began) => {
      told.new_s.push(await secondsTo(tab, began));
      told.both_s.push(await secondsTo(tab, began, "bothAt"));
    });
  }
  return told;
}

const RECTANGLE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>a rectangle</title>
<div class="stage"><canvas width="1500" height="500"></canvas></div>
<script>requestAnimationFrame(() => {
  const canvas = document.querySelector("canvas");
  canvas.getContext("2d").fillRect(10, 10, 1400, 400);
  canvas.dataset.boxes = 1;
});</script></html>`;

async function timeRectangle(chromium, url) {
  const tab = await openTab(chromium);
  const began = now();
  await tab.open(url);
  const seconds = await secondsTo(tab, began);
  await tab.close();
  return seconds;
}

async function timeRectangles(chromium) {
  const server = http.createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(RECTANGLE),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const taken = [];
  for (let i = 0; i < rounds; i++)
    taken.push(await timeRectangle(chromium, `http://127.0.0.1:${server.address().port}/`));
  server.closeAllConnections();
  server.close();
  return taken;
}

// A browser that runs has drawn text and a canvas before.
const DRAWN = `data:text/html,<p>text</p><canvas></canvas><script>
document.querySelector("canvas").getContext("2d").fillText("text", 5, 5);
self.isDrawn = true;</script>`;

async function timeOne(chromium) {
  const told = { first_s: [], reopened_s: [], rectangle_s: [], saved_bytes: 0 };
  for (let i = 0; i < rounds; i++) {
    await emptyCache();
    const isLast = i === rounds - 1;
    told.first_s.push(
      await timePicture(
        chromium,
        isLast ? async () => (told.saved_bytes = await waitUntilSaved()) : null,
      ),
    );
  }
  told.rectangle_s = await timeRectangles(chromium);
  if (told.saved_bytes > 0)
    for (let i = 0; i < rounds; i++) told.reopened_s.push(await timePicture(chromium));
  return told;
}

const chromium = await startQuietChromium();
try {
  const tab = await chromium.newTab();
  await tab.open(DRAWN);
  await tab.value("self.isDrawn");
  console.log(JSON.stringify(await (old === undefined ? timeOne : timeTwo)(chromium)));
} finally {
  await chromium.stop();
  await rm(cache, { recursive: true, force: true });
}
