// Measures how long FILE takes in the page alone, the static site of SITE_FOLDER, from the file chosen to the first picture,
// ROUNDS (5) times: the page stands and its engine is compiled, as for whoever has it open; and of that, how long its worker
// takes to read and index the file. In turns with it the program does the same on one core, as a whole command and, where
// INDEX names the program of bench/index.c, as an index alone; and once speedscope, from the folder SPEEDSCOPE of its npm
// package, opens what the program exports of the file for it. Prints one JSON object, in seconds; without SPEEDSCOPE, or where
// speedscope cannot open the file, `speedscope_s` is empty.
//
// It ends with the frame behind the one that has boxes in it, by the page's own clock; for speedscope, whose boxes nobody can
// ask for, with the frame behind the one in which it shows what it has read.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { BINARY, SITE } from "../web/tests/harness.mjs";
import { startStaticHost } from "../web/tests/static-host.mjs";
import { OURS, timePicture, watch } from "./chosen_file.mjs";
import { startQuietChromium } from "./quiet_chromium.mjs";

const [file, roundsText, speedscope] = process.argv.slice(2);
const { INDEX } = process.env;
const rounds = Number(roundsText ?? 5);
if (file === undefined) {
  console.error("usage: node page_alone.mjs FILE [ROUNDS] [SPEEDSCOPE]");
  process.exit(2);
}
// speedscope takes tens of times as long, so it is asked once, when the browser is warm.
const SPEEDSCOPE_ROUND = 1;
// What speedscope has imported it draws in the next frame; it tells of a failure by the class of its only picture.
const THEIRS = watch((stamp) => {
  const { timeEnd, log } = console;
  console.timeEnd = (name) => {
    timeEnd.call(console, name);
    if (name === "import") stamp();
  };
  console.log = (...words) => {
    log.apply(console, words);
    if (words[0] === "Failed to load format") self.pictureAt = -1;
  };
});

function secondsOf(command, args) {
  const begun = performance.now();
  spawnSync(command, args);
  return (performance.now() - begun) / 1000;
}

const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-alone-"));
const theirFile = path.join(folder, "trace.speedscope.json");
const host = await startStaticHost(SITE);
const theirHost =
  speedscope === undefined ? null : await startStaticHost(speedscope);
if (theirHost !== null)
  execFileSync(BINARY, ["export", "--to", "speedscope", "-o", theirFile, file]);
const chromium = await startQuietChromium();
const told = {
  picture_s: [],
  read_s: [],
  native_s: [],
  index_s: [],
  speedscope_s: [],
};
// The first round, which is not counted, warms the file and the browser's caches.
for (let round = 0; round <= rounds; round++) {
  const picture = await timePicture(
    chromium,
    OURS,
    host.url,
    "#file-input",
    file,
  );
  const native = secondsOf("taskset", [
    "-c",
    "0",
    BINARY,
    "info",
    "--no-cache",
    file,
  ]);
  const index =
    INDEX === undefined
      ? null
      : JSON.parse(execFileSync(INDEX, [file, "1", "1"])).ns[0] / 1e9;
  const isTheirTurn = theirHost !== null && round === SPEEDSCOPE_ROUND;
  const theirs = isTheirTurn
    ? await timePicture(chromium, THEIRS, theirHost.url, "#file", theirFile)
    : null;
  if (round === 0) continue;
  told.picture_s.push(picture.picture);
  told.read_s.push(picture.read);
  told.native_s.push(native);
  if (index !== null) told.index_s.push(index);
  if (theirs !== null) told.speedscope_s.push(theirs.picture);
}
await chromium.stop();
await host.stop();
await theirHost?.stop();
told.bytes = (await stat(file)).size;
if (theirHost !== null) told.speedscope_bytes = (await stat(theirFile)).size;
await rm(folder, { recursive: true, force: true });
console.log(JSON.stringify({ ...told, load: os.loadavg()[0] }));
process.exit(0);
