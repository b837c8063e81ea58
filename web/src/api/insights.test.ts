import assert from "node:assert/strict";
import test from "node:test";
import { decodeInsights } from "./decode-insights";
import { clocksText, insightText, nothingText, type InsightKind } from "../model/insights/insights";
import type { Clock } from "../model/trace";

const METHODS = [
  { rank: 3, id: "0x10", method: "a.b.C.slow()", class: "a.b.C", name: "slow", signature: "()V" },
  {
    rank: 5,
    id: "0x20",
    method: "a.b.D.work()",
    class: "a.b.D",
    name: "work",
    signature: "(ILjava/lang/String;)V",
    shares_name: true,
  },
];
const CALL = { thread: 1, depth: 2, call: 7, start_ns: 5e6, end_ns: 47e6 };
const nameOf = (id: number): string => (id === 1 ? "main" : `thread ${id}`);

function textsOf(axis: Clock, ...insights: readonly object[]): string[] {
  const answer = { least_ns: 1e6, main_thread: 1, insights, methods: METHODS };
  return decodeInsights(answer).list.map((insight) => insightText(insight, axis, nameOf, 1));
}

const SLOW = { kind: "slow", at_stake_ns: 40e6, rank: 3, median_ns: 2e6, call: CALL };
const WAIT = { kind: "wait", at_stake_ns: 25e6, rank: 3, call: CALL };

// What is said of each kind, beside the numbers that it is made of. The program says the same (tests/cli/answers/test_insight_text.c).
const SENTENCES: Record<InsightKind, readonly (readonly [Clock, object, string])[]> = {
  overflow: [
    [
      "wall",
      { kind: "overflow", at_stake_ns: 2e9, of_ns: 5e9 },
      "The recording ended 2.00 s before the run did: its buffer was full.",
    ],
  ],
  slow: [
    [
      "wall",
      { ...SLOW, calls: 1, of_calls: 1400, other: { rank: 5, ns: 30e6 } },
      "One of 1,400 calls of C.slow was slow: it took 42.0 ms of wall time; the median is 2.00 ms. " +
        "Of it 30.0 ms were in D.work(int, String).",
    ],
    [
      "wall",
      { ...SLOW, calls: 2, of_calls: 14, waited_calls: 1, other: { rank: 5, ns: 30e6 } },
      "2 of 14 calls of C.slow were slow: the longest of these took 42.0 ms of wall time; the median is 2.00 ms; " +
        "1 more took long because it waited. Of the longest 30.0 ms were in D.work(int, String).",
    ],
    [
      "cpu",
      { ...SLOW, calls: 2, of_calls: 9, waited_calls: 3, median_ns: 0 },
      "2 of 9 calls of C.slow were slow: the longest of these took 42.0 ms of CPU time; the median is 0; " +
        "3 more took long because they waited.",
    ],
  ],
  open: [
    [
      "wall",
      { kind: "open", at_stake_ns: 5.99e9, rank: 3, call: CALL },
      "main was still in C.slow when the recording ended: what it did in the last 5.99 s is not recorded.",
    ],
  ],
  wait: [
    [
      "wall",
      { ...WAIT, calls: 1, of_calls: 15, other: { thread: 9, rank: 5, ns: 20e6 } },
      "main waited 25.0 ms in one call of 15 of C.slow. Meanwhile thread 9 was busiest, 20.0 ms of that " +
        "in D.work(int, String).",
    ],
    [
      "wall",
      { ...WAIT, calls: 3, of_calls: 3, other: { thread: 9, rank: 5, ns: 20e6 } },
      "main waited 25.0 ms in 3 calls of C.slow. During the longest wait thread 9 was busiest, 20.0 ms of " +
        "that in D.work(int, String).",
    ],
    [
      "wall",
      { ...WAIT, rank: 5, calls: 1, of_calls: 1 },
      "main waited 25.0 ms in one call of D.work(int, String).",
    ],
  ],
  often: [
    [
      "wall",
      {
        kind: "often",
        at_stake_ns: 9e6,
        rank: 5,
        calls: 20000,
        of_calls: 100000,
        other: { rank: 3, calls: 19000 },
      },
      "D.work(int, String) was called 20,000 times, 20 % of all calls; 19,000 of them by C.slow.",
    ],
  ],
  frames: [
    [
      "wall",
      { kind: "frames", at_stake_ns: 90e6, rank: 3, calls: 14, of_calls: 21, call: CALL },
      "14 of 21 runs of frames took longer than 16.7 ms: the longest took 42.0 ms. Frames that no look came between are one run.",
    ],
  ],
  own: [
    [
      "wall",
      { kind: "own", at_stake_ns: 1e9, margin_ns: 1e8, of_ns: 4e9, rank: 5 },
      "The code of the app itself took 1.00 s (25 %, give or take 2.5 %) of the 4.00 s that main was busy, " +
        "most of it in D.work(int, String).",
    ],
  ],
  package: [
    [
      "wall",
      { kind: "package", at_stake_ns: 2e9, margin_ns: 4e7, of_ns: 4e9, package: "a.b", rank: 3 },
      "a.b took 2.00 s (50 %, give or take 1 %) of the 4.00 s that main was busy, most of it in C.slow.",
    ],
  ],
  spent: [
    [
      "wall",
      { kind: "spent", at_stake_ns: 30e6, margin_ns: 5e6, rank: 3, other: { rank: 5, ns: 20e6 } },
      "main was 30.0 ms, give or take 5.00 ms, in C.slow; 20.0 ms of that through D.work(int, String).",
    ],
    [
      "wall",
      { kind: "spent", at_stake_ns: 30e6, margin_ns: 5e6, rank: 3 },
      "main was 30.0 ms, give or take 5.00 ms, in C.slow.",
    ],
  ],
  overhead: [
    [
      "cpu",
      { kind: "overhead", at_stake_ns: 1e9, of_ns: 4e9 },
      "Tracing itself took some 1.00 s, 25 % of the calls' CPU time: short methods look longer than they are.",
    ],
  ],
};

