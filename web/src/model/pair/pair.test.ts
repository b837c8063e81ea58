import assert from "node:assert/strict";
import test from "node:test";
import type { Changes } from "../changes/changes";
import type { Detail, DetailRow } from "../detail/detail";
import { sortRows } from "../table/table";
import { flattenTree } from "../tree/tree";
import type { CallDetail, Method, PlacedCall, TreeLevel, TreeNode } from "../trace";
import { pairColumns } from "./pair-columns";
import { callLayout, joinedMoments, stackHeight, topOf } from "./pair-picture";
import { pairNotes, pairSpan, pairText } from "./pair-text";
import {
  mostChanged,
  otherPath,
  pairChange,
  pairLevel,
  pairRoot,
  pairTime,
  type PairRow,
} from "./pair-tree";

function method(rank: number): Method {
  const name = `m${rank}`;
  const text = { id: "", method: `a.B.${name} ()V`, class: "a.B", name, signature: "()V" };
  return { rank, ...text, file: "", line: 0 };
}

function node(rank: number, calls: number, wall: number, hasChildren = false): TreeNode {
  const exclusive = { wall: wall / 2, cpu: wall / 4 };
  return {
    method: method(rank),
    calls,
    inclusive: { wall, cpu: wall / 2 },
    exclusive,
    hasChildren,
  };
}

function level(nodes: readonly TreeNode[], more = 0): TreeLevel {
  return { total: { wall: 10e6 }, nodes, more };
}

function call(over: Partial<CallDetail> = {}): CallDetail {
  return {
    ...{ level: 1, thread: 1, depth: 1, call: 0, rank: 1, start: 1e6, end: 5e6, ordinal: 0 },
    times: { wall: 4e6, cpu: 2e6 },
    exclusive: { wall: 1e6, cpu: 1e6 },
    ...{ method: method(1), of: 14, median: 1e6, medianClock: "wall" },
    ...{ isOpenAtEnd: false, isAdopted: false, isWaiting: false, stack: [0, 1] },
    ...over,
  };
}

const OWN = level([node(2, 3, 8e6, true), node(3, 1, 1e6)]);
const OTHER = level([node(2, 1, 2e6), node(4, 2, 5e6)]);

test("both trees are one: what one call alone has stands there, with nothing on the other side", () => {
  const both = pairLevel(OWN, OTHER);
  const told = both.nodes.map((one) => [
    one.method.rank,
    one.hasChildren,
    pairTime(one, "this", "inclusive", "wall"),
    pairTime(one, "other", "inclusive", "wall"),
    pairChange(one, "exclusive", "cpu"),
  ]);
  assert.deepEqual(told, [
    [2, true, 8e6, 2e6, 1.5e6],
    [4, false, 0, 5e6, -1.25e6],
    [3, false, 1e6, 0, 0.25e6],
  ]);
  const [alone] = pairLevel(null, OTHER).nodes;
  assert.equal(alone?.this, null);
  const waits = both.nodes.map((one) => pairChange(one, "inclusive", "wait"));
  assert.deepEqual(waits, [3e6, -2.5e6, 0.5e6], "wall less CPU");
});

test("what a list has no room for is not told, and never taken for nothing", () => {
  const [first] = pairLevel(level([], 7), OTHER).nodes;
  assert.equal(first?.this, undefined);
  assert.ok(first !== undefined);
  assert.equal(pairChange(first, "inclusive", "wall"), undefined);
});

test("the calls themselves are one row, of two methods, too", () => {
  const root = pairRoot(level([node(1, 1, 9e6)]), level([node(5, 1, 3e6, true)]));
  assert.equal(root.nodes.length, 1);
  assert.equal(root.nodes[0]?.method.rank, 1);
  assert.equal(root.nodes[0]?.isOfTwo, true);
  assert.equal(root.nodes[0]?.hasChildren, true, "the other one called something");
  assert.deepEqual(otherPath([1, 2, 3], 5), [5, 2, 3]);
  assert.deepEqual(otherPath([], 5), []);
});

