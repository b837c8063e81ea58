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

test("moved calls and threads are told, and no name acts on anything", () => {
  assert.equal(decodeChanges(ANSWER).callers, null);
  const context = {
    path: ["a.main ()V", "a.\u202eb ()V"],
    above: 2,
    old: { calls: [4, 4], time_ns: 10 },
    new: { calls: [1, 1], time_ns: 3 },
  };
  const side = { threads: [1, 1], calls: [5, 6], time_ns: 7 };
  const { callers } = decodeChanges({
    ...ANSWER,
    contexts: { in_both: 3, gone: 0, added: 0, changed: 2, moved: 1 },
    moved: [{ method: "a.b ()V", calls: 3, from: context, fewer_in: 1, to: context, more_in: 2 }],
    paths: [context],
    threads: [{ name: "w\u202e", old: side, new: side }],
  });
  assert.deepEqual([callers?.changed, callers?.moved], [2, 1]);
  assert.equal(callers?.movedList[0]?.from.above, 2);
  assert.equal(callers.movedList[0].moreIn, 2);
  assert.equal(callers.paths.length, 1);
  assert.ok(!JSON.stringify(callers).includes("\u202e"));
  assert.deepEqual(callers.threads[0]?.new, { threads: [1, 1], calls: [5, 6], time: 7 });
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
