import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeWords,
  chosenThreadsLabel,
  exportQuery,
  firstChoice,
  outcomeWords,
  previewQuery,
  progressWords,
  timeOptions,
  type ExportProgress,
  type InView,
} from "./download";

const FOLDED = { name: "folded", suffix: ".folded", summary: "", isPacked: false, tables: [] };
const FORMATS = [FOLDED];
const NOTHING: InView = {
  span: 1e9,
  range: null,
  view: { from: 0, to: 1e9 },
  threads: null,
  filter: "",
  hidden: [],
  lens: null,
  chosenCalls: null,
};

test("without limits the whole trace is chosen, and nothing is asked for", () => {
  const choice = firstChoice(FORMATS, NOTHING, "cpu");
  assert.deepEqual(timeOptions(NOTHING), [
    { part: "whole", label: "The whole trace, 0 – 1,000 ms" },
  ]);
  assert.deepEqual(exportQuery(choice, FOLDED, NOTHING), { format: "folded", clock: "cpu" });
});

test("calls of the lens are chosen at first, and those that are selected on wish", () => {
  const lens = { kind: "upwards", ranks: [3], past: "" } as const;
  const chosenCalls = { kind: "methods", ranks: [5], before: lens } as const;
  const seen: InView = { ...NOTHING, lens, chosenCalls };
  const choice = firstChoice(FORMATS, seen, "wall");
  assert.equal(exportQuery(choice, FOLDED, seen)["calls"], "upwards:3");
  const selected = { ...choice, isOnlyChosenCalls: true };
  assert.equal(exportQuery(selected, FOLDED, seen)["calls"], "upwards:3;methods:5");
  assert.equal(exportQuery({ ...choice, isThroughLens: false }, FOLDED, seen)["calls"], undefined);
});

test("what is in view is chosen at first: the range before the timeline's view", () => {
  const seen: InView = {
    span: 1e9,
    range: { from: 10.5e6, to: 20e6 + 0.5 },
    view: { from: 5e6, to: 500e6 },
    threads: new Set([3, 1]),
    filter: "Database",
    hidden: ["java.", "kotlin."],
    lens: null,
    chosenCalls: null,
  };
  const choice = firstChoice(FORMATS, seen, "wall");
  assert.deepEqual(
    timeOptions(seen).map(({ part }) => part),
    ["whole", "view", "range"],
  );
  assert.deepEqual(exportQuery(choice, FOLDED, seen), {
    format: "folded",
    from: 10500000,
    to: 20000001,
    threads: "3,1",
    clock: "wall",
    match: "Database",
    hide: "java.,kotlin.",
  });
  const all = { ...choice, time: "view", isOnlyChosenThreads: false, isGzip: true } as const;
  assert.deepEqual(exportQuery({ ...all, isFiltered: false, isHiding: false }, FOLDED, seen), {
    format: "folded",
    from: 5e6,
    to: 500e6,
    clock: "wall",
    gzip: 1,
  });
});

test("packing, table and redaction are asked for where they mean something", () => {
  const plain = firstChoice(FORMATS, NOTHING, "wall");
  const choice = { ...plain, isGzip: true, table: "nodes", keep: "java., kotlin.\n" };
  const pprof = { ...FOLDED, name: "pprof", isPacked: true };
  const csv = { ...FOLDED, name: "csv", tables: ["calls", "nodes"] };
  const clock = "wall";
  assert.deepEqual(exportQuery(choice, pprof, NOTHING), { format: "pprof", clock });
  assert.deepEqual(exportQuery({ ...choice, isRedacted: true }, csv, NOTHING), {
    format: "csv",
    clock,
    table: "nodes",
    redact: 1,
    keep: "java.,kotlin.",
    gzip: 1,
  });
  assert.equal(previewQuery(choice, NOTHING), null);
  assert.deepEqual(previewQuery({ ...choice, isRedacted: true }, NOTHING), {
    clock,
    keep: "java.,kotlin.",
  });
  assert.deepEqual(previewQuery({ ...plain, isRedacted: true }, NOTHING), { clock });
});

const PROGRESS: ExportProgress = {
  state: "running",
  bytes: 0,
  done: 0,
  of: 0,
  changes: [],
  error: "",
};

test("progress tells what is known", () => {
  assert.equal(progressWords(PROGRESS), "It is being made.");
  assert.equal(progressWords({ ...PROGRESS, bytes: 3 << 20 }), "3.0 MiB");
  assert.equal(
    progressWords({ ...PROGRESS, bytes: 3 << 20, done: 30, of: 100 }),
    "3.0 MiB (30 % of the calls)",
  );
});

test("the end says what became of the file", () => {
  const end = (state: ExportProgress["state"], error = ""): string =>
    outcomeWords("a.folded", { ...PROGRESS, state, bytes: 2048, error });
  assert.equal(end("done"), "a.folded is saved: 2 KiB.");
  assert.equal(end("cancelled"), "Cancelled: there is no file a.folded.");
  assert.equal(
    end("failed", "too much memory"),
    "a.folded could not be made: too much memory. Choose a smaller part, or try again.",
  );
});

test("a change of numbers is told as one", () => {
  assert.equal(
    changeWords({ count: 1200, isTime: false, isAffected: true, text: "calls are left out" }),
    "Numbers changed: 1,200 calls are left out.",
  );
  assert.equal(
    changeWords({ count: 2, isTime: false, isAffected: false, text: "names" }),
    "2 names.",
  );
});

test("a change of a time is told in a unit that is read", () => {
  assert.equal(
    changeWords({ count: 1_500_000, isTime: true, isAffected: false, text: "are left out" }),
    "1.50 ms are left out.",
  );
});

test("a few threads are named, many are counted", () => {
  assert.equal(chosenThreadsLabel(["main", "io"]), "The chosen ones: main, io");
  assert.equal(chosenThreadsLabel(["a", "b", "c", "d"]), "The 4 threads that are chosen");
});
