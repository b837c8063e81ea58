import assert from "node:assert/strict";
import test from "node:test";
import type { Finding, TraceInfo } from "./trace";
import {
  busyText,
  bySeverity,
  factsOf,
  inWords,
  matchedText,
  overflowText,
  sampledText,
  spanText,
} from "./words";

const INFO: TraceInfo = {
  file: "app.trace",
  format: "v3",
  vm: "art",
  clocks: ["wall", "cpu"],
  hasIdleCpu: false,
  sampled: false,
  isCpuOfBefore: false,
  startTime: 0,
  overflow: false,
  properties: [["clock-call-overhead-nsec", "100"]],
  records: 10,
  calls: 5,
  methods: 2,
  total: { wall: 2e9, cpu: 1e9 },
  processes: [],
  threads: [],
  findings: [],
  defaultClock: "cpu",
  axis: "wall",
  hasCommonAxis: true,
  hash: null,
  span: 2e9,
};

test("a sampled trace has runs where others have calls", () => {
  assert.equal(inWords("Calls + recursive calls; a call", true), "Runs + recursive runs; a run");
  assert.equal(inWords("Caller of the selected call", true), "Caller of the selected run");
  assert.equal(inWords("Calls", false), "Calls");
});

test("a sampled trace says when its CPU time is booked to what ran before", () => {
  assert.match(
    sampledText({ isCpuOfBefore: true }),
    /runs of samples.*CPU time is booked to what ran before/,
  );
  assert.doesNotMatch(sampledText({ isCpuOfBefore: false }), /CPU time/);
});

test("a thread is called busy where both clocks tell it", () => {
  const text = (wall: number, cpu: number, more: Partial<TraceInfo> = {}): string =>
    busyText({ wall, cpu }, { ...INFO, ...more });
  assert.equal(text(2e9, 1e9), "50 % busy");
  assert.equal(text(2e9, 0), "idle");
  assert.equal(text(2e9, 0, { clocks: ["wall"] }), "in calls 100 %", "it may have slept");
  assert.equal(
    text(2e9, 0, { clocks: ["wall"], hasCommonAxis: false }),
    "in calls 2.00 s",
    "nobody knows how long the trace took",
  );
  const ofCpu: Partial<TraceInfo> = { clocks: ["cpu"], span: 196e6, hasCommonAxis: false };
  assert.equal(text(0, 196e6, ofCpu), "196 ms CPU", "the most CPU time is no share of the time");
  assert.equal(text(0, 0, ofCpu), "idle");
  assert.equal(spanText({ span: 196e6, axis: "cpu" }), "196 ms CPU");
  assert.equal(spanText({ span: 196e6, axis: "wall" }), "196 ms");
});

test("findings stand with the gravest first", () => {
  const finding = (severity: Finding["severity"]): Finding => ({
    kind: "",
    severity,
    count: 1,
    offset: null,
    text: "",
  });
  const sorted = bySeverity([finding("note"), finding("lost"), finding("affected")]);
  assert.deepEqual(
    sorted.map(({ severity }) => severity),
    ["lost", "affected", "note"],
  );
});

test("a search's share is of what is shown", () => {
  assert.equal(matchedText(60e6, 100e6, false), "matched 60.0 % of what is shown (60.0 ms)");
  assert.equal(
    matchedText(60e6, 100e6, true),
    "matched at least 60.0 % of what is shown (60.0 ms)",
  );
  assert.equal(matchedText(0, 0, false), "matched 0.0 % of what is shown (0)");
});

test("facts: an estimate is called one, and idle threads are counted apart", () => {
  const idle = {
    id: 7,
    name: "x",
    records: 0,
    calls: 0,
    maxDepth: 0,
    times: {},
    first: 0,
    last: 0,
  };
  const told = { overhead: { ns: 1000, least: 900, most: 1500, isPartial: true } };
  const facts = new Map(factsOf({ ...INFO, ...told, threads: [idle] }));
  assert.equal(facts.get("Tracing (estimate)"), "at least 1.00 µs (900 ns to 1.50 µs)");
  assert.equal(facts.get("Threads"), "1, 1 without records");
  assert.equal(facts.get("Calls"), "5");
  const sampled = new Map(factsOf({ ...INFO, sampled: true }));
  assert.equal(sampled.get("Runs"), "5");
  assert.equal(sampled.has("Tracing (estimate)"), false);
});

test("an overflow says what is missing and which buffer would have held it", () => {
  assert.equal(
    overflowText({ run: 486e6, missing: 71e6, bufferBytes: 1048576 }),
    "The buffer was full: about 15 % of the run is missing, the last 71.0 ms of 486 ms. At its average rate until then, a buffer of 1.0 MiB would have held it.",
  );
  assert.match(
    overflowText({ run: 0, missing: 0, bufferBytes: 0 }),
    /calls after that moment are missing\.$/,
  );
});

test("a recording has a date only where the file tells one", () => {
  const recorded = (startTime: number): boolean =>
    factsOf({ ...INFO, startTime }).some(([name]) => name === "Recorded");
  assert.ok(recorded(Date.UTC(2026, 1) * 1e6));
  assert.ok(!recorded(0));
  // Since the device started, not since 1970.
  assert.ok(!recorded(662_173_553_092_000));
});
