import assert from "node:assert/strict";
import test from "node:test";
import { explanationText, type Place } from "./explanation";
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
  isAdopted: false,
  isWaiting: false,
  stack: [0, 1],
};

const REPORT: Report = {
  info: INFO,
  range: { from: 1e6, to: 20e6 },
  threads: ["main"],
  part: [],
  method: METHOD,
  numbers: null,
  spread: null,
  callWait: "",
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
  assert.equal(
    viewCommand({ file: "a b.trace" }, "#tab=flame"),
    "traceview 'a b.trace' '#tab=flame'",
  );
  assert.equal(viewCommand({ file: "it's.trace" }, ""), "traceview 'it'\\''s.trace'");
  // Names of the source are known with the mapping alone.
  const names = { mapping: "mapping.txt", isGiven: true, counts: null };
  assert.equal(
    viewCommand({ file: "new.trace", names }, "#tab=changes", "old.trace"),
    "traceview --mapping 'mapping.txt' 'old.trace' 'new.trace' '#tab=changes'",
  );
  const link = viewCommand({ file: "x`.trace" }, "#a");
  assert.match(
    reportText({ ...REPORT, link, isCommand: true }, true),
    /the same view: `traceview 'x%60/,
  );
});

test("a method has its percentiles, callers and threads, a call what it waited for", () => {
  const stat = { min: 1e6, p50: 2e6, p95: 3e6, max: 4e6 };
  const spread = {
    count: 14,
    stats: { wall: stat },
    callers: [1, 2, 3, 4, 5, 6].map((ix) => ({ name: `a.C.m${ix} ()V`, calls: 10 - ix })),
    threads: [
      { name: "main", calls: 12 },
      { name: "worker", calls: 2 },
    ],
  };
  const callWait = "Waited 26.1 ms: Thread.sleep 26.1 ms.";
  const markdown = reportText({ ...REPORT, spread, callWait, stack: [] }, true);
  assert.ok(markdown.includes("\n- calls by `a.C.m1 ()V` 9, `a.C.m2 ()V` 8, `a.C.m3 ()V` 7, "));
  assert.ok(markdown.includes("`a.C.m5 ()V` 5 and 1 more\n- calls on main 12, worker 2\n"));
  assert.ok(markdown.includes(`\n- ${callWait}\n`));
  assert.ok(
    markdown.endsWith(
      "| durations of 14 calls | min | p50 | p95 | max |\n| --- | ---: | ---: | ---: | ---: |\n" +
        "| wall | 1.000 ms | 2.000 ms | 3.000 ms | 4.000 ms |",
    ),
    markdown,
  );
  const plain = reportText({ ...REPORT, spread: { ...spread, threads: [] }, stack: [] }, false);
  assert.match(
    plain,
    /\n {2}durations of 14 calls, wall: min 1.000 ms, p50 2.000 ms, p95 3.000 ms, max 4.000 ms\n/,
  );
  assert.doesNotMatch(plain, /calls on main/);
});

const PLACE: Place = {
  threads: [1, 7],
  measure: "cpu",
  hide: "",
  isIdleCounted: false,
  top: {
    total: { wall: 2e9, cpu: 1e9 },
    chosen: 0,
    count: 2,
    rows: [
      {
        ...METHOD,
        calls: 1400,
        recursiveCalls: 0,
        inclusive: { wall: 500e6, cpu: 400e6 },
        exclusive: { wall: 300e6, cpu: 250e6 },
      },
    ],
  },
  whole: "100 % is 1.00 s CPU time",
  lens: null,
  nameOf: (rank) => `a.B.m${rank} ()V`,
};

function commands(place: Partial<Place>, report = REPORT): string[] {
  const text = explanationText(report, { ...PLACE, ...place });
  return text.slice(text.lastIndexOf("```\ntraceview") + 4, -4).split("\n");
}

test("commands are of the same part: range, threads, clock, hidden packages", () => {
  const part = "--clock cpu --from 1ms --to 20ms --thread 1 --thread 7";
  assert.deepEqual(commands({}), [
    "traceview info 'app.trace'",
    "traceview insights 'app.trace'",
    `traceview top ${part} 'app.trace'`,
    `traceview callers ${part} 'app.trace' '${METHOD.method}'`,
    `traceview tree --clock cpu --call '${CALL.method.method}#10' 'app.trace'`,
  ]);
  const whole = { ...REPORT, range: null, method: null, call: null };
  assert.deepEqual(commands({ threads: null, hide: "java." }, whole).slice(2), [
    "traceview top --clock cpu --hide 'java.' 'app.trace'",
  ]);
});

test("a lens is a path or a call, which has its own time and thread", () => {
  const path = { kind: "along", ranks: [1, 2], past: "" } as const;
  assert.match(
    commands({ lens: path })[2] ?? "",
    / --path \^ --path 'a.B.m1 \(\)V' --path 'a.B.m2 \(\)V' 'app/,
  );
  assert.match(
    commands({ lens: { kind: "upwards", ranks: [2, 1], past: "" } })[2] ?? "",
    / --path 'a.B.m1 \(\)V' --path 'a.B.m2 \(\)V' 'app/,
  );
  const call = { kind: "within", thread: 1, depth: 0, call: 0, rank: 3, ordinal: 4 } as const;
  assert.equal(
    commands({ lens: call })[2],
    "traceview top --clock cpu --call 'a.B.m3 ()V#5' 'app.trace'",
  );
});

test("a path says which packages are no part of it, where others are hidden now", () => {
  const lasting = { measure: "cpu", from: 1e6, below: null } as const;
  const path = { kind: "along", ranks: [1], lasting } as const;
  const top = (past: string, hide: string): string =>
    commands({ threads: null, hide, lens: { ...path, past } })[2] ?? "";
  assert.match(top("java.", ""), / 'a.B.m1 \(\)V' --past 'java.' --duration cpu:1ms\.\. 'app/);
  assert.match(top("", "java."), / --hide 'java.' --path \^ .* --past '' --duration/);
  assert.match(top("java.", "java."), /\(\)V' --duration cpu:1ms\.\. 'app/);
});

test("commands name the mapping that methods have their names by", () => {
  const names = { mapping: "/home/ana/map's.txt", isGiven: false, counts: null };
  for (const command of commands({}, { ...REPORT, info: { ...REPORT.info, names } }))
    assert.ok(command.includes(" --mapping 'map'\\''s.txt' 'app.trace'"), command);
});

test("threads that are more than an option can name have no commands", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, id) => id);
  assert.equal(commands({ threads: ids(128) }).length, 5);
  assert.deepEqual(
    commands({ threads: ids(129) }).map((command) => command.split(" ")[1]),
    ["info", "insights", "tree"],
  );
});

