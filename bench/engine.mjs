// Measures how long the engine of pages takes, in node, to read and index FILE, and how long the program takes on one core
// (INDEX: bench/index.c), in turns. The file is in memory already, for both; the engine's time has its copy into the engine's
// memory in it, which a page pays, too. A first trace, for which the engine's code is still made fast while it runs, is
// told apart. Prints one JSON object, in seconds.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import v8 from "node:v8";
import vm from "node:vm";
import { bundledEngine, moduleOf } from "../tests/engine/engines.mjs";

const [wasm, index, file] = process.argv.slice(2);
const rounds = Number(process.argv[5] ?? 5);
if (file === undefined) {
  console.error("usage: node engine.mjs ENGINE.WASM INDEX FILE [ROUNDS]");
  process.exit(2);
}
const { createEngine } = await bundledEngine();
const module = await moduleOf(wasm);
const bytes = await readFile(file);

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

// Each with a new memory, as a page has one; the memory of the round before is given back first, which would else happen during
// the next round.
async function load() {
  collectGarbage();
  const engine = await createEngine(module, { progress: () => true });
  const began = performance.now();
  await engine.load("a.trace", bytes);
  const taken = (performance.now() - began) / 1000;
  const { calls } = JSON.parse(new TextDecoder().decode(engine.ask("info", "").body));
  return { taken, calls, memory: engine.memory };
}

function indexNatively() {
  const told = JSON.parse(execFileSync(index, [file, "1", "1"], { encoding: "utf8" }));
  return { taken: told.ns[0] / 1e9, calls: told.calls };
}

const first = await load();
const told = { first_s: first.taken, engine_s: [], native_s: [], memory_bytes: first.memory };
for (let round = 0; round < rounds; round++) {
  const native = indexNatively();
  const page = await load();
  if (native.calls !== page.calls)
    throw new Error(`error: ${page.calls} calls in the engine, ${native.calls} natively`);
  told.native_s.push(native.taken);
  told.engine_s.push(page.taken);
}
console.log(JSON.stringify(told));
