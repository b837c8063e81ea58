// What must hold before a commit besides the tests (test.mjs): types, layout, arrows between folders.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { arrowFaults } from "./arrows.mjs";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const tsc = path.join(web, "node_modules/typescript/bin/tsc");
let passed = 0;
let failed = 0;

for (const project of ["tsconfig.json", "tsconfig.test.json"]) {
  const run = spawnSync(process.execPath, [tsc, "-p", project], { cwd: web, stdio: "inherit" });
  if (run.status === 0) passed += 1;
  else failed += 1;
  console.log(`${run.status === 0 ? "ok" : "not ok"} - types of ${project}`);
}

const prettier = path.join(web, "node_modules/prettier/bin/prettier.cjs");
const layout = spawnSync(
  process.execPath,
  [prettier, "--log-level", "warn", "--check", "src", "tools", "tests"],
  {
    cwd: web,
    stdio: "inherit",
  },
);
if (layout.status === 0) passed += 1;
else failed += 1;
console.log(`${layout.status === 0 ? "ok" : "not ok"} - layout`);

const faults = await arrowFaults(path.join(web, "src"));
for (const fault of faults) console.log(`# ${fault}`);
if (faults.length === 0) passed += 1;
else failed += 1;
console.log(`${faults.length === 0 ? "ok" : "not ok"} - arrows, lengths and words`);

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
