import assert from "node:assert/strict";
import test from "node:test";
import { formatCount } from "../../base/format";
import {
  availableColumns,
  COLUMNS,
  defaultColumns,
  insideCell,
  methodCell,
  shownColumns,
  type ColumnId,
  type Sort,
} from "./columns";
import { besideValue, cellChange } from "./old-columns";
import { moveColumn } from "../table/table";
import { barColumn, firstSort, isSortedBy, nextSort } from "./sort";
import { headText, insideText, methodText, profileCsv } from "./profile-text";
import { insideRows, placeOf, sliceRows, totalRows, type Opening } from "./profile-rows";
import type { Compared } from "../before";
import type { ProfileRow, Relations } from "../trace";

function row(
  rank: number,
  more: Partial<ProfileRow & Compared> = {},
): ProfileRow & Pick<Compared, "before"> {
  return {
    rank,
    id: "0x1",
    method: `A.m${rank} ()V`,
    class: "A",
    name: `m${rank}`,
    signature: "()V",
    file: "",
    line: -1,
    calls: 2,
    recursiveCalls: 0,
    inclusive: { wall: 4e6, cpu: 1e6 },
    exclusive: { wall: 2e6, cpu: 5e5 },
    ...more,
  };
}

function column(id: string) {
  const found = COLUMNS.find((known) => known.id === id);
  assert.ok(found !== undefined);
  return found;
}

const BOTH = { clocks: ["wall", "cpu"] } as const;

test("there are the old twelve columns, two for waiting, the rank, an estimate and two of allocations", () => {
  assert.equal(COLUMNS.length, 18);
  const shown = (hasOverhead: boolean) => availableColumns({ ...BOTH, hasOverhead }).length;
  assert.equal(shown(false), 15);
  assert.equal(shown(true), 16);
  assert.equal(shownColumns(null, "wall", BOTH).length, 7);
});

test("the clock in use comes first, and a missing clock's columns go", () => {
  assert.deepEqual(defaultColumns("wall", BOTH), [
    "name",
    "incl-wall",
    "excl-wall",
    "incl-cpu",
    "excl-cpu",
    "calls",
    "wall-call",
  ]);
  assert.deepEqual(defaultColumns("wall", { clocks: ["wall"] }), [
    "name",
    "incl-wall",
    "excl-wall",
    "calls",
    "wall-call",
  ]);
  assert.deepEqual(defaultColumns("wait", BOTH).slice(1, 3), ["incl-wait", "excl-wait"]);
});

test("a choice of columns keeps its order, the name in front, unknown ones out", () => {
  const ids = shownColumns(["calls", "incl-cpu", "no-such", "name"], "wall", BOTH).map(
    (shown) => shown.id,
  );
  assert.deepEqual(ids, ["name", "calls", "incl-cpu"]);
});

test("a heading sorts downwards first, names upwards, the same again turns round", () => {
  const first: Sort = { key: "inclusive", clock: "cpu", order: "desc" };
  assert.deepEqual(nextSort(first, column("excl-wall")), {
    key: "exclusive",
    clock: "wall",
    order: "desc",
  });
  assert.deepEqual(nextSort(first, column("name")), { key: "name", clock: "cpu", order: "asc" });
  assert.deepEqual(nextSort(first, column("incl-cpu")), { ...first, order: "asc" });
});

test("a profile begins with the most exclusive time on the clock in use", () => {
  for (const clock of ["wall", "cpu", "wait"] as const)
    assert.deepEqual(firstSort(clock), { key: "exclusive", clock, order: "desc" });
});

test("percent and absolute share one key", () => {
  const sort = nextSort({ key: "name", clock: "cpu", order: "asc" }, column("incl-cpu"));
  assert.equal(nextSort(sort, column("incl-cpu-percent")).order, "asc");
});

test("the bars stand beside the time that sorts", () => {
  const shown = shownColumns(null, "cpu", BOTH);
  const by = (id: ColumnId) => {
    const { key, clock } = column(id);
    return barColumn(shown, { key, clock: clock ?? "cpu", order: "desc" }, "cpu")?.id;
  };
  assert.equal(by("excl-cpu"), "excl-cpu");
  assert.equal(by("incl-wall"), "incl-wall");
  assert.equal(by("excl-cpu-percent"), "excl-cpu");
  assert.equal(by("calls"), "incl-cpu");
  assert.equal(by("excl-wait"), "incl-cpu", "a column that does not show");
});

