// Bundles every src/**/*.test.ts with esbuild and runs the bundles in node's own test runner, and the tests of the tools
// as they are: files that leave alone what all of a process have are in one, the others in one each. Ends with the line `N passed, N failed`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

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

// Whether a file of tests puts something in the place of what all of a process have: it has a process of its own.
const changesGlobals = async (file) =>
  /Object\.\w+\(globalThis|globalThis\.\w+ = /.test(await readFile(file, "utf8"));

// Runs a file in node's test runner; `said` is what it says where something failed.
function run(file) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const count = (word) => Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)`, "m").exec(stdout)?.[1] ?? 0);
  return {
    status,
    passed: count("pass"),
    failed: status === 0 ? 0 : Math.max(1, count("fail")),
    said: status === 0 ? "" : stdout + stderr,
  };
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
    const alone = await Promise.all(tests.map(changesGlobals));
    const together = path.join(out, "together.mjs");
    const names = tests.filter((_, ix) => !alone[ix]).map((file) => pathToFileURL(file).href);
    await writeFile(
      together,
      names.map((name) => `await import(${JSON.stringify(name)});\n`).join(""),
    );
    const files = [together, ...tests.filter((_, ix) => alone[ix])];
    const runs = files.map(run);
    for (const { said } of runs) process.stdout.write(said);
    const sum = (key) => runs.reduce((all, one) => all + one[key], 0);
    return { passed: sum("passed"), failed: sum("failed") };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const { passed, failed } = await runTests();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
