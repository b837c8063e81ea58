import assert from "node:assert/strict";
import test from "node:test";
import { callsColumns, callsSortQuery, timesMedian, type CallsContext } from "./calls-columns";
import { callWords } from "./words";
import { measuresOf } from "./column-kinds";
import { sortRows } from "./table";
import { threadColumns } from "./trace-columns";
import { flattenTree, parentRow, type TreeRow } from "./tree";
import { treeColumns, treeSortQuery } from "./tree-columns";
import type { CallRow, Method, TraceInfo, TreeLevel, TreeNode } from "./trace";

function method(rank: number): Method {
  return {
    rank,
    id: "",
    method: `m${rank} ()V`,
    class: "",
    name: `m${rank}`,
    signature: "()V",
    file: "",
    line: -1,
  };
}

function node(rank: number, wall: number, hasChildren = false): TreeNode {
  return {
    method: method(rank),
    calls: rank,
    inclusive: { wall },
    exclusive: { wall: wall / 2 },
    hasChildren,
  };
}

const LEVELS: ReadonlyMap<string, TreeLevel> = new Map([
  ["", { total: { wall: 10e6 }, nodes: [node(1, 6e6, true), node(2, 4e6)], more: 3 }],
  ["1", { total: { wall: 10e6 }, nodes: [node(3, 5e6)], more: 0, rest: 1e6 }],
]);

const WALL = {
  clocks: ["wall"],
  measure: "wall",
  total: { wall: 10e6 },
  isInverted: false,
  isSampled: false,
} as const;

test("a missing clock has no column in the tree, a sampled trace counts runs", () => {
  const ids = treeColumns(WALL).map((column) => column.id);
  assert.deepEqual(ids, [
    "name",
    "incl-wall",
    "incl-wall-percent",
    "excl-wall",
    "calls",
    "per-call",
    "depth",
  ]);
  const sampled = treeColumns({ ...WALL, isSampled: true });
  assert.equal(sampled.find((column) => column.id === "calls")?.label, "Runs");
  assert.equal(callWords(true).many, "runs");
});

test("siblings sort within their parent, and what is left out stays last", () => {
  const columns = treeColumns(WALL);
  const rows = flattenTree([], LEVELS, new Set(["1"]), (siblings) =>
    sortRows(siblings, columns, { column: "incl-wall", order: "asc" }),
  );
  const told = rows.map((row) => (row.kind === "node" ? row.node.method.rank : row.kind));
  assert.deepEqual(told, [2, 1, 3, "more", "more"]);
  assert.equal(parentRow(rows, 2), 1);
  assert.equal(parentRow(rows, 0), null);
  const cells = (row: TreeRow | undefined): string[] =>
    row === undefined ? [] : columns.slice(0, 5).map((column) => column.text(row));
  assert.deepEqual(cells(rows[2]), ["  m3 ()V", "5.000", "50.0 %", "2.500", "3"]);
  assert.deepEqual(cells(rows[3]), ["", "", "", "", ""]);
});

test("a tree's sort in the program's words", () => {
  assert.deepEqual(treeSortQuery(null), {});
  assert.deepEqual(treeSortQuery({ column: "incl-cpu-percent", order: "asc" }), {
    sort: "inclusive",
    by: "cpu",
    order: "asc",
  });
  assert.deepEqual(treeSortQuery({ column: "per-call", order: "desc" }), {
    sort: "per-call",
    order: "desc",
  });
});

const CALLS: CallsContext = {
  clocks: ["wall", "cpu"],
  measure: "cpu",
  median: 1e6,
  isSampled: false,
  threadName: (id) => `t${id}`,
};

const CALL: CallRow = {
  thread: 7,
  depth: 0,
  call: 0,
  rank: 0,
  start: 1.5e6,
  end: 20e6,
  times: { wall: 18.5e6, cpu: 14e6 },
  exclusive: { wall: 2e6, cpu: 1e6 },
  ordinal: 9,
};

test("a wait below nought is 0 on the screen and exact in a file", () => {
  const columns = treeColumns({ ...WALL, clocks: ["wall", "cpu"], measure: "wait" });
  const early: TreeNode = { ...node(1, 6e6), exclusive: { wall: 3e6, cpu: 3.001e6 } };
  const row: TreeRow = { kind: "node", path: [1], depth: 0, node: early };
  const wait = columns.find((column) => column.id === "excl-wait");
  assert.equal(wait?.text(row), "0.000");
  assert.equal(wait?.value(row), -1000);
});

test("a call's cells: its times on each clock, and how many medians", () => {
  const cells = callsColumns(CALLS).map((column) => column.text(CALL));
  assert.deepEqual(cells, ["10", "t7", "1.500", "18.500", "14.000", "4.500", "1.000", "14×", "1"]);
  assert.equal(timesMedian(CALL, CALLS), 14);
  assert.equal(timesMedian(CALL, { ...CALLS, median: 0 }), 0);
  const one = callsColumns({ ...CALLS, clocks: ["wall"], measure: "wall" });
  assert.ok(one.every((column) => column.id !== "cpu" && column.id !== "wait"));
});

test("calls sort in the program, slowest first at first", () => {
  assert.deepEqual(callsSortQuery(null, "wall"), { sort: "slowest" });
  assert.deepEqual(callsSortQuery({ column: "times", order: "asc" }, "cpu"), {
    sort: "cpu",
    order: "asc",
  });
  assert.deepEqual(callsSortQuery({ column: "depth", order: "asc" }, "cpu"), { sort: "slowest" });
});

test("the clock in use comes first, and waiting needs both clocks", () => {
  assert.deepEqual(measuresOf(["wall", "cpu"], "cpu"), ["cpu", "wall", "wait"]);
  assert.deepEqual(measuresOf(["cpu"], "cpu"), ["cpu"]);
});

test("a thread without records has no times, not zeros", () => {
  const info = { clocks: ["wall"], sampled: false } as const;
  const columns = threadColumns({ ...EMPTY, ...info });
  const idle = { id: 3, name: "", records: 0, calls: 0, maxDepth: 0, times: { wall: 0 } };
  const cells = columns.map((column) => column.text({ ...idle, first: 0, last: 0 }));
  assert.deepEqual(cells, ["thread 3", "3", "0", "0", "0", "", "", ""]);
});

const EMPTY: TraceInfo = {
  file: "",
  format: "",
  vm: "",
  clocks: [],
  sampled: false,
  startTime: 0,
  overflow: false,
  properties: [],
  records: 0,
  calls: 0,
  methods: 0,
  total: {},
  threads: [],
  findings: [],
  defaultClock: "wall",
  axis: "wall",
  hasCommonAxis: true,
  span: 0,
};