test("the way of the change leads to what has most of it, also where the other call has more", () => {
  const both = pairLevel(OWN, OTHER);
  assert.deepEqual(mostChanged(both, 2e6, 0.5, "wall"), { rank: 2, change: 6e6 });
  assert.deepEqual(mostChanged(pairLevel(null, OTHER), -7e6, 0.5, "wall")?.rank, 4);
  assert.equal(mostChanged(both, 100e6, 0.5, "wall"), null, "nothing has a half");
  assert.equal(mostChanged(pairLevel(OTHER, OTHER), 0, 0.5, "wall"), null, "nothing differs");
});

const rowsOf = (isSampled: boolean, column: string): PairRow[] => {
  const levels = new Map([["", pairLevel(OWN, OTHER)]]);
  return flattenTree([], levels, new Set<string>(), (siblings) =>
    sortRows(siblings, pairColumns("wall", isSampled), { column, order: "desc" }),
  );
};

const cells = (
  rows: readonly PairRow[],
  isSampled: boolean,
  ids: readonly string[],
): string[][] => {
  const columns = pairColumns("wall", isSampled);
  return rows.map((row) => ids.map((id) => columns.find((one) => one.id === id)?.text(row) ?? "?"));
};

test("rows stand by the size of the change, with its base on both sides", () => {
  const ids = [
    "name",
    "differs",
    "this-incl",
    "other-incl",
    "change-incl",
    "this-calls",
    "other-calls",
  ];
  assert.deepEqual(cells(rowsOf(false, "change-incl"), false, ids), [
    ["a.B.m2 ()V", "calls +2", "8.000", "2.000", "+6.000", "3", "1"],
    ["a.B.m4 ()V", "other alone", "0.000", "5.000", "−5.000", "0", "2"],
    ["a.B.m3 ()V", "this alone", "1.000", "0.000", "+1.000", "1", "0"],
  ]);
  assert.equal(rowsOf(false, "differs")[0]?.kind, "node");
});

test("samples are no calls: only who has any is told", () => {
  assert.deepEqual(cells(rowsOf(true, "change-incl"), true, ["differs"]), [
    [""],
    ["other alone"],
    ["this alone"],
  ]);
  const labels = pairColumns("wall", true).map(({ label }) => label);
  assert.ok(labels.includes("This runs"));
});

test("both are as long as the longer one, from the start of both", () => {
  assert.deepEqual(pairSpan({ old: call({ start: 0, end: 9e6 }), new: call() }), {
    from: 0,
    to: 9e6,
  });
  assert.deepEqual(pairSpan({ old: call({ end: 1e6 }), new: call({ end: 1e6 }) }), {
    from: 0,
    to: 1,
  });
});

test("what is to be known of two calls is said, and of plain ones nothing", () => {
  assert.deepEqual(pairNotes({ old: call({ start: 9e6, end: 12e6 }), new: call() }, false), []);
  const inner = call({ depth: 3, start: 2e6, end: 3e6, stack: [0, 1, 7, 1] });
  assert.match(pairNotes({ old: inner, new: call() }, false).join(), /other call lies within this/);
  assert.match(pairNotes({ old: call(), new: inner }, false).join(), /This call lies within the/);
  // Of a deep stack only the end is told.
  const deep = call({ ...inner, depth: 5000 });
  assert.match(pairNotes({ old: call(), new: deep }, false).join(), /This call lies within the/);
  const elsewhere = call({ ...inner, thread: 2 });
  assert.deepEqual(pairNotes({ old: elsewhere, new: call() }, false), []);
  const cut = pairNotes(
    { old: call({ isAdopted: true }), new: call({ isOpenAtEnd: true }) },
    false,
  );
  assert.deepEqual(cut, [
    "This call was open at the end of the trace: it is longer than is told.",
    "The other call began before the trace: it is longer than is told.",
  ]);
  const two = pairNotes({ old: call({ rank: 2 }), new: call() }, true);
  assert.match(two.join(" "), /runs of two methods.*one of samples/);
});

