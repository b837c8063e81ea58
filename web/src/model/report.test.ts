import assert from "node:assert/strict";
import test from "node:test";
import { reportText, type Report } from "./report";
import type { CallDetail, Method, TraceInfo } from "./trace";

const INFO: TraceInfo = {
  file: "app.trace",
  format: "v3",
  vm: "art",
  clocks: ["wall", "cpu"],
  hasIdleCpu: false,
  sampled: false,
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
  isOpenAtEnd: false,
  isWaiting: false,
  stack: [0, 1],
};

const REPORT: Report = {
  info: INFO,
  range: { from: 1e6, to: 20e6 },
  threads: ["main"],
  method: METHOD,
  call: CALL,
  threadOfCall: "main",
  stack: ["a.B.run ()V", "a.Main.main ()V"],
  link: "http://127.0.0.1/#x",
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
      "- median of all calls 1.000 ms, this one 4.0×",
      "- [the same view](http://127.0.0.1/#x)",
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
