// Usage: limits.mjs ENGINE.WASM ENGINE-EXPORTS.WASM
// What the engines of pages refuse, and how they end: too long a trace, too little memory, a reading that is cancelled, an
// export that is, expressions. Ends with "N passed, N failed".
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT, bundledEngine, moduleOf } from "./engines.mjs";

const { createEngine } = await bundledEngine();
const [module, makesFiles] = await Promise.all(process.argv.slice(2, 4).map(moduleOf));
const example = execFileSync("zstd", ["-dqc", path.join(ROOT, "tests/data/recipes.trace.zst")], {
  maxBuffer: 1 << 28,
});
const goingOn = { progress: () => true };

// The example, `len` bytes at a time.
async function* piecesOf(bytes, len) {
  for (let at = 0; at < bytes.length; at += len) yield bytes.subarray(at, at + len);
}

async function* never() {
  assert.fail("a piece was asked for");
  yield new Uint8Array(0);
}

async function opened(by = module) {
  const engine = await createEngine(by, goingOn);
  await engine.load("example.trace", example);
  return engine;
}

const textOf = ({ body }) => new TextDecoder().decode(body);

// Of what a page has to fetch (docs/engine.md).
const MOST = JSON.parse(await readFile(path.join(ROOT, "bench/size_limits.json"), "utf8"));

