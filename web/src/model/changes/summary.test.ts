import assert from "node:assert/strict";
import test from "node:test";
import type { Changes } from "./changes";
import { nothingText, summaryText } from "./summary";

const SIDE = { file: "a.trace", runs: 5, calls: 1, total: 1, told: null };
const RUNS: Changes = {
  old: SIDE,
  new: SIDE,
  clock: "cpu",
  by: "inclusive",
  inBoth: 3,
  gone: 1,
  added: 0,
  callsVerdicts: { changed: 1, same: 2, undecided: 0 },
  noCounts: "",
  isOneSample: false,
  timeVerdicts: { changed: 1, same: 0, undecided: 2 },
  noTimes: "",
  median: null,
  hasOtherProcessors: false,
  hasMixedKinds: false,
  least: 0.05,
  list: [],
  leftOut: 0,
  callers: null,
};
const COUNTS = "Calls of 1 method changed (0 new, 1 gone); of 2 they are the same.";

test("times of several runs are tested, as the command tells it", () => {
  assert.equal(
    summaryText(RUNS),
    `${COUNTS} Inclusive time of 3 methods was tested: 1 changed by more than 5 %, 0 the same within it, 2 undecided.`,
  );
});

test("why times are not tested is told", () => {
  const none = { ...RUNS, timeVerdicts: null };
  assert.equal(
    summaryText({ ...none, hasOtherProcessors: true }),
    `${COUNTS} Times are of different processors, and are not tested.`,
  );
  assert.equal(
    summaryText({ ...none, hasMixedKinds: true }),
    `${COUNTS} Times are of samples here and of each call there, and are not tested.`,
  );
  assert.equal(
    summaryText({ ...none, isOneSample: true, new: { ...SIDE, runs: 1 } }),
    `${COUNTS} A side has one run: its times are one sample, and decide nothing.`,
  );
  assert.equal(
    summaryText({
      ...none,
      isOneSample: true,
      old: { ...SIDE, runs: 1 },
      new: { ...SIDE, runs: 1 },
    }),
    `${COUNTS} Times are one sample of each side, and decide nothing.`,
  );
});

test("what all methods have in common is told before what changed beside it", () => {
  assert.equal(
    summaryText({
      ...RUNS,
      median: { share: -0.0514, noMachine: "", methods: 0, leftOut: 0, unmoved: 0 },
    }),
    `${COUNTS} The median method: −5.1 %, which is the machine, or a change of everything; tested changes are beside it, and times are as measured. ` +
      "Inclusive time of 3 methods was tested: 1 changed by more than 5 %, 0 the same within it, 2 undecided.",
  );
});

test("a median that is not the machine's is told, and why", () => {
  const median = {
    share: 0.3726,
    noMachine: "two_clusters",
    methods: 41,
    leftOut: 0,
    unmoved: 15,
  } as const;
  const tested =
    "Inclusive time of 3 methods was tested: 1 changed by more than 5 %, 0 the same within it, 2 undecided.";
  assert.equal(
    summaryText({ ...RUNS, median }),
    `${COUNTS} The median method: +37.3 %, but 15 of 41 moved by less than half of that, so it is not the machine: ` +
      `times are not divided by it. ${tested}`,
  );
  assert.equal(
    summaryText({ ...RUNS, median: { ...median, noMachine: "other_total" } }),
    `${COUNTS} The median method: +37.3 %, but all methods together moved by less than half of that, so it is not the machine: ` +
      `times are not divided by it. ${tested}`,
  );
  assert.equal(
    summaryText({ ...RUNS, median: { ...median, share: null, noMachine: "few" } }),
    `${COUNTS} Fewer than 20 methods have 0.1 ms of their own: times are not divided by the machine. ${tested}`,
  );
  assert.equal(
    summaryText({
      ...RUNS,
      median: { share: null, noMachine: "other_calls", methods: 2, leftOut: 40, unmoved: 0 },
    }),
    `${COUNTS} Fewer than 20 methods call and are called as before (2 of 42 with 0.1 ms of their own): ` +
      `times are not divided by the machine. ${tested}`,
  );
});

test("times of a trace that lost data are not tested, and why", () => {
  assert.equal(
    summaryText({
      ...RUNS,
      timeVerdicts: null,
      noTimes: "has lost data (truncated), so its times are not those of the program",
    }),
    `${COUNTS} Times are not tested: a trace has lost data (truncated), so its times are not those of the program.`,
  );
});

test("what a mapping says was inlined or merged varies not by itself", () => {
  const text = (undecided: number): string =>
    summaryText({ ...RUNS, callsVerdicts: { changed: 0, same: 2, undecided }, byMapping: 2 });
  const mapped =
    " 2 methods cannot be compared: one side's mapping of names says that they were inlined or merged there.";
  assert.ok(text(2).includes(`of 2 they are the same.${mapped}`));
  assert.ok(text(3).includes(`of 2 they are the same, and of 1 they vary by themselves.${mapped}`));
});

test("where no sentence tells of a method, nothing is said to be the same that was not found to be", () => {
  const counts = (undecided: number): Changes => ({
    ...RUNS,
    callsVerdicts: { changed: 0, same: 2, undecided },
  });
  const times = (undecided: number): Changes => ({
    ...RUNS,
    timeVerdicts: { changed: 0, same: 2, undecided },
  });
  const oneSample = { ...RUNS, timeVerdicts: null, isOneSample: true };
  const untested = { ...RUNS, timeVerdicts: null, hasOtherProcessors: true };
  assert.equal(
    nothingText(counts(0), times(0)),
    "No count of calls changed, and no time of a method's own code changed by a hundredth of the total.",
  );
  assert.equal(
    nothingText(counts(1), times(1)),
    "No count of calls is sure to have changed, and no time of a method's own code is sure to have changed by a hundredth of the total.",
  );
  assert.equal(
    nothingText({ ...RUNS, callsVerdicts: null }, oneSample),
    "Calls are not compared, and no time of a method's own code differs by a hundredth of the total.",
  );
  assert.equal(
    nothingText(counts(0), untested),
    "No count of calls changed, and times are not tested.",
  );
});