const NOTHING = { methods: 0, ns: 0 };
const at = (start: number, end: number): PlacedCall => ({
  thread: 1,
  depth: 2,
  call: 0,
  start,
  end,
});
const part = (rank: number, longest: PlacedCall | null): DetailRow => ({
  ...{
    method: method(rank),
    calls: 1,
    inclusive: {},
    exclusive: {},
    wait: 0,
    passedOn: 0,
    longest,
  },
});
const detail = (parts: readonly DetailRow[]): Detail => ({
  ...{ total: {}, calls: 1, inclusive: {}, exclusive: {}, self: {}, parts, moreParts: 0, path: [] },
  ...{ waits: [], idle: 0, moreWaits: NOTHING, smallWaits: NOTHING, hiddenWait: 0, unrecorded: 0 },
});

test("lines join the longest call of what both called, each from its own start", () => {
  const moments = joinedMoments(
    { call: call({ start: 1e6 }), detail: detail([part(2, at(2e6, 4e6)), part(3, at(4e6, 5e6))]) },
    { call: call({ start: 50e6 }), detail: detail([part(2, at(50e6, 51e6)), part(9, null)]) },
  );
  assert.deepEqual(moments, [
    { this: 1e6, other: 0 },
    { this: 3e6, other: 1e6 },
  ]);
});

test("the rows of a call begin with the call", () => {
  const thread = {
    id: 1,
    name: "main",
    records: 2,
    calls: 1,
    maxDepth: 6,
    times: {},
    first: 0,
    last: 1,
  };
  const layout = callLayout(thread);
  assert.equal(layout.rows[0]?.depths, 6);
  assert.equal(topOf(layout, { depth: 3 }) - topOf(layout, { depth: 2 }), 19);
  assert.equal(stackHeight(thread, { depth: 4 }), 2 * 19);
  assert.equal(stackHeight(thread, { depth: 9 }), 19, "never less than the call");
});

test("as text: both calls, the change with its base, waits, and the tree", () => {
  const side = { file: "x", runs: 1, calls: 3, told: null };
  const changes: Changes = {
    ...{ clock: "wall", by: "inclusive", inBoth: 1, gone: 0, added: 0, callsVerdicts: null },
    ...{
      noCounts: "",
      isOneSample: true,
      timeVerdicts: null,
      noTimes: "",
      median: null,
      hasOtherProcessors: false,
      hasMixedKinds: false,
    },
    ...{ least: 0.05, list: [], leftOut: 0, callers: null },
    old: { ...side, total: 2e6 },
    new: { ...side, total: 8e6 },
  };
  const text = pairText({
    pair: { old: call({ ordinal: 5 }), new: call() },
    changes,
    sentences: [{ kind: "new", method: "a.B.m2 ()V", text: "is called here", difference: 6e6 }],
    notes: ["A note."],
    waits: { this: { text: "Waited 1 ms.", meanwhile: "" }, other: { text: "", meanwhile: "" } },
    rows: rowsOf(false, "change-incl"),
    measure: "wall",
    isSampled: false,
    nameOf: () => "main",
  });
  assert.deepEqual(text.split("\n"), [
    "This: a.B.m1, call 1 of 14, on main, 8.00 ms",
    "Other: a.B.m1, call 6 of 14, on main, 2.00 ms",
    "+6.00 ms (+300.0 % of 2.00 ms) of wall time.",
    "A note.",
    "- +6.00 ms a.B.m2 is called here.",
    "This call: Waited 1 ms.",
    "Inclusive wall time, along each path:",
    "  +6.00 ms (8.00 ms, other 2.00 ms) a.B.m2",
    "  −5.00 ms (0, other 5.00 ms) a.B.m4",
    "  +1.00 ms (1.00 ms, other 0) a.B.m3",
  ]);
});
