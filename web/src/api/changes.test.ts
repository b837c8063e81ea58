import assert from "node:assert/strict";
import test from "node:test";
import { decodeBefore, decodeChanges } from "./decode-changes";

const ROW = {
  method: "a.b ()V",
  verdict: "changed",
  calls_verdict: "changed",
  time_verdict: "undecided",
  old: { calls: [1, 1], time_ns: 10 },
  new: { calls: [2, 3], time_ns: 30 },
  by_calls_ns: 10,
  by_cost_ns: 10,
};
const SIDE = { runs: 1, files: ["a\u202etrace"], calls: 1, total_ns: 10 };
const ANSWER = {
  old: SIDE,
  new: SIDE,
  clock: "cpu",
  by: "inclusive",
  least_change_ppm: 50000,
  methods: 1,
  in_both: 1,
  gone: 0,
  added: 0,
  merged: 0,
  calls_verdicts: { undecided: 0, same: 0, changed: 1 },
  one_sample: true,
  calls: [ROW],
  times: [ROW],
  undecided: [],
};

test("a method of two lists is one row, and a file's name acts on nothing", () => {
  const changes = decodeChanges(ANSWER);
  assert.equal(changes.list.length, 1);
  assert.deepEqual(changes.list[0]?.new.calls, [2, 3]);
  assert.ok(!changes.old.file.includes("\u202e"));
  assert.ok(changes.isOneSample);
});

test("counts that are not compared have a reason", () => {
  const { calls_verdicts: _, ...rest } = ANSWER;
  const changes = decodeChanges({ ...rest, no_counts: "looks sampled" });
  assert.deepEqual([changes.callsVerdicts, changes.noCounts], [null, "looks sampled"]);
});

test("a verdict that is unknown is refused", () => {
  assert.throws(
    () => decodeChanges({ ...ANSWER, calls: [{ ...ROW, time_verdict: "?" }] }),
    /verdict/,
  );
});

test("what methods were is told by rank, and those of several apart", () => {
  const times = { inclusive: { wall_ns: 5 }, exclusive: { wall_ns: 3 } };
  const answer = decodeBefore({
    file: "old.trace",
    total: { wall_ns: 9 },
    methods: [
      { rank: 3, calls: 2, recursive_calls: 1, ...times },
      { rank: 4, merged: true },
    ],
  });
  assert.ok(answer.isCounted);
  assert.deepEqual(answer.numbers.get(3), {
    calls: 2,
    recursiveCalls: 1,
    inclusive: { wall: 5 },
    exclusive: { wall: 3 },
  });
  assert.deepEqual([...answer.merged], [4]);
  assert.ok(!decodeBefore({ no_counts: "was sampled", methods: [] }).isCounted);
});
