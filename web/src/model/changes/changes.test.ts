import assert from "node:assert/strict";
import test from "node:test";
import { changeColumns, verdictText } from "./change-columns";
import {
  basedText,
  OF_CALLS,
  sentencesOf,
  signedShare,
  signedTime,
  type Change,
  type Changes,
} from "./changes";
import { callsSummaryText, summaryText } from "./summary";

function change(method: string, more: Partial<Change>): Change {
  return {
    method,
    calls: "same",
    time: "undecided",
    old: { calls: [2, 2], time: 1_000_000 },
    new: { calls: [2, 2], time: 1_000_000 },
    byCalls: 0,
    byCost: 0,
    runs: null,
    test: null,
    ...more,
  };
}

const LOAD = change("a.load ()", {
  calls: "changed",
  old: { calls: [12, 12], time: 12_000_000 },
  new: { calls: [14, 14], time: 14_000_000 },
  byCalls: 2_000_000,
});
const FRESH = change("a.fresh ()", {
  calls: "changed",
  old: { calls: [0, 0], time: 0 },
  new: { calls: [1, 1], time: 3_000_000 },
  byCalls: 3_000_000,
});
const GONE = change("a.gone ()", {
  calls: "changed",
  old: { calls: [3, 7], time: 5_000_000 },
  new: { calls: [0, 0], time: 0 },
  byCalls: -5_000_000,
});
const DEARER = change("a.draw ()", {
  old: { calls: [12, 12], time: 10_000_000 },
  new: { calls: [12, 12], time: 20_000_000 },
  byCost: 10_000_000,
});

function changes(list: readonly Change[], more: Partial<Changes> = {}): Changes {
  return {
    old: { file: "old.trace", runs: 1, calls: 40, total: 100_000_000, told: null },
    new: { file: "new.trace", runs: 1, calls: 44, total: 110_000_000, told: null },
    clock: "cpu",
    by: "inclusive",
    inBoth: 3,
    gone: 1,
    added: 1,
    callsVerdicts: { changed: 3, same: 9, undecided: 0 },
    noCounts: "",
    isOneSample: true,
    timeVerdicts: null,
    noTimes: "",
    median: null,
    hasOtherProcessors: false,
    hasMixedKinds: false,
    least: 0.05,
    list,
    leftOut: 0,
    callers: null,
    ...more,
  };
}

test("counts come first, then what became dearer by itself", () => {
  const whole = changes([GONE, FRESH, LOAD, DEARER]);
  const own = changes([DEARER, change("a.main ()", { byCost: 900_000 })], { by: "exclusive" });
  assert.deepEqual(
    sentencesOf(whole, own).map(
      (sentence) => `${sentence.kind}: ${sentence.method} ${sentence.text}`,
    ),
    [
      "gone: a.gone () is gone: it was called 3 to 7 times, 5.00 ms in all",
      "new: a.fresh () is new: called once, 3.00 ms in all",
      "calls: a.load () is called 14 times, 12 times before; 14.0 ms in place of 12.0 ms: +2.00 ms by calls, 0 by cost",
      "cost: a.draw () took 20.0 ms in code of its own, 10.0 ms before (+100.0 % of 10.0 ms); one sample each",
    ],
  );
});

test("of several runs a cost is told where it was tested to have changed", () => {
  const tested = { by: "exclusive", isOneSample: false } as const;
  assert.deepEqual(sentencesOf(changes([]), changes([DEARER], tested)), []);
  const [only] = sentencesOf(changes([]), changes([{ ...DEARER, time: "changed" }], tested));
  assert.equal(only?.text, "took 20.0 ms in code of its own, 10.0 ms before (+100.0 % of 10.0 ms)");
});

test("there are at most ten sentences", () => {
  const many = Array.from({ length: 30 }, (_, ix) => ({ ...LOAD, method: `a.m${ix} ()` }));
  const dear = Array.from({ length: 30 }, (_, ix) => ({ ...DEARER, method: `a.d${ix} ()` }));
  const told = sentencesOf(changes(many), changes(dear));
  assert.equal(told.length, 10);
  assert.equal(told.filter((sentence) => sentence.kind === "calls").length, 6);
});

