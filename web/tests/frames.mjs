// Measures the page, for `make bench`: FILE's first picture, then drawing times and frames while it is zoomed by
// keys and wheel, panned and dragged. A frame counts from the one before it, where it drew something new: what is
// idle would make the numbers look better. It pauses between keys as a hand does. Prints one `name value unit` a
// line.
import { startBrowser, startViewer } from "./harness.mjs";

const file = process.argv[2];
if (file === undefined) {
  console.error("usage: node frames.mjs FILE");
  process.exit(2);
}
const browser = await startBrowser({ isWatched: false });
const page = await browser.context.newPage();
const began = performance.now();
const viewer = await startViewer(file);
const served = performance.now();
await page.goto(viewer.url);
await page.waitForFunction(
  () => Number(document.querySelector(".stage canvas")?.dataset.boxes ?? 0) > 0,
  null,
  { timeout: 60_000, polling: "raf" },
);
const drawn = performance.now();
await page.waitForTimeout(1000);
await page.evaluate(() => {
  const canvas = document.querySelector(".stage canvas");
  const seen = { gaps: [], frames: [], draws: [], boxes: 0 };
  globalThis.seen = seen;
  let last = performance.now();
  let drawing = "";
  const step = (now) => {
    seen.gaps.push(now - last);
    last = now;
    if (canvas.dataset.ms !== drawing) {
      drawing = canvas.dataset.ms;
      seen.frames.push(seen.gaps.at(-1));
      seen.draws.push(Number(drawing));
      seen.boxes = Math.max(seen.boxes, Number(canvas.dataset.boxes));
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
const box = await page.locator(".stage").boundingBox();
await page.mouse.move(box.x + box.width * 0.45, box.y + 100);
for (const key of ["w", "d", "s"])
  for (let i = 0; i < 14; i++) {
    await page.keyboard.press(key);
    await page.waitForTimeout(100);
  }
for (const notch of [-120, -120, -120, 120, 120, -120, -120, 120]) {
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, notch);
  await page.keyboard.up("Control");
  await page.waitForTimeout(60);
}
for (let i = 0; i < 40; i++) {
  await page.mouse.wheel(i < 20 ? 60 : -60, i % 2 === 0 ? 40 : -40);
  await page.waitForTimeout(16);
}
const seen = await page.evaluate(() => globalThis.seen);
const windows = await page.evaluate(() =>
  performance
    .getEntriesByType("resource")
    .filter((entry) => entry.name.includes("api/window"))
    .map((entry) => [entry.duration, entry.encodedBodySize]),
);
const rank = (values, share) =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;

console.log(`start_to_address ${(served - began).toFixed(0)} ms`);
console.log(`start_to_first_picture ${(drawn - began).toFixed(0)} ms`);
console.log(`boxes_max ${seen.boxes} boxes`);
console.log(`draw_p50 ${rank(seen.draws, 0.5).toFixed(1)} ms`);
console.log(`draw_p95 ${rank(seen.draws, 0.95).toFixed(1)} ms`);
console.log(`draw_max ${rank(seen.draws, 1).toFixed(1)} ms`);
console.log(`frames ${seen.frames.length} frames`);
console.log(`frame_p50 ${rank(seen.frames, 0.5).toFixed(1)} ms`);
console.log(`frame_p95 ${rank(seen.frames, 0.95).toFixed(1)} ms`);
console.log(`frame_max ${rank(seen.frames, 1).toFixed(1)} ms`);
console.log(`gap_max ${rank(seen.gaps.slice(5), 1).toFixed(1)} ms`);
console.log(`window_requests ${windows.length} requests`);
console.log(`window_max ${Math.max(0, ...windows.map(([ms]) => ms)).toFixed(0)} ms`);
console.log(`window_bytes_max ${Math.max(0, ...windows.map(([, bytes]) => bytes))} bytes`);
await browser.stop();
await viewer.stop();