test("it names the calls and the packages that numbers are of, and whose own code took most", () => {
  const part = ["only 14 calls of C.m7", "the time of methods in java. is their callers'"];
  const text = explanationText({ ...REPORT, part }, PLACE);
  for (const line of part) assert.ok(text.includes(`\n- ${line}\n`), line);
  assert.match(
    text,
    /\nWhose own code took most CPU time, of 2 methods; 100 % is 1.00 s CPU time:\n/,
  );
  assert.match(
    text,
    /\n\| `a.B.run \(\)V` \| 250.000 ms \(25.0 %\) \| 400.000 ms \(40.0 %\) \| 1,400 \|\n/,
  );
  const waits = explanationText(REPORT, { ...PLACE, measure: "wait", isIdleCounted: true });
  assert.match(waits, /\| 50.000 ms \(5.0 %\) \| 100.000 ms /);
  assert.match(waits, /\ntraceview top --idle --clock wait /);
  assert.match(waits, /\ntraceview callers --idle --clock wait /);
});

test("it says what the numbers mean, by the kind of trace", () => {
  const text = explanationText(REPORT, PLACE);
  assert.match(text, /- Wall time is what a clock on the wall says/);
  assert.match(text, /- The trace has every call/);
  const info = { ...REPORT.info, sampled: true, clocks: ["wall"] as const };
  const sampled = explanationText({ ...REPORT, info }, PLACE);
  assert.match(sampled, /Recursive runs count once/);
  assert.match(sampled, /- The trace is sampled/);
  assert.doesNotMatch(sampled, /Wall time is what/);
});