test("a dragged column takes the place of the one it is dropped on", () => {
  assert.deepEqual(moveColumn(["a", "b", "c", "d"], "d", "b"), ["a", "d", "b", "c"]);
  assert.deepEqual(moveColumn(["a", "b", "c", "d"], "a", "c"), ["b", "c", "a", "d"]);
  assert.deepEqual(moveColumn(["a", "b"], "x", "a"), ["a", "b"]);
});

test("cells of a method", () => {
  const total = { wall: 8e6, cpu: 2e6 };
  assert.equal(methodCell(row(3), column("name"), total), "A.m3 ()V");
  assert.equal(methodCell(row(3), column("rank"), total), "3");
  assert.equal(methodCell(row(3), column("incl-wall"), total), "4.000");
  assert.equal(methodCell(row(3), column("incl-wall-percent"), total), "50.0 %");
  assert.equal(methodCell(row(3), column("incl-wait"), total), "3.000");
  const early = row(3, { inclusive: { wall: 1e6, cpu: 1.001e6 } });
  assert.equal(methodCell(early, column("incl-wait"), total), "0.000");
  assert.equal(methodCell(row(3), column("wall-call"), total), "2.000");
  assert.equal(methodCell(row(3), column("calls"), total), "2");
  assert.equal(methodCell(row(3, { recursiveCalls: 18_560 }), column("calls"), total), "2+18,560");
  assert.equal(methodCell(row(3, { inclusive: { wall: 1e6 } }), column("incl-cpu"), total), "");
});

test("inside a method only inclusive times show, as shares of the method's own", () => {
  const context = { wall: 4e6, cpu: 1e6 };
  assert.equal(insideCell({ wall: 1e6 }, { calls: 14, of: 26 }, column("calls"), context), "14/26");
  assert.equal(insideCell({ wall: 1e6 }, null, column("calls"), context), "");
  assert.equal(insideCell({ wall: 1e6 }, null, column("incl-wall-percent"), context), "25.0 %");
  assert.equal(insideCell({ wall: 1e6 }, null, column("excl-wall"), context), "");
});

function relations(): Relations {
  const one = { ...row(8), ofCalls: 2 };
  return {
    total: { wall: 2e6 },
    method: row(1),
    self: { wall: 1e6 },
    callers: [one],
    callees: [one, one],
    callersRecursive: [one],
    calleesRecursive: [],
  };
}

test("opening shows callers and callees with the exclusive time, and the recursive groups closed", () => {
  const rows = insideRows({ rank: 1, groups: new Set(["callers", "callees"]) }, relations());
  assert.deepEqual(
    rows.map((inside) => inside.kind),
    ["group", "relation", "group", "self", "relation", "relation", "group"],
  );
});

test("groups without members are left out", () => {
  const rows = insideRows({ rank: 1, groups: new Set() }, relations());
  assert.equal(rows.length, 3);
});

test("the screen's rows are cut from methods and opened groups alike", () => {
  const inside = insideRows({ rank: 1, groups: new Set(["callers"]) }, relations());
  const openings: Opening[] = [{ index: 1, rows: inside }];
  assert.equal(totalRows(5, openings), 5 + inside.length);
  const all = sliceRows(5, openings, 0, 100);
  assert.equal(all.length, 5 + inside.length);
  assert.deepEqual(
    all.map((shown) => (shown.kind === "method" ? shown.index : shown.kind)),
    [0, 1, "group", "relation", "group", "group", 2, 3, 4],
  );
  for (let first = 0; first < all.length; first++)
    assert.deepEqual(sliceRows(5, openings, first, first + 3), all.slice(first, first + 3));
  assert.equal(placeOf(2, openings), 2 + inside.length);
  assert.equal(placeOf(1, openings), 1);
});

test("the Profile as CSV has a heading and a line for each method", () => {
  assert.equal(profileCsv([row(1)]).split("\r\n").length, 3);
});

