// What must hold before a commit besides the tests (test.mjs): types, layout, arrows between folders, nothing unused.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { arrowFaults } from "./arrows.mjs";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// TypeScript 7 is written in Go, reads everything once and ends: to look for memory that it no longer needs takes a third of its time.
const env = { ...process.env, GOGC: "off" };

// Runs a tool of node_modules; whether it found nothing wrong.
function passes(tool, ...options) {
  const words = [path.join(web, "node_modules", tool), ...options];
  return spawnSync(process.execPath, words, { cwd: web, env, stdio: "inherit" }).status === 0;
}

async function hasNoFaults() {
  const faults = await arrowFaults(path.join(web, "src"));
  for (const fault of faults) console.log(`# ${fault}`);
  return faults.length === 0;
}

// TypeScript 7 checks types ten times as fast as 6; knip reads the source with 6, since 7 cannot be called from a program.
const TSC = "typescript-7/bin/tsc";
const PRETTIER = "prettier/bin/prettier.cjs";
const KNIP = "knip/bin/knip.js";

// Prettier remembers which files it found well laid out, by their bytes, its version and node's: to look at all of them takes it
// 30 s of the processor's time.
const LAYOUT = ["--log-level=warn", "--check", "--cache", "--cache-strategy=content"];
LAYOUT.push(`--cache-location=${path.resolve(web, "../build/check/prettier")}`);

const STEPS = [
  ["types of the page", () => passes(TSC, "-p", "tsconfig.json")],
  ["types of its tests", () => passes(TSC, "-p", "tsconfig.test.json")],
  ["layout", () => passes(PRETTIER, ...LAYOUT, "src", "tools", "tests")],
  ["arrows, lengths and words", hasNoFaults],
  ["no unused file or export", () => passes(KNIP, "-c", "tools/knip.json")],
  // Used by the page itself: what only a test uses is unused too.
  ["none that only a test uses", () => passes(KNIP, "-c", "tools/knip-page.json", "--production")],
];

let failed = 0;
for (const [name, step] of STEPS) {
  const isGood = await step();
  if (!isGood) failed += 1;
  console.log(`${isGood ? "ok" : "not ok"} - ${name}`);
}
console.log(`${STEPS.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
