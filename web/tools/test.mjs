// Bundles every src/**/*.test.ts with esbuild and runs the bundles in node's own test runner, and the tests of the tools
// as they are, each file in a process of its own. Ends with the line `N passed, N failed`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function filesIn(folder, ending) {
  const found = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesIn(full, ending)));
    else if (entry.name.endsWith(ending)) found.push(full);
  }
  return found.sort();
}

async function runTests() {
  const out = await mkdtemp(path.join(os.tmpdir(), "traceview-web-"));
  try {
    await build({
      entryPoints: await filesIn(path.join(web, "src"), ".test.ts"),
      outdir: out,
      outbase: path.join(web, "src"),
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node18",
      logLevel: "warning",
    });
    const tests = [
      ...(await filesIn(out, ".mjs")),
      ...(await filesIn(path.join(web, "tools"), ".test.mjs")),
    ];
    let passed = 0;
    let failed = 0;
    for (const file of tests) {
      const run = spawnSync(process.execPath, [file], { encoding: "utf8" });
      const count = (word) =>
        Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)`, "m").exec(run.stdout)?.[1] ?? 0);
      passed += count("pass");
      failed += count("fail");
      if (run.status !== 0) {
        if (count("fail") === 0) failed += 1;
        process.stdout.write(run.stdout + run.stderr);
      }
    }
    return { passed, failed };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const { passed, failed } = await runTests();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
