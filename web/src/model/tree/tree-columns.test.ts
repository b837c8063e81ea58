import assert from "node:assert/strict";
import test from "node:test";
import { callWords } from "../words";
import { nextTableSort, sortRows } from "../table/table";
import { flattenTree, parentRow, type TreeRow } from "./tree";
import { nodeChange, treeColumns, treeSortQuery } from "./tree-columns";
import type { Method, TreeLevel, TreeNode } from "../trace";

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

test("upwards, exclusive time along the path and the method's inclusive time stand side by side", () => {
  const columns = treeColumns({ ...WALL, isInverted: true });
  const [row] = flattenTree(
    [],
    new Map([
      [
        "",
        {
          total: { wall: 10e6 },
          nodes: [{ ...node(1, 2e6), methodInclusive: { wall: 9e6 } }],
          more: 0,
        },
      ],
    ]),
    new Set(),
    (siblings) => siblings,
  );
  const told = new Map(
    row === undefined ? [] : columns.map((each) => [each.label, each.text(row)]),
  );
  assert.equal(told.get("Excl Wall, ms"), "2.000");
  assert.equal(told.get("Incl Wall, ms"), "9.000");
  assert.notEqual(columns.find((each) => each.id === "method-incl-wall")?.isUnsorted, true);
});

test("a tree's sort in the program's words", () => {
  assert.deepEqual(treeSortQuery(null), {});
  assert.deepEqual(treeSortQuery({ column: "incl-cpu-percent", order: "asc" }), {
    sort: "inclusive",
    by: "cpu",
    order: "asc",
  });
  assert.deepEqual(treeSortQuery({ column: "method-incl-cpu", order: "desc" }), {
    sort: "method-inclusive",
    by: "cpu",
    order: "desc",
  });
  assert.deepEqual(treeSortQuery({ column: "per-call", order: "desc" }), {
    sort: "per-call",
    order: "desc",
  });
});

test("a wait below nought is 0 on the screen and exact in a file", () => {
  const columns = treeColumns({ ...WALL, clocks: ["wall", "cpu"], measure: "wait" });
  const early: TreeNode = { ...node(1, 6e6), exclusive: { wall: 3e6, cpu: 3.001e6 } };
  const row: TreeRow = { kind: "node", path: [1], depth: 0, node: early };
  const wait = columns.find((column) => column.id === "excl-wait");
  assert.equal(wait?.text(row), "0.000");
  assert.equal(wait?.value(row), -1000);
});

test("beside another trace a node has what it was, and siblings are sorted by that", () => {
  const columns = treeColumns({ ...WALL, isCompared: true });
  const ids = columns.map((column) => column.id);
  assert.deepEqual(ids.slice(0, 6), [
    "name",
    "incl-wall",
    "changed",
    "old-time",
    "change",
    "old-calls",
  ]);
  assert.ok(columns.every((column) => column.isUnsorted !== true));
  const numbers = { calls: 1, recursiveCalls: 0, inclusive: { wall: 4e6 }, exclusive: {} };
  const before = { numbers, isMerged: false, isCounted: true };
  const row: TreeRow = {
    kind: "node",
    path: [3],
    depth: 0,
    node: { ...node(3, 5e6), ...{ before } },
  };
  assert.deepEqual(
    columns.slice(1, 6).map((column) => column.text(row)),
    ["5.000", "calls +2", "4.000", "+1.000", "1"],
  );
  assert.equal(nodeChange(row, "change", "wall"), 1e6);
  assert.equal(nodeChange(row, "old-time", "wall"), 0);
  const unknown: TreeRow = { kind: "node", path: [3], depth: 0, node: node(3, 5e6) };
  const added = { numbers: null, isMerged: false, isCounted: true };
  const fresh: TreeRow = { ...row, node: { ...node(4, 9e6), ...{ before: added } } };
  for (const column of ["changed", "change"])
    assert.deepEqual(
      sortRows([unknown, row, fresh], columns, { column, order: "desc" }),
      [fresh, row, unknown],
      column,
    );
  assert.deepEqual(sortRows([fresh, row], columns, { column: "old-calls", order: "desc" }), [
    row,
    fresh,
  ]);
  const changed = columns[2];
  assert.ok(changed !== undefined);
  assert.deepEqual(nextTableSort(null, changed), { column: "changed", order: "desc" });
  // The program is asked in its own order, for all siblings.
  assert.deepEqual(treeSortQuery({ column: "change", order: "asc" }), {});
  assert.deepEqual(
    columns.slice(2, 6).map((column) => column.text(unknown)),
    ["", "", "", ""],
  );
});
