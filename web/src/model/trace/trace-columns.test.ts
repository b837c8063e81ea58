import assert from "node:assert/strict";
import test from "node:test";
import type { TraceInfo } from "../trace";
import { threadColumns } from "./trace-columns";

const EMPTY: TraceInfo = {
  file: "",
  format: "",
  vm: "",
  clocks: [],
  hasIdleCpu: false,
  sampled: false,
  isCpuOfBefore: false,
  startTime: 0,
  overflow: false,
  properties: [],
  records: 0,
  calls: 0,
  methods: 0,
  total: {},
  processes: [],
  threads: [],
  findings: [],
  defaultClock: "wall",
  axis: "wall",
  hasCommonAxis: true,
  hash: null,
  span: 0,
};

test("a thread without records has no times, not zeros", () => {
  const info = { clocks: ["wall"], sampled: false } as const;
  const columns = threadColumns({ ...EMPTY, ...info });
  const idle = { id: 3, name: "", records: 0, calls: 0, maxDepth: 0, times: { wall: 0 } };
  const cells = columns.map((column) => column.text({ ...idle, first: 0, last: 0 }));
  assert.deepEqual(cells, ["thread 3", "3", "0", "0", "0", "", "", ""]);
});
