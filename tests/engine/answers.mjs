// Usage: answers.mjs ENGINE.WASM ENGINE-EXPORTS.WASM NATIVE-ENGINE [--all]
// Asks the engines of pages, in node, what it asks the same code as a native program: about every seed of the fuzzers, every
// made trace, the bundled example, beginnings of it, and the shared traces where they are. Answers and exports must be the
// same byte for byte, the lines of failures too. Without --all a part of the fuzzers' seeds is drawn, of each of their
// folders, by their names (tests/support/drawn.mjs). Ends with "N passed, N failed".
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { NativeEngine, ROOT, bundledEngine, moduleOf } from "./engines.mjs";
import { drawnOfEach } from "../support/drawn.mjs";

const SHARED = path.join(
  process.env.TRACEVIEW_SHARED ?? path.join(ROOT, "../shared"),
  "traces",
);
// Longer ones of the shared traces would take longer than all else together.
const MOST_SHARED = 64 << 20;

const QUESTIONS = [
  ["info", ""],
  ["check", ""],
  ["insights", ""],
  ["top", "n=0&per_call=1"],
  ["top", "sort=inclusive&clock=wall&from=1&to=5000"],
  ["top", "match=/[a-m]+l|x/i&threads=1"],
  ["top", "group=package&from=1&to=5000"],
  ["top", "ranks=1&overhead=1&n=3"],
  ["methods", "ranks=0,1,2"],
  ["callers", "method=0"],
  ["callers", "method=1&from=10&to=20000"],
  ["tree", "depth=5"],
  ["tree", "depth=3&inverted=1&clock=cpu"],
  ["calls", "method=0&n=5"],
  ["calls", "method=1&sort=exclusive&min=1&from=1&to=5000"],
  ["call", "thread=1&depth=0&call=0&step=child"],
  ["call", "at=1000&thread=1"],
  ["search", "q=o"],
  ["search", "q=/^[a-z]/"],
  ["window", "from=0&to=100000&width=100&rows=1:f,1:0-5,2:f"],
  ["window", "from=0&to=100000&width=10&rows=1:x,1:f&extents=0&cpu=1"],
  ["window", "from=0&to=100000&width=100&rows=1:f,1:0-5,2:f&hide=java.,a."],
  ["levels", "hide=java.,a."],
  ["call", "thread=1&depth=0&call=0&step=child&hide=java.,a."],
  ["overview", "width=200&rows=8"],
  ["flame", "width=300"],
  ["flame", "width=300&inverted=1"],
  ["flame", "width=300&ops=recursion:0;merge:1"],
  ["lanes", ""],
  ["detail", "method=0"],
  ["tree", "depth=3&follow=40"],
  ["moon", ""],
  ["top", "moon=1"],
];

// What the engine that makes files is asked besides, and the files that it makes besides one of each format.
const QUESTIONS_ABOUT_EXPORTS = [
  ["exports", ""],
  ["preview", "from=1&to=5000"],
  ["diff", "old=1"],
  ["before", "old=1&ranks=0,1"],
  ["flamediff", "old=1&width=300"],
  ["flamediff", "old_call=1.0.0&new_call=1.0.0&width=300"],
  ["calldiff", "old=1.0.0&new=1.0.0"],
  ["counts", ""],
  ["counts", "old=1&mine=a."],
  ["trend", "old=1"],
  ["rules", "text=max+of+*+%3C%3D+1+ms%0Acalls+growth+%3C%3D+1+%25&old=1"],
  ["checkdiff", "old=1"],
  ["insightsdiff", "old=1"],
  ["lanesdiff", "old=1&budget=8333333"],
];
const EXPORTS = [
  "format=speedscope&from=1&to=5000&check=1",
  "format=packets&from=1&to=5000",
  "format=trace&redact=1&from=1&to=5000",
  "format=folded&gzip=1&depth=2",
  "format=moon",
];

// The formats that the engine which only answers leaves to the other one.
const OTHER_FORMATS = /^(low-overhead|perfetto)/;

let passed = 0;
const failures = [];

function expect(isSame, what) {
  if (isSame) passed += 1;
  else failures.push(what);
}

const shown = ({ status, type, body }) =>
  `${status} ${type} ${body.length} bytes ${Buffer.from(body).toString("latin1", 0, 200)}`;

function compare(what, page, native) {
  const isSame =
    page.status === native.status &&
    page.type === native.type &&
    Buffer.compare(page.body, native.body) === 0;
  expect(
    isSame,
    `${what}: the page's\n  ${shown(page)}\nnative\n  ${shown(native)}`,
  );
}

const failureAnswer = (problem) => ({
  status: 0,
  type: "failure",
  body: Buffer.from(problem.message),
});

async function compareExport(what, engine, native, query) {
  const pieces = [];
  const answer = engine.exporting(query, (piece) => {
    pieces.push(piece);
    return true;
  });
  const { answer: nativeAnswer, file } = await native.exporting(query);
  compare(`${what}: export ${query}`, answer, nativeAnswer);
  expect(
    Buffer.compare(Buffer.concat(pieces), file) === 0,
    `${what}: export ${query}: another file`,
  );
}

