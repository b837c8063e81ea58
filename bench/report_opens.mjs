// Measures how long the report PAGE.html takes from its address to its first picture, in a Chromium that runs already,
// ROUNDS (5) times. Prints one JSON object: the milliseconds until the document is there, and until the picture is.
import { stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startQuietChromium, WATCH } from "./quiet_chromium.mjs";

const [report, rounds] = [process.argv[2], Number(process.argv[3] ?? 5)];
if (report === undefined) {
  console.error("usage: node report_opens.mjs PAGE.html [ROUNDS]");
  process.exit(2);
}

const DOCUMENT = 'performance.getEntriesByType("navigation")[0]?.domContentLoadedEventStart || null';

async function opening(chromium) {
  const tab = await chromium.newTab();
  await tab.begin(WATCH);
  await tab.open(pathToFileURL(path.resolve(report)).href);
  const picture = await tab.value("self.pictureAt && self.pictureAt - performance.timeOrigin");
  const there = await tab.value(DOCUMENT);
  await tab.close();
  return [there, picture].map(Math.round);
}

const chromium = await startQuietChromium();
const taken = [];
try {
  // The first round warms the file and the browser.
  for (let round = 0; round <= rounds; round++) {
    const one = await opening(chromium);
    if (round > 0) taken.push(one);
  }
} finally {
  await chromium.stop();
}
const { size } = await stat(report);
const sorted = (ix) => taken.map((one) => one[ix]).sort((a, b) => a - b);
console.log(
  JSON.stringify({
    megabytes: size / 1e6,
    document_ms: sorted(0),
    picture_ms: sorted(1),
    load: os.loadavg()[0],
  }),
);