test("new methods of nearly one time are told together", () => {
  const caller = {
    ...FRESH,
    method: "a.caller ()",
    new: { calls: [1, 1], time: 3_040_000 },
  } as const;
  const other = {
    ...FRESH,
    method: "a.other ()",
    new: { calls: [1, 1], time: 1_000_000 },
  } as const;
  assert.deepEqual(
    sentencesOf(changes([caller, FRESH, other]), null).map((sentence) => sentence.text),
    [
      "is new: called once, 3.04 ms in all; so is one more, within 2 % of that time",
      "is new: called once, 1.00 ms in all",
    ],
  );
});

test("the summary says what is not compared", () => {
  assert.equal(
    summaryText(changes([])),
    "Calls of 3 methods changed (1 new, 1 gone); of 9 they are the same. Times are one sample of each side, and decide nothing.",
  );
  assert.match(
    summaryText(changes([], { callsVerdicts: null, noCounts: "looks sampled" })),
    /^Calls are not compared: a trace looks sampled\./,
  );
  assert.equal(summaryText(changes([], { inBoth: 0 })), "The two traces have no method in common.");
  const why = "has short names of build b, and another one short names of build a";
  assert.equal(
    summaryText(changes([], { inBoth: 0, callsVerdicts: null, noCounts: why, noTimes: why })),
    `Calls are not compared: a trace ${why}. Nor are times.`,
  );
});

test("a difference has a sign, and a share needs what it is of", () => {
  assert.deepEqual([signedTime(0), signedTime(-1_500_000)], ["0", "−1.50 ms"]);
  assert.deepEqual([signedShare(5, 0), signedShare(5, 10)], ["", "−50.0 %"]);
});

test("a change of many times is told in times", () => {
  assert.deepEqual(
    [basedText(20, 10), basedText(200_000_000, 2_000_000), basedText(5, 0)],
    ["+100.0 % of 10 ns", "100 times 2.00 ms", ""],
  );
});

test("two calls of one trace have words of their own", () => {
  assert.deepEqual(
    sentencesOf(changes([LOAD, FRESH, GONE]), changes([DEARER]), OF_CALLS).map(({ text }) => text),
    [
      "is called 14 times, 12 times in the other call; 14.0 ms in place of 12.0 ms: +2.00 ms by calls, 0 by cost",
      "is called in this call alone, once, 3.00 ms in all",
      "is called in the other call alone, 3 to 7 times, 5.00 ms in all",
      "took 20.0 ms in code of its own, 10.0 ms in the other call (+100.0 % of 10.0 ms)",
    ],
  );
  assert.match(
    callsSummaryText(changes([])),
    /differs for 3 methods \(1 in this call alone, 1 in the other alone\)/,
  );
});

test("the verdict of a row is about counts where one sample says nothing of time", () => {
  assert.deepEqual(
    [LOAD, FRESH, GONE, DEARER].map((row) => verdictText(row, true)),
    ["calls +2", "new", "gone", ""],
  );
  assert.equal(
    verdictText({ ...DEARER, calls: "undecided", time: "changed" }, false),
    "calls vary, time",
  );
  const columns = changeColumns(changes([]));
  const share = columns.find((column) => column.id === "share");
  const tenfold = { ...DEARER, new: { ...DEARER.new, time: 100_000_000 } };
  assert.deepEqual([share?.text(DEARER), share?.text(tenfold)], ["+100.0 %", "× 10"]);
  assert.equal(columns.find((column) => column.id === "change")?.text(GONE), "−5.000");
});

test("where calls are not compared nothing is new or gone, and no part of a change is by calls", () => {
  const uncounted = [FRESH, GONE, { ...DEARER, byCost: 0, byCalls: 10_000_000 }].map((one) => ({
    ...one,
    calls: null,
  }));
  assert.deepEqual(
    uncounted.map((row) => verdictText(row, true)),
    ["none in old", "none in new", ""],
  );
  const sampled = changes(uncounted, { callsVerdicts: null, noCounts: "looks sampled" });
  assert.deepEqual(
    sentencesOf(sampled, { ...sampled, by: "exclusive" }).map(({ kind, difference }) => [
      kind,
      difference,
    ]),
    [
      ["time", 10_000_000],
      ["time", -5_000_000],
    ],
  );
  const ids = changeColumns(sampled).map(({ id }) => id);
  assert.ok(!ids.includes("by-calls") && !ids.includes("by-cost"));
  assert.ok(changeColumns(changes([])).some(({ id }) => id === "by-cost"));
});
