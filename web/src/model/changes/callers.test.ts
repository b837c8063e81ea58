import assert from "node:assert/strict";
import test from "node:test";
import {
  callersText,
  pathCallsText,
  pathText,
  movedText,
  threadsText,
  threadText,
  toldThreads,
} from "./callers";
import { OF_CALLS, OF_TRACES, type CallerPath, type Changes, type MovedCalls } from "./changes";
import type { ThreadChange } from "./thread-change";

const SIDE = { file: "a.trace", runs: 1, calls: 1, total: 1, told: null };
const CHANGES: Changes = {
  old: SIDE,
  new: SIDE,
  clock: "cpu",
  by: "inclusive",
  inBoth: 1,
  gone: 0,
  added: 0,
  callsVerdicts: null,
  noCounts: "",
  isOneSample: true,
  timeVerdicts: null,
  noTimes: "",
  median: null,
  hasOtherProcessors: false,
  hasMixedKinds: false,
  least: 0.05,
  list: [],
  leftOut: 0,
  callers: null,
};

function path(names: readonly string[], was: number, is: number, above = 0): CallerPath {
  return {
    path: names,
    above,
    old: { calls: [was, was], time: 0 },
    new: { calls: [is, is], time: 0 },
  };
}

const MOVED: MovedCalls = {
  method: "a.load ()V",
  calls: 3,
  from: path(["a.main ()V", "a.show ()V", "a.load ()V"], 4, 1),
  to: path(["a.main ()V", "a.fill ()V", "a.load ()V"], 1, 4),
  fewerIn: 1,
  moreIn: 1,
};

test("calls that moved are told with both callers, as the command tells them", () => {
  assert.equal(
    movedText(MOVED, CHANGES, OF_TRACES),
    "3 calls moved: below a.main > a.show 4 became 1, below a.main > a.fill 1 became 4",
  );
  const deep = path(["x ()", "b ()", "c ()", "d ()", "a.load ()V"], 9, 0, 2);
  const root = path(["a.load ()V"], 0, 9);
  const far = { ...MOVED, calls: 1, from: deep, to: root, fewerIn: 3 };
  assert.equal(
    movedText(far, { ...CHANGES, new: { ...SIDE, runs: 2 } }, OF_TRACES),
    "at least 1 call moved: below ... > b > c > d 9 became 0 (most of 3 paths with fewer), " +
      "without a caller 0 became 9",
  );
});

test("of two calls nothing moved: they differ", () => {
  assert.match(
    movedText(MOVED, CHANGES, OF_CALLS),
    /^3 calls have other callers: below a\.main > a\.show 4 in the other call, 1 in this one,/,
  );
  assert.match(movedText({ ...MOVED, calls: 1 }, CHANGES, OF_CALLS), /^1 call has another caller/);
});

test("what holds for all paths says none where there is none", () => {
  const none = { changed: 0, moved: 0, movedList: [], paths: [], threads: [] };
  assert.match(callersText(none, OF_TRACES), /^No method/);
  assert.equal(
    callersText({ ...none, changed: 2, moved: 1 }, OF_TRACES),
    "On 2 paths the calls of a method of both sides changed, and not only as its caller's did; " +
      "calls of 1 method moved to other callers.",
  );
  assert.match(
    callersText({ ...none, changed: 1 }, OF_CALLS),
    /^On 1 path the calls of a method of both sides differ, and not only as its caller's do; /,
  );
});

test("a path is told by its last callers, and its calls by both sides", () => {
  const deep = path(["x ()", "b ()", "c ()", "d ()", "a.load ()V"], 1, 5);
  assert.equal(pathText(deep), "... > b > c > d > a.load");
  assert.equal(pathText(path(["a.load ()V"], 4, 5, 1)), "... > a.load");
  assert.equal(pathText(path(["a.load ()V"], 4, 5)), "a.load");
  assert.equal(pathCallsText(deep, OF_TRACES), "1 call became 5");
  assert.equal(
    pathCallsText(path(["a ()"], 4, 0), OF_CALLS),
    "4 calls in the other call, 0 in this one",
  );
});

test("threads are new, gone, or have other calls", () => {
  const thread = (was: readonly [number, number], is: readonly [number, number]): ThreadChange => ({
    name: "worker-*",
    old: { threads: [was[0], was[0]], calls: [was[1], was[1]], time: 2_000_000 },
    new: { threads: [is[0], is[0]], calls: [is[1], is[1]], time: 3_000_000 },
  });
  const fresh = thread([0, 0], [1, 1]);
  const gone = thread([2, 5], [0, 0]);
  const more = thread([1, 5], [2, 7]);
  assert.equal(threadText(fresh), "is new: 1 call, 3.00 ms");
  assert.equal(threadText(gone), "is gone: it had 5 calls, 2.00 ms");
  assert.equal(
    threadText(more),
    "has 2 threads of this name, 1 before; 7 calls, 3.00 ms, before 5 calls, 2.00 ms",
  );
  assert.equal(
    threadsText([fresh, gone, more]),
    "3 names of threads have other calls (1 new, 1 gone).",
  );
  const callers = { changed: 0, moved: 0, movedList: [], paths: [], threads: [more] };
  assert.deepEqual(toldThreads({ ...CHANGES, callers }), [more]);
  const totals = { old: { ...SIDE, calls: 5 }, new: { ...SIDE, calls: 7 } };
  assert.deepEqual(toldThreads({ ...CHANGES, ...totals, callers }), []);
  assert.equal(threadsText([more]), "1 name of threads has other calls (0 new, 0 gone).");
});
