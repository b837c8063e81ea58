// Measures what a packed file costs in the page alone: from the file chosen to the first picture, for one trace plain, by zstd
// and by gzip, in turns, ROUNDS (5) times. SITE_FOLDER names the static site (build/static-site, `make site`), FILE a trace
// (the large real one of TRACEVIEW_SHARED, else the bundled example). The budget of a packed file is twice the plain one. Prints
// the median and the least of each, its ratio to the plain file as a median of the rounds, and the machine's load.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLE, SITE } from "../web/tests/harness.mjs";
import { startStaticHost } from "../web/tests/static-host.mjs";
import { OURS, timePicture } from "./chosen_file.mjs";
import { startQuietChromium } from "./quiet_chromium.mjs";

const SHARED = process.env.TRACEVIEW_SHARED ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../shared");
const LARGE = path.join(SHARED, "traces/large/javac.trace.zst");
const file = process.argv[2] ?? (existsSync(LARGE) ? LARGE : EXAMPLE);
const rounds = Number(process.argv[3] ?? 5);
const MOST = 2;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const tool = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });

const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-packed-"));
const plain = path.join(folder, "plain.trace");
if (file.endsWith(".zst")) tool("zstd", "-dqf", file, "-o", plain);
else await copyFile(file, plain);
tool("zstd", "-qkf", plain, "-o", `${plain}.zst`);
tool("gzip", "-kf", plain);
const files = { plain, zstd: `${plain}.zst`, gzip: `${plain}.gz` };
const took = { plain: [], zstd: [], gzip: [] };

const host = await startStaticHost(SITE);
const chromium = await startQuietChromium();
// The first round, which is not counted, warms the files and the browser's caches.
for (let round = 0; round <= rounds; round++)
  for (const [name, chosen] of Object.entries(files)) {
    const { picture } = await timePicture(chromium, OURS, host.url, "#file-input", chosen);
    if (round > 0) took[name].push(picture);
  }
await chromium.stop();
await host.stop();

for (const [name, seconds] of Object.entries(took)) {
  const ratio = median(seconds.map((one, round) => one / took.plain[round]));
  const { size } = await stat(files[name]);
  console.log(
    `${name.padEnd(5)} ${(size / 1e6).toFixed(1).padStart(6)} MB  median ${median(seconds).toFixed(3)} s  ` +
      `least ${Math.min(...seconds).toFixed(3)} s  ${ratio.toFixed(2)}x${ratio > MOST ? "  over the budget" : ""}`,
  );
}
console.log(`load ${os.loadavg()[0].toFixed(1)}`);
await rm(folder, { recursive: true, force: true });
process.exit(0);
