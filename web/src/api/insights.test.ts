import assert from "node:assert/strict";
import test from "node:test";
import { decodeInsights } from "./decode-insights";
import { insightText, nothingText } from "../model/insights/insights";

const METHODS = [
  { rank: 3, id: "0x10", method: "a.b.C.slow()", class: "a.b.C", name: "slow", signature: "()V" },
  { rank: 5, id: "0x20", method: "a.b.D.work()", class: "a.b.D", name: "work", signature: "()V" },
];
const CALL = { thread: 1, depth: 2, call: 7, start_ns: 5e6, end_ns: 47e6 };
const nameOf = (id: number): string => (id === 1 ? "main" : `thread ${id}`);

function textsOf(...insights: readonly object[]): string[] {
  const answer = { least_ns: 1e6, main_thread: 1, insights, methods: METHODS };
  return decodeInsights(answer).list.map((insight) => insightText(insight, nameOf));
}

test("each kind is a sentence of its own", () => {
  assert.deepEqual(
    textsOf(
      { kind: "overflow", at_stake_ns: 2e9, of_ns: 5e9 },
      {
        kind: "slow",
        at_stake_ns: 40e6,
        rank: 3,
        calls: 1,
        of_calls: 1400,
        median_ns: 2e6,
        call: CALL,
        other: { rank: 5, ns: 30e6 },
      },
      { kind: "slow", at_stake_ns: 60e6, rank: 3, calls: 2, of_calls: 9, median_ns: 0, call: CALL },
      {
        kind: "wait",
        at_stake_ns: 25e6,
        rank: 3,
        calls: 1,
        call: CALL,
        other: { thread: 9, rank: 5, ns: 20e6 },
      },
      {
        kind: "often",
        at_stake_ns: 9e6,
        rank: 5,
        calls: 20000,
        of_calls: 100000,
        other: { rank: 3, calls: 19000 },
      },
      { kind: "overhead", at_stake_ns: 1e9, of_ns: 4e9 },
    ),
    [
      "The recording ended 2.00 s before the run did: its buffer was full.",
      "One call of 1,400 of C.slow was slow: it took 42.0 ms; the median is 2.00 ms. Of it 30.0 ms " +
        "were in D.work.",
      "2 of 9 calls of C.slow were slow: the longest took 42.0 ms; the median is 0.",
      "main waited 25.0 ms in C.slow. Meanwhile thread 9 was busiest, for 20.0 ms in D.work.",
      "D.work was called 20,000 times, 20 % of all calls; 19,000 of them by C.slow.",
      "Tracing itself took some 1.00 s, 25 % of the calls' time: short methods look longer than they are.",
    ],
  );
});

test("an answer that names no such method, or a kind that is not known, is refused", () => {
  assert.throws(
    () => textsOf({ kind: "often", at_stake_ns: 1, rank: 4 }),
    /does not name method 4/,
  );
  assert.throws(() => textsOf({ kind: "odd", at_stake_ns: 1 }), /unknown kind/);
});

test("where nothing stands out, it is said what was looked for", () => {
  const answer = decodeInsights({ least_ns: 1e6, insights: [], methods: [] });
  assert.match(nothingText(answer, false), /from 1.00 ms on.*which the trace does not name/);
  assert.match(nothingText(answer, true), /sampled/);
});
