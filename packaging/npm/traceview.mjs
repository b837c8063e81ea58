#!/usr/bin/env node
// traceview for npm: runs the command, which is WebAssembly, and opens the page that `view` has written.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Exit, wasiOf } from "./wasi.mjs";
import { opener, variablesOf, wordsOf } from "./system.mjs";

/** Shows the page; where nothing opens it, its user can. */
function show(page) {
  const [program, ...words] = opener(process.platform, page);
  const started = spawn(program, words, { detached: true, stdio: "ignore" });
  started.on("error", () => process.stderr.write(`traceview: no browser could be started: open ${page} in one\n`));
  started.unref();
}

function run(given) {
  const pageFolder = path.join(os.tmpdir(), `traceview-${randomUUID()}`);
  const wasi = wasiOf({
    words: [path.basename(process.argv[1]), ...wordsOf(given, process.platform, fs.existsSync)],
    variables: variablesOf(process.env, process.platform, process.stdout, pageFolder, os.homedir()),
    makeFolder(file) {
      if (path.dirname(path.resolve(file)) === path.resolve(pageFolder)) fs.mkdirSync(pageFolder, { recursive: true, mode: 0o700 });
    },
  });
  const bytes = fs.readFileSync(fileURLToPath(new URL("traceview.wasm", import.meta.url)));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), wasi.imports);
  wasi.useMemory(exports.memory);
  let status = 0;
  try {
    exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    status = error.status;
  } finally {
    wasi.removeDrafts();
  }
  const page = path.join(pageFolder, "page.html");
  if (status === 0 && !given.includes("--no-browser") && fs.existsSync(page)) show(page);
  return status;
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  const reason = error instanceof RangeError ? "it takes more room than a WebAssembly program has" : error.message;
  process.stderr.write(`traceview: ${reason}\n`);
  process.exitCode = 1;
}
