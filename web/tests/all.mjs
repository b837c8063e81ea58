// Runs every browser test, one after the other, and adds up what they counted. `npm run browser`.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const ALL = [
  "page.mjs",
  "tabs.mjs",
  "tables.mjs",
  "timeline.mjs",
  "look.mjs",
  "story.mjs",
  "odd.mjs",
];
const SUM = /^(\d+) passed, (\d+) failed$/;

// The counts of one file; one that ends without any has failed.
async function run(file) {
  const child = spawn(process.execPath, [path.join(here, file)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (bytes) => (text += bytes));
  await new Promise((done) => child.on("close", done));
  const counts = { passed: 0, failed: 0 };
  let hasSum = false;
  for (const line of text.trimEnd().split("\n")) {
    const sum = SUM.exec(line);
    if (sum === null) console.log(line);
    else {
      hasSum = true;
      counts.passed += Number(sum[1]);
      counts.failed += Number(sum[2]);
    }
  }
  if (!hasSum) {
    console.log(`not ok - ${file} ended early`);
    counts.failed += 1;
  }
  return counts;
}

let passed = 0;
let failed = 0;
for (const file of ALL) {
  const counts = await run(file);
  passed += counts.passed;
  failed += counts.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
