import assert from "node:assert/strict";
import test from "node:test";
import * as text from "./scope-text";
import type { ScopeFacts } from "./scope-text";
import type { Measure } from "./trace";
import { callWords } from "./words";

const ALL: ScopeFacts = {
  words: callWords(false),
  records: 100,
  threads: 5,
  chosen: null,
  idle: 0,
  unrecorded: 0,
  range: null,
  mine: null,
  without: [],
  filter: "",
  lens: null,
};
const RANGE = { from: 100e6, to: 150e6 };

// What may be chosen, and what each sentence says then.
const CHOICES: readonly (readonly [string, Partial<ScopeFacts>, readonly string[]])[] = [
  [
    "all",
    {},
    [
      "5 threads",
      "All threads",
      "whole trace · 5 threads",
      "in the whole trace",
      "Times are sums over 5 threads.",
      "100 % is 71.0 ms waiting time, the root calls of all threads",
      "No method here.",
    ],
  ],
  [
    "idle threads are left out",
    { idle: 4 },
    [
      "1 of 5 threads",
      "1 of 5 threads",
      "whole trace · 1 of 5 threads",
      "in the whole trace, on 1 of 5 threads",
      "Times are sums over 1 of 5 threads: 4 idle ones are left out.",
      "100 % is 71.0 ms waiting time, the root calls of 1 of 5 threads",
      "No method in these threads.",
    ],
  ],
  [
    "not all of the waits is recorded",
    { unrecorded: 20e6 },
    [
      "5 threads",
      "All threads",
      "whole trace · 5 threads · 20.0 ms of the waits not recorded",
      "in the whole trace",
      "Times are sums over 5 threads.",
      "100 % is 71.0 ms waiting time, the root calls of all threads, 20.0 ms of that not recorded",
      "No method here.",
    ],
  ],
  [
    "one is idle",
    { idle: 1 },
    [
      "4 of 5 threads",
      "4 of 5 threads",
      "whole trace · 4 of 5 threads",
      "in the whole trace, on 4 of 5 threads",
      "Times are sums over 4 of 5 threads: 1 idle one is left out.",
      "100 % is 71.0 ms waiting time, the root calls of 4 of 5 threads",
      "No method in these threads.",
    ],
  ],
  [
    "threads and a range",
    { chosen: 2, range: RANGE },
    [
      "2 of 5 threads",
      "2 of 5 threads",
      "in 100 – 150 ms · 2 of 5 threads",
      "in 100 – 150 ms, on 2 of 5 threads",
      "Times are sums over 2 of 5 threads.",
      "100 % is 71.0 ms waiting time, the root calls of 2 of 5 threads in the range",
      "No method in this range and these threads.",
    ],
  ],
  [
    "all threads, one by one",
    { chosen: 5 },
    [
      "5 threads",
      "All threads",
      "whole trace · 5 threads",
      "in the whole trace",
      "Times are sums over 5 threads.",
      "100 % is 71.0 ms waiting time, the root calls of all threads",
      "No method here.",
    ],
  ],
  [
    "hidden packages and a filter",
    { mine: ["java."], without: ["a.b."], filter: "x" },
    [
      "5 threads",
      "All threads",
      "whole trace · 5 threads · my code only",
      "in the whole trace",
      "Times are sums over 5 threads.",
      "100 % is 71.0 ms waiting time, the root calls of all threads",
      "No method matches the filter while hidden packages are left out (my code only, a.b.).",
    ],
  ],
  [
    "the calls of a path",
    { lens: "path", chosen: 2, range: RANGE },
    [
      "2 of 5 threads",
      "2 of 5 threads",
      "in these calls · in 100 – 150 ms · 2 of 5 threads",
      "in these calls, in 100 – 150 ms, on 2 of 5 threads",
      "Times are sums over these calls on 2 of 5 threads.",
      "100 % is 71.0 ms waiting time, these calls of 2 of 5 threads in the range",
      "No method in these calls and this range and these threads.",
    ],
  ],
  [
    "the calls of a path in all of the trace",
    { lens: "path" },
    [
      "5 threads",
      "All threads",
      "in these calls · 5 threads",
      "in these calls",
      "Times are sums over these calls on 5 threads.",
      "100 % is 71.0 ms waiting time, these calls of all threads",
      "No method in these calls.",
    ],
  ],
  [
    "one call, which has its own time and thread",
    { lens: "one", chosen: 2, range: RANGE, idle: 1 },
    [
      "5 threads",
      "All threads",
      "in this call",
      "in this call",
      "Times are those of this call and what it made.",
      "100 % is 71.0 ms waiting time, this call",
      "No method in this call.",
    ],
  ],
  [
    "a trace without records, whatever is chosen",
    { records: 0, threads: 0, mine: ["java."], filter: "x", range: RANGE },
    [
      "0 threads",
      "All threads",
      "no records",
      "in 100 – 150 ms",
      "This trace holds no records.",
      "100 % is 71.0 ms waiting time, the root calls of all threads in the range",
      "This trace holds no records.",
    ],
  ],
  [
    "a sampled trace",
    { words: callWords(true), chosen: 1 },
    [
      "1 of 5 threads",
      "1 of 5 threads",
      "whole trace · 1 of 5 threads",
      "in the whole trace, on 1 of 5 threads",
      "Times are sums over 1 of 5 threads.",
      "100 % is 71.0 ms waiting time, the root runs of 1 of 5 threads",
      "No method in these threads.",
    ],
  ],
];

const SENTENCES: Readonly<Record<string, (facts: ScopeFacts) => string>> = {
  threadsText: text.threadsText,
  allThreadsText: text.allThreadsText,
  whereText: text.whereText,
  placeText: text.placeText,
  sumsText: text.sumsText,
  wholeText: (facts) => text.wholeText(facts, 71e6, "wait"),
  noneText: (facts) => text.noneText(facts, "method"),
};

for (const [name, choice, expected] of CHOICES)
  test(`sentences about a part of the trace: ${name}`, () => {
    const facts = { ...ALL, ...choice };
    assert.deepEqual(
      Object.values(SENTENCES).map((say) => say(facts)),
      expected,
    );
  });

test("where CPU time is longer than wall time, nothing is 100 %, and the sentence says why", () => {
  const of = (ns: number, measure: Measure, choice: Partial<ScopeFacts> = {}): string =>
    text.wholeText({ ...ALL, ...choice }, ns, measure);
  assert.equal(
    of(-6.1e6, "wait", { lens: "path" }),
    "no percentages, since CPU time is 6.10 ms longer than wall time in these calls of all threads",
  );
  assert.equal(
    of(0, "wait", { lens: "one" }),
    "no percentages, since CPU time is as long as wall time in this call",
  );
  assert.equal(
    of(0, "cpu", { chosen: 2 }),
    "no percentages, since there is no CPU time in the root calls of 2 of 5 threads",
  );
});

test("the chip tells how much of the trace is shown, once that is known", () => {
  assert.equal(
    text.mineTitle(["java.", "kotlin."], 91, "31,031 calls"),
    "Shown are 91 of 31,031 calls. The time of methods in java. kotlin. is their callers'. Press to show them again",
  );
  assert.match(text.mineTitle(["java."], null, "31,031 calls"), /^The time of methods in java\./);
});

test("each sentence of the file has its row above", () => {
  const own = new Set([...Object.keys(SENTENCES), "mineTitle"]);
  const said = Object.entries(text).flatMap(([name, of]) => (typeof of === "function" ? name : []));
  assert.deepEqual(said.sort(), [...own].sort());
});
