// Bundles every src/**/*.test.ts with esbuild and runs them in node's own test runner, each file in
// a process of its own. Ends with the line `N passed, N failed`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function testFiles(dir) {
  const found = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) found.push(...(await testFiles(full)));
    else if (entry.name.endsWith(".test.ts")) found.push(full);
  }
  return found.sort();
}

// Runs all unit tests; returns the counts.
export async function runTests() {
  const out = await mkdtemp(path.join(os.tmpdir(), "traceview-web-"));
  try {
    await build({
      entryPoints: await testFiles(path.join(web, "src")),
      outdir: out,
      outbase: path.join(web, "src"),
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node18",
      logLevel: "warning",
    });
    const bundles = (await readdirDeep(out)).filter((name) => name.endsWith(".mjs"));
    let passed = 0;
    let failed = 0;
    for (const bundle of bundles) {
      const run = spawnSync(process.execPath, [bundle], { encoding: "utf8" });
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

async function readdirDeep(dir) {
  const found = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) found.push(...(await readdirDeep(full)));
    else found.push(full);
  }
  return found.sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = await runTests();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