for (const [kind, rows] of Object.entries(SENTENCES))
  test(`what is said of an insight is made of its numbers: ${kind}`, () => {
    assert.ok(rows.length > 0);
    for (const [axis, insight, said] of rows) assert.deepEqual(textsOf(axis, insight), [said]);
  });

test("an answer that names no such method, or a kind that is not known, is refused", () => {
  assert.throws(
    () => textsOf("wall", { kind: "often", at_stake_ns: 1, rank: 4 }),
    /does not name method 4/,
  );
  assert.throws(() => textsOf("wall", { kind: "odd", at_stake_ns: 1 }), /unknown kind/);
});

test("where nothing stands out, it is said what was looked for, and where nothing was, why", () => {
  const answer = decodeInsights({ least_ns: 1e6, insights: [], methods: [] });
  assert.match(
    nothingText(answer, { sampled: false, calls: 5, axis: "wall", threads: [] }),
    /from 1.00 ms on.*which the trace does not name/,
  );
  const main = { name: "main" };
  assert.match(
    nothingText(answer, { sampled: false, calls: 5, axis: "wall", threads: [main, main] }),
    /several threads are called main/,
  );
  assert.match(
    nothingText(answer, { sampled: true, calls: 5, axis: "wall", threads: [] }),
    /sampled/,
  );
  const none = decodeInsights({ least_ns: 0, insights: [], methods: [] });
  assert.match(
    nothingText(none, { sampled: false, calls: 0, axis: "wall", threads: [] }),
    /^This trace holds no calls\.$/,
  );
  assert.match(
    nothingText(none, { sampled: false, calls: 5, axis: "wall", threads: [] }),
    /no times to compare/,
  );
});

test("a wrong clock tells nothing, and that is said", () => {
  const info = { sampled: false, calls: 5, axis: "wall", threads: [] } as const;
  const of = (wrong: object, told?: Clock, insights: readonly object[] = []) =>
    decodeInsights({
      least_ns: 1e6,
      wrong_clocks: wrong,
      ...(told === undefined ? {} : { told_clock: told }),
      insights,
      methods: METHODS,
    });
  const slow = { ...SLOW, calls: 1, of_calls: 9, call: { ...CALL, cpu_ns: 3e6, wall_ns: 42e6 } };
  const onCpu = of({ wall: "clock_backwards" }, "cpu", [slow]);
  assert.equal(
    onCpu.list.map((insight) => insightText(insight, "wall", nameOf, 1)).join(),
    "One of 9 calls of C.slow was slow: it took 3.00 ms of CPU time; the median is 2.00 ms.",
  );
  assert.equal(
    clocksText(onCpu, info),
    "Wall times are wrong (clock_backwards), so CPU times are told, and no waits.",
  );
  const nothing = nothingText(of({ wall: "clock_backwards" }, "cpu"), info);
  assert.match(nothing, /^Nothing stands out.*overhead of tracing\. Wall times are wrong/);
  assert.doesNotMatch(nothing, /waits of the main thread|an overflow/);
  assert.equal(
    nothingText(of({ wall: "unit_suspect", cpu: "clock_too_far" }), info),
    "Wall times are wrong (unit_suspect), so nothing is told by them.",
  );
  const cpu = of({ cpu: "cpu_clock_backwards" }, "wall");
  assert.equal(
    clocksText(cpu, info),
    "CPU times are wrong (cpu_clock_backwards), so no waits are told.",
  );
  assert.equal(clocksText(cpu, { ...info, sampled: true }), "");
  assert.equal(clocksText(decodeInsights({ insights: [], methods: [] }), info), "");
});