// The formats that the engine knows: `exports` lists them.
const formatsOf = (engine) =>
  JSON.parse(
    Buffer.from(engine.ask("exports", "").body).toString(),
  ).formats.map(({ name }) => name);

// A trace in a module, or why there is none.
async function loadIn(engines, module, file, isCut) {
  const engine = await engines.createEngine(module, { progress: () => true });
  try {
    await engine.load("a.trace", await readFile(file), { isCut: () => isCut });
    return { engine, problem: null };
  } catch (problem) {
    return { engine, problem };
  }
}

// What becomes of a trace in a module and natively; null where neither reads it. As in a page, what the engine that only
// answers does not know is read by the other one.
async function load(what, engines, module, file, isCut) {
  let { engine, problem } = await loadIn(engines, module, file, isCut);
  if (problem?.constructor.name === "OtherFile" && module === engines.module) {
    ({ engine, problem } = await loadIn(engines, engines.exports, file, isCut));
    const format = problem ?? JSON.parse(Buffer.from(engine.ask("info", "").body)).format;
    expect(problem !== null || OTHER_FORMATS.test(format), `${what}: read by the second module: ${format}`);
  }
  const loaded =
    problem === null
      ? { status: 200, type: "loaded", body: Buffer.alloc(0) }
      : failureAnswer(problem);
  compare(
    `${what}: reading`,
    loaded,
    await engines.native.load("a.trace", file, isCut),
  );
  return loaded.status === 200 ? engine : null;
}

async function compareQuestions(what, engine, native, questions) {
  for (const [route, query] of questions)
    compare(
      `${what}: ${route}?${query}`,
      engine.ask(route, query),
      await native.ask(route, query),
    );
}

async function compareTrace(
  what,
  engines,
  file,
  { isCut = false, hasExports = true } = {},
) {
  const { native } = engines;
  const engine = await load(what, engines, engines.module, file, isCut);
  if (engine === null) return;
  await compareQuestions(what, engine, native, QUESTIONS);
  if (!hasExports) return;
  const exporter = await load(
    `${what}, to export it`,
    engines,
    engines.exports,
    file,
    isCut,
  );
  await compareQuestions(what, exporter, native, QUESTIONS_ABOUT_EXPORTS);
  const queries = [
    ...formatsOf(exporter).map((format) => `format=${format}`),
    ...EXPORTS,
  ];
  for (const query of queries)
    await compareExport(what, exporter, native, query);
}

async function filesBelow(folder) {
  const found = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(full)));
    else found.push(full);
  }
  return found.sort();
}

async function compareAll(engines, folder) {
  const nameOf = (file) => path.relative(ROOT, file);
  const seeds = await filesBelow(path.join(ROOT, "fuzz/seeds"));
  for (const seed of drawnOfEach(seeds, nameOf, path.dirname))
    await compareTrace(nameOf(seed), engines, seed);
  for (const made of await filesBelow(path.join(ROOT, "tests/data"))) {
    if (made.endsWith(".trace"))
      await compareTrace(path.relative(ROOT, made), engines, made);
  }
  const example = path.join(folder, "example.trace");
  execFileSync("zstd", [
    "-dqf",
    path.join(ROOT, "tests/data/recipes.trace.zst"),
    "-o",
    example,
  ]);
  await compareTrace("the example", engines, example);
  await compareBeginnings(engines, example, folder);
  await compareShared(engines, folder);
}

async function compareBeginnings(engines, example, folder) {
  const bytes = await readFile(example);
  const file = path.join(folder, "beginning.trace");
  for (const len of [
    0,
    1,
    9,
    1000,
    100_000,
    bytes.length >> 1,
    bytes.length - 1,
  ]) {
    await writeFile(file, bytes.subarray(0, len));
    const what = `the first ${len} bytes of the example`;
    await compareTrace(what, engines, file, { hasExports: false });
    await compareTrace(`${what}, packed`, engines, file, {
      isCut: true,
      hasExports: false,
    });
  }
}

async function compareShared(engines, folder) {
  if (!existsSync(SHARED)) {
    console.log(`skipped: the shared traces: ${SHARED} is not there`);
    return;
  }
  for (const file of await filesBelow(SHARED)) {
    const packed = await readFile(file);
    if (packed.length > MOST_SHARED || file.endsWith(".md")) continue;
    const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
    const unpacked = path.join(folder, "unpacked.trace");
    if (isPacked) await writeFile(unpacked, gunzipSync(packed));
    await compareTrace(
      path.relative(SHARED, file),
      engines,
      isPacked ? unpacked : file,
      {
        hasExports: packed.length < 1 << 20,
      },
    );
  }
}

const [wasm, exportsWasm, program] = process.argv.slice(2);
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-answers-"));
const native = new NativeEngine(program);
try {
  const { createEngine } = await bundledEngine();
  const [module, exports] = await Promise.all([
    moduleOf(wasm),
    moduleOf(exportsWasm),
  ]);
  await compareAll({ createEngine, module, exports, native }, folder);
} finally {
  native.end();
  await rm(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 20)) console.log(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
