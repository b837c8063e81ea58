import assert from "node:assert/strict";
import test from "node:test";
import {
  barredColumn,
  cursorKey,
  filterRows,
  isMarked,
  nextTableSort,
  NO_CURSOR,
  shownTableColumns,
  sortRows,
  tableCsv,
  tableText,
  type TableColumn,
} from "./table";

interface Row {
  readonly name: string;
  readonly ns?: number;
}

const NAME: TableColumn<Row> = {
  id: "name",
  label: "Name",
  title: "",
  csv: "name",
  width: 0,
  isText: true,
  isUsual: true,
  value: (row) => row.name,
  text: (row) => row.name,
};
const TIME: TableColumn<Row> = {
  id: "time",
  label: "Time, ms",
  title: "",
  csv: "time_ns",
  width: 90,
  isUsual: false,
  value: (row) => row.ns,
  text: (row) => (row.ns === undefined ? "" : (row.ns / 1e6).toFixed(3)),
};
const COLUMNS = [NAME, TIME];
const ROWS: readonly Row[] = [
  { name: "b", ns: 2e6 },
  { name: "none" },
  { name: "A", ns: 10e6 },
  { name: "c", ns: 2e6 },
];

const names = (rows: readonly Row[]): string => rows.map((row) => row.name).join(" ");

test("rows sort by value, equal ones stay, unknown ones come last either way", () => {
  assert.equal(names(sortRows(ROWS, COLUMNS, { column: "time", order: "desc" })), "A b c none");
  assert.equal(names(sortRows(ROWS, COLUMNS, { column: "time", order: "asc" })), "b c A none");
  assert.equal(sortRows(ROWS, COLUMNS, null), ROWS);
});

test("numbers begin at the largest, names at A, a second press turns round", () => {
  const first = nextTableSort(null, TIME);
  assert.deepEqual(first, { column: "time", order: "desc" });
  assert.deepEqual(nextTableSort(first, TIME), { column: "time", order: "asc" });
  assert.deepEqual(nextTableSort(first, NAME), { column: "name", order: "asc" });
});

test("the filter looks in every column, and at case only when the text has some", () => {
  assert.equal(names(filterRows(ROWS, COLUMNS, "a")), "A");
  assert.equal(names(filterRows(ROWS, COLUMNS, "B")), "");
  assert.equal(names(filterRows(ROWS, COLUMNS, "2.0")), "b c");
});

test("chosen columns stand in their own order behind the first", () => {
  assert.deepEqual(
    shownTableColumns(COLUMNS, undefined).map((column) => column.id),
    ["name"],
  );
  assert.deepEqual(
    shownTableColumns(COLUMNS, ["time"]).map((column) => column.id),
    ["name", "time"],
  );
});

test("rows as text keep their columns, as CSV their units", () => {
  const rows = [{ name: "a\tb\n", ns: 1_500_000 }, { name: '=1,"' }];
  assert.equal(tableText(rows, COLUMNS, true), 'Name\tTime, ms\na b \t1.500\n=1,"\t');
  assert.equal(tableCsv(rows, COLUMNS), 'name,time_ns\r\n"a\tb\n",1500000\r\n"\'=1,""",\r\n');
});

test("keys move the cursor, and Shift holds its other end", () => {
  const first = cursorKey(NO_CURSOR, 3, "ArrowDown", false) ?? NO_CURSOR;
  assert.deepEqual(first, { at: 0, anchor: 0 });
  const two = cursorKey(first, 3, "ArrowDown", true) ?? NO_CURSOR;
  assert.deepEqual(two, { at: 1, anchor: 0 });
  assert.deepEqual(
    [0, 1, 2].map((ix) => isMarked(two, ix)),
    [true, true, false],
  );
  assert.deepEqual(cursorKey(two, 3, "End", false), { at: 2, anchor: 2 });
  assert.deepEqual(cursorKey(two, 3, "PageUp", false), { at: 0, anchor: 0 });
  assert.equal(cursorKey(two, 3, "x", false), null);
  assert.equal(cursorKey(NO_CURSOR, 0, "End", false), null);
  assert.equal(isMarked(NO_CURSOR, -1), false);
});

test("the bars stand beside the time that sorts, else in the usual column", () => {
  const shown = [
    { id: "name" },
    { id: "incl-cpu" },
    { id: "excl-cpu" },
    { id: "excl-cpu-percent" },
    { id: "excl-wall-percent" },
    { id: "method-incl-cpu" },
  ];
  const by = (column: string) => barredColumn(shown, { column, order: "desc" }, "incl-cpu");
  assert.equal(by("excl-cpu"), "excl-cpu");
  assert.equal(by("excl-cpu-percent"), "excl-cpu");
  assert.equal(by("excl-wall-percent"), "excl-wall-percent", "the time beside it does not show");
  assert.equal(by("method-incl-cpu"), "method-incl-cpu", "of Callers");
  assert.equal(by("calls"), "incl-cpu");
  assert.equal(by("excl-wall"), "incl-cpu", "a column that does not show");
  assert.equal(barredColumn(shown, null, "incl-cpu"), "incl-cpu");
});
