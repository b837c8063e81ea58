import assert from "node:assert/strict";
import test from "node:test";
import { callsColumns, callsSortQuery, timesMedian, type CallsContext } from "./calls-columns";
import type { CallRow } from "../trace";

const CALLS: CallsContext = {
  clocks: ["wall", "cpu"],
  measure: "cpu",
  median: 1e6,
  isSampled: false,
  span: 5e9,
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

test("a call's cells: its times on each clock, and how many medians", () => {
  const cells = callsColumns(CALLS).map((column) => column.text(CALL));
  assert.deepEqual(cells, ["10", "t7", "1.500", "18.500", "14.000", "4.500", "1.000", "14×", "1"]);
  assert.equal(timesMedian(CALL, CALLS), 14);
  assert.equal(timesMedian(CALL, { ...CALLS, median: 0 }), 0);
  const one = callsColumns({ ...CALLS, clocks: ["wall"], measure: "wall" });
  assert.ok(one.every((column) => column.id !== "cpu" && column.id !== "wait"));
  const waits = callsColumns({ ...CALLS, measure: "wait", median: 0 });
  assert.deepEqual(
    waits.map((column) => column.id),
    callsColumns(CALLS).flatMap((column) => (column.id === "times" ? [] : [column.id])),
  );
});

test("calls sort in the program, slowest first at first", () => {
  assert.deepEqual(callsSortQuery(null, "wall"), { sort: "slowest" });
  assert.deepEqual(callsSortQuery({ column: "times", order: "asc" }, "cpu"), {
    sort: "cpu",
    order: "asc",
  });
  assert.deepEqual(callsSortQuery({ column: "depth", order: "asc" }, "cpu"), { sort: "slowest" });
});
