import assert from "node:assert/strict";
import test from "node:test";
import { reportText, viewCommand, type Report } from "./report";
import type { CallDetail, Method, TraceInfo } from "./trace";

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

const METHOD: Method = {
  rank: 1,
  id: "0x10",
  method: "a.B.run ()V",
  class: "a.B",
  name: "run",
  signature: "()V",
  file: "B.java",
  line: 12,
};

const CALL: CallDetail = {
  level: 0,
  thread: 1,
  depth: 2,
  call: 3,
  rank: 1,
  start: 5e6,
  end: 9e6,
  times: { wall: 4e6, cpu: 1e6 },
  exclusive: { wall: 1e6, cpu: 1e6 },
  ordinal: 9,
  method: METHOD,
  of: 14,
  median: 1e6,
  medianClock: "wall",
  isOpenAtEnd: false,
  isWaiting: false,
  stack: [0, 1],
};

const REPORT: Report = {
  info: INFO,
  range: { from: 1e6, to: 20e6 },
  threads: ["main"],
  method: METHOD,
  numbers: null,
  call: CALL,
  threadOfCall: "main",
  stack: ["a.B.run ()V", "a.Main.main ()V"],
  link: "https://site/trace/1/#x",
  isCommand: false,
};

test("a report in Markdown says the call, its times, its stack and the link", () => {
  assert.equal(
    reportText(REPORT, true),
    [
      "**`app.trace`: 2.00 s, 5 calls**",
      "",
      "- range 1.000 to 20.000 ms",
      "- threads main",
      "- method `a.B.run ()V` (B.java:12)",
      "- call 10 of 14, thread main, from 5.000 ms",
      "- wall 4.000 ms, CPU 1.000 ms, waiting 3.000 ms",
      "- median of all calls on the wall clock 1.000 ms, this one 4.0×",
      "- [the same view](https://site/trace/1/#x)",
      "",
      "```",
      "    at a.B.run ()V",
      "    at a.Main.main ()V",
      "```",
    ].join("\n"),
  );
});

test("plain text has no marks, a missing clock no number, a deep stack an end", () => {
  const info: TraceInfo = { ...INFO, clocks: ["wall"] };
  const call: CallDetail = { ...CALL, times: { wall: 4e6 } };
  const stack = Array.from({ length: 61 }, (_, ix) => `m${ix}`);
  const text = reportText({ ...REPORT, info, call, stack, range: null, threads: null }, false);
  assert.ok(!/[`*]|CPU|waiting/.test(text));
  assert.match(text, /\n {4}… 1 more$/);
});

test("a method has its numbers, with what they are a share of", () => {
  const row = {
    ...METHOD,
    calls: 14,
    recursiveCalls: 2,
    inclusive: { wall: 40e6, cpu: 20e6 },
    exclusive: { wall: 10e6, cpu: 5e6 },
  };
  const numbers = { row, total: { wall: 100e6, cpu: 50e6 } };
  const text = reportText({ ...REPORT, numbers, call: null, stack: [] }, false);
  assert.match(text, /\n {2}calls 14 \+ 2 recursive\n/);
  assert.match(text, /\n {2}inclusive wall 40.000 ms \(40.0 %\), CPU 20.000 ms \(40.0 %\)\n/);
  assert.match(text, /\n {2}exclusive wall 10.000 ms \(10.0 %\), CPU 5.000 ms \(10.0 %\)\n/);
  const table = [
    "| calls 14 + 2 recursive | wall | CPU |",
    "| --- | ---: | ---: |",
    "| inclusive | 40.000 ms (40.0 %) | 20.000 ms (40.0 %) |",
    "| exclusive | 10.000 ms (10.0 %) | 5.000 ms (10.0 %) |",
  ];
  const markdown = reportText({ ...REPORT, numbers, call: null, stack: [] }, true);
  assert.ok(markdown.endsWith(`\n\n${table.join("\n")}`), markdown);
});

test("a command shows the view, whatever the file is called", () => {
  assert.equal(viewCommand("a b.trace", "#tab=flame"), "traceview 'a b.trace' '#tab=flame'");
  assert.equal(viewCommand("it's.trace", ""), "traceview 'it'\\''s.trace'");
  const link = viewCommand("x`.trace", "#a");
  assert.match(
    reportText({ ...REPORT, link, isCommand: true }, true),
    /the same view: `traceview 'x%60/,
  );
});