test("a sampled trace has runs where others have calls", () => {
  const labels = availableColumns({ ...BOTH, sampled: true }).map((one) => one.label);
  assert.ok(labels.includes("Runs+Recur"));
  assert.ok(labels.includes("Wall / run, ms"));
  assert.ok(labels.every((label) => !/call/i.test(label)));
});

test("the estimate is marked as one, cannot sort, and is absent where unknown", () => {
  const estimate = column("overhead");
  assert.equal(methodCell(row(1, { overhead: { ns: 1500 } }), estimate, {}), "≈ 0.0015");
  assert.equal(methodCell(row(1), estimate, {}), "");
  const sort: Sort = { key: "name", clock: "wall", order: "asc" };
  assert.equal(nextSort(sort, estimate), sort);
  assert.equal(isSortedBy(sort, estimate), false);
});

test("allocated bytes have columns where the trace tells them, in kB, and cannot sort", () => {
  const kind = { ...BOTH, hasAllocated: true };
  assert.deepEqual(
    availableColumns(BOTH).filter(({ id }) => id.startsWith("alloc")),
    [],
  );
  const columns = shownColumns(null, "cpu", kind).slice(3, 5);
  assert.deepEqual(
    columns.map(({ id, isUnsorted }) => [id, isUnsorted]),
    [
      ["alloc", true],
      ["alloc-incl", true],
    ],
  );
  const allocating = row(1, { allocated: { own: 1_500, all: 64_000_400 } });
  assert.equal(methodText(allocating, columns, {}), `2\t${formatCount(64_000)}`);
  assert.equal(methodText(row(2, { allocated: { own: 0, all: 0 } }), columns, {}), "0\t0");
  assert.equal(methodText(row(3), columns, {}), "\t");
});

test("rows as text have the full name and the cells of the columns shown", () => {
  const columns = shownColumns(["incl-wall", "calls"], "wall", BOTH);
  assert.equal(headText(columns), "Name\tIncl Wall, ms\tCalls+Recur");
  assert.equal(methodText(row(3), columns, {}), "A.m3 ()V\t4.000\t2");
  assert.equal(
    insideText({ kind: "self", of: 3, times: { wall: 1e6 }, context: { wall: 4e6 } }, columns),
    "    exclusive\t1.000\t",
  );
});

test("beside another trace each number stands with what it was", () => {
  const kind = { ...BOTH, isCompared: true };
  const shown = shownColumns(null, "cpu", kind);
  assert.deepEqual(
    shown.map(({ id }) => id),
    [
      "name",
      "changed",
      "excl-cpu",
      "old-excl",
      "change-excl",
      "incl-cpu",
      "old-incl",
      "change-incl",
      "calls",
      "old-calls",
    ],
  );
  assert.equal(
    availableColumns(BOTH).some(({ id }) => id.startsWith("old")),
    false,
  );
  const before = {
    numbers: { calls: 1, recursiveCalls: 0, inclusive: { cpu: 3e6 }, exclusive: { cpu: 5e5 } },
    isMerged: false,
    isCounted: true,
  };
  const cells = shown.map((one) => methodCell(row(1, { before }), one, {}));
  assert.deepEqual(cells.slice(1), [
    "calls +1",
    "0.500",
    "0.500",
    "0.000",
    "1.000",
    "3.000",
    "−2.000",
    "2",
    "1",
  ]);
  assert.deepEqual(
    shown.map((one) => cellChange(row(1, { before }), one)),
    [0, 0, 0, 0, 0, 0, 0, -2e6, 0, 0],
  );
  const values = (["changed", "old-calls", "old-inclusive", "change-exclusive"] as const).map(
    (key) => besideValue(row(1, { before }), key, "cpu"),
  );
  assert.deepEqual(values, [1, 1, 3e6, 0]);
  assert.equal(besideValue(row(1), "changed", "cpu"), undefined);
  // A press sorts on the clock of the column, from the largest on.
  const sorted = nextSort(firstSort("wall"), shown[7] ?? column("calls"));
  assert.deepEqual(sorted, { key: "change-inclusive", clock: "cpu", order: "desc" });
  // Nothing was asked for yet.
  assert.equal(methodCell(row(1), shown[3] ?? column("calls"), {}), "");
});