const TESTS = {
  "each engine is by gzip as short as it has to be": async () => {
    for (const [file, key] of [[process.argv[2], "engine: bytes"], [process.argv[3], "engine of files: bytes"]]) {
      const { length } = gzipSync(await readFile(file), { level: 9 });
      assert.ok(length <= MOST[key], `${key}: ${length}, of ${MOST[key]}`);
    }
  },
  "the engine that only answers says of a dump, and of what is no trace, that another one may know it": async () => {
    const dump = await readFile(path.join(ROOT, "tests/data/made/low-overhead-f6.trace"));
    const picture = Buffer.from("\x89PNG\r\n\x1a\n, and so on", "latin1");
    for (const bytes of [dump, picture]) {
      const engine = await createEngine(module, goingOn);
      await assert.rejects(engine.load("a.trace", bytes), (problem) => problem.constructor.name === "OtherFile");
    }
    const engine = await createEngine(makesFiles, goingOn);
    await engine.load("a.trace", dump);
    await assert.rejects(engine.load("a.png", picture), /a PNG picture/);
  },
  "the modules ask for nothing but what the page gives them": () => {
    const askedBy = (by) => WebAssembly.Module.imports(by).map(({ module: from, name }) => `${from}.${name}`).sort();
    const always = [
      "env.memory",
      "env.tv_host_match_compile",
      "env.tv_host_match_release",
      "env.tv_host_match_run",
      "env.tv_host_progress",
    ];
    assert.deepEqual(askedBy(module), always);
    assert.deepEqual(askedBy(makesFiles), [...always, "env.tv_host_take"]);
  },
  "a trace beyond what a page holds is refused before it is read": async () => {
    const engine = await createEngine(module, goingOn);
    await assert.rejects(
      engine.load("long.trace", never(), { size: 5 * 2 ** 30 }),
      /^Error: a trace of 5120 MiB is too long for a page, which takes 1536 MiB: open it with the program \(traceview FILE\)/,
    );
  },
  "a trace that is too long beside another one is refused before it is read, and fits alone": async () => {
    const engine = await createEngine(makesFiles, goingOn);
    engine.mean(1);
    await engine.load("old.trace", example);
    engine.mean(0);
    const long = () => engine.load("new.trace", never(), { size: 1530 * 2 ** 20 });
    await assert.rejects(
      long(),
      /^Error: 1541 MiB of traces are too long for one page, which takes 1536 MiB: compare them with the program \(traceview OLD NEW\)/,
    );
    engine.mean(1);
    engine.release();
    engine.mean(0);
    await assert.rejects(long(), /a piece was asked for/);
  },
  "a browser that gives no memory is told of before the trace is read": async () => {
    const engine = await createEngine(module, goingOn, 2048);
    await assert.rejects(
      engine.load("long.trace", never(), { size: 2 ** 30 }),
      /^Error: the browser gives no memory for a trace of 1024 MiB: close other tabs/,
    );
  },
  "memory that ends while the index is built fails in a line": async () => {
    const pages = Math.ceil(example.length / 65536) + 80;
    const engine = await createEngine(module, goingOn, pages);
    await assert.rejects(engine.load("example.trace", example), /^Error: the browser gives no memory for a trace of 11 MiB/);
    assert.throws(() => engine.ask("info", ""), /^Error: no trace is open/);
  },
  "an engine that was refused memory reads a smaller trace": async () => {
    const engine = await createEngine(module, goingOn, 2048);
    await assert.rejects(engine.load("long.trace", never(), { size: 2 ** 30 }));
    await engine.load("example.trace", example);
    assert.equal(engine.ask("info", "").status, 200);
  },
  "pieces of a file make the same trace as the whole": async () => {
    const whole = textOf((await opened()).ask("check", ""));
    for (const [len, about] of [
      [1_000_003, { size: example.length }],
      [1_000_003, {}],
      [7_777_777, {}],
      [1_000_003, { said: example.length }],
      [1_000_003, { said: 5_000_000 }],
      [1_000_003, { said: 2 ** 32 - 1 }],
    ]) {
      const engine = await createEngine(module, goingOn);
      await engine.load("example.trace", piecesOf(example, len), about);
      assert.equal(textOf(engine.ask("check", "")), whole);
    }
  },
  "a reading is told how far it is, and ends when the page says so": async () => {
    const told = [];
    const engine = await createEngine(module, {
      progress: (done, of) => {
        told.push([done, of]);
        return told.length < 2;
      },
    });
    await assert.rejects(engine.load("example.trace", example), /^Error: cancelled/);
    assert.equal(told.length, 2);
    assert.ok(told.every(([done, of]) => done >= 0 && done <= of && of === example.length));
  },
  "an export ends when the page takes no more": async () => {
    const engine = await opened(makesFiles);
    let pieces = 0;
    const answer = engine.exporting("format=trace", () => ++pieces < 3);
    assert.equal(pieces, 3);
    assert.equal(answer.status, 503);
    assert.match(textOf(answer), /the export was cancelled/);
  },
  "a trace is let go of": async () => {
    const engine = await opened();
    engine.release();
    assert.throws(() => engine.ask("info", ""), /^Error: no trace is open/);
  },
  "memory is used again for the next trace": async () => {
    const engine = await opened();
    const before = engine.memory;
    for (let i = 0; i < 3; i++) await engine.load("example.trace", example);
    assert.equal(engine.memory, before);
  },
  "an expression that is wrong is refused with the browser's reason": async () => {
    const answer = (await opened()).ask("search", "q=/a(/");
    assert.equal(answer.status, 400);
    assert.equal(
      textOf(answer).trim(),
      '{"error":"the regular expression is wrong: Unterminated group"}',
    );
  },
  "an expression finds what the program finds": async () => {
    const engine = await opened();
    const count = (q) => JSON.parse(textOf(engine.ask("search", `q=${encodeURIComponent(q)}`))).count;
    assert.equal(count("/^java\\.util\\.HashMap\\.put$/"), 1);
    assert.equal(count("/HASHMAP\\.PUT$/i"), count("/(?i)hashmap\\.put$/"));
    assert.ok(count("/HASHMAP\\.PUT$/i") > 0);
    assert.equal(count("/HASHMAP\\.PUT$/"), 0);
  },
  "many expressions leave nothing behind": async () => {
    const engine = await createEngine(module, goingOn);
    // Few names: each expression is tried on all.
    await engine.load("small.trace", await readFile(path.join(ROOT, "tests/data/made/v3-dual.trace")));
    const before = engine.memory;
    for (let i = 0; i < 10_000; i++) engine.ask("search", `q=/put${i}$/`);
    assert.equal(engine.memory, before);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  try {
    await test();
  } catch (problem) {
    failed += 1;
    console.log(`not ok - ${name}\n${problem.stack}`);
  }
}
console.log(`${Object.keys(TESTS).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
