// How long a browser takes to upload a trace to a site: from the press of Upload to the answer with the trace, as the site's access log
// tells it, since what listens to the browser takes time of its own.
//
//     node bench/browser_upload.mjs build/release/traceview javac.trace 5
//
// Prints each upload's seconds, the share of its last step (joining the pieces), and the median.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBrowser } from "../web/tests/harness.mjs";

const [program, file, times = "5"] = process.argv.slice(2);
if (!program || !file)
  throw new Error("usage: node bench/browser_upload.mjs PROGRAM TRACE [TIMES]");
const folder = mkdtempSync(join(process.env.TRACEVIEW_BENCH_FOLDER ?? tmpdir(), "browser-upload-"));
const log = join(folder, "log");
const site = spawn(
  program,
  [
    "serve",
    "--role",
    "server",
    "--store",
    join(folder, "store"),
    "--log",
    log,
    "--listen",
    "127.0.0.1:0",
    "--upload-rate",
    "0",
  ],
  { stdio: ["ignore", "pipe", "ignore"] },
);
const url = await new Promise((resolve) =>
  site.stdout.once("data", (line) => resolve(String(line).trim())),
);

const lines = () =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes('"/api/v1/uploads'))
    .map((line) => JSON.parse(line));
const isEnd = (line) => line.route.endsWith("/complete");
const took = [];
try {
  for (let turn = 1; turn <= Number(times); turn++) {
    const browser = await startBrowser({ isWatched: false });
    const page = await browser.context.newPage();
    await page.goto(url);
    await page.locator("#file").setInputFiles(file);
    await page.click("#upload button.main");
    while (lines().filter(isEnd).length < turn)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const all = lines();
    const begin = all.filter((line) => line.route === "/api/v1/uploads")[turn - 1];
    const end = all.filter(isEnd)[turn - 1];
    const seconds = (Date.parse(end.time) - Date.parse(begin.time) + begin.us / 1000) / 1000;
    took.push(seconds);
    console.log(`${seconds.toFixed(2)} s, of which the last step ${(end.us / 1e6).toFixed(2)}`);
    await browser.stop();
  }
} finally {
  site.kill();
  rmSync(folder, { recursive: true });
}
took.sort((a, b) => a - b);
console.log(`median ${took[Math.floor(took.length / 2)].toFixed(2)} s`);
