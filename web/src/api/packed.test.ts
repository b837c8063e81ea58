import assert from "node:assert/strict";
import test from "node:test";
import { BadAnswer } from "./check";
import { decodeCalls } from "./decode-calls";
import {
  decodeInfo,
  decodeOrder,
  decodeProfile,
  decodeRelations,
  decodeTree,
  leftOutOf,
} from "./decode";
import { decodeChangeFlame, decodeFlame, decodeWindow } from "./packed";

const ROW_BYTES = 16;
const FROM = 1_000_000_000_000;

// A window answer of one row with boxes of 5 ns, written as docs/api.md says: ranks of two bytes, other
// numbers of one, and CPU shares.
function windowBytes(starts: readonly number[]): ArrayBuffer {
  const count = starts.length;
  const round = (bytes: number): number => (bytes + 7) & ~7;
  const startAt = 64 + ROW_BYTES;
  const endAt = startAt + round(count * 4);
  const rankAt = endAt + round(count * 4);
  const callAt = rankAt + round(count * 2) + 2 * round(count);
  const flagsAt = callAt + round(count);
  const buffer = new ArrayBuffer(flagsAt + 2 * round(count));
  const view = new DataView(buffer);
  [..."TVW2"].forEach((letter, ix) => view.setUint8(ix, letter.charCodeAt(0)));
  view.setUint32(4, 7, true);
  view.setFloat64(8, FROM, true);
  view.setFloat64(16, FROM + 1000, true);
  view.setFloat64(24, 2, true);
  view.setUint32(32, 1, true);
  view.setUint32(36, count, true);
  [2, 1, 1, 1].forEach((width, ix) => view.setUint8(40 + ix, width));
  [9, 1, 4, count].forEach((word, ix) => view.setUint32(64 + ix * 4, word, true));
  starts.forEach((start, ix) => {
    view.setFloat32(startAt + ix * 4, start, true);
    view.setFloat32(endAt + ix * 4, start + 5, true);
    view.setUint16(rankAt + ix * 2, ix + 1000, true);
    view.setUint8(callAt + ix, ix + 7);
    view.setUint8(flagsAt + ix, 2);
    view.setUint8(flagsAt + round(count) + ix, 254);
  });
  return buffer;
}

test("a window answer is read column by column", () => {
  const answer = decodeWindow(windowBytes([-10, 20, 30]));
  assert.ok(answer.isCoarse);
  assert.deepEqual(answer.rows, [{ thread: 9, kind: "depth", depth: 4, first: 0, count: 3 }]);
  assert.deepEqual([...answer.boxes.start], [FROM - 10, FROM + 20, FROM + 30]);
  assert.deepEqual([...answer.boxes.duration], [5, 5, 5]);
  assert.deepEqual([...answer.boxes.rank], [1000, 1001, 1002]);
  assert.deepEqual([...answer.boxes.call], [7, 8, 9]);
  assert.deepEqual([...answer.boxes.flags], [2, 2, 2]);
  assert.deepEqual([...(answer.boxes.cpu ?? [])], [254, 254, 254]);
});

test("an answer cut anywhere is refused", () => {
  const whole = windowBytes([10, 20, 30]);
  for (const length of [0, 63, 64, 79, 100, 150])
    assert.throws(() => decodeWindow(whole.slice(0, length)), BadAnswer);
});

test("a row that points outside the boxes is refused", () => {
  const bytes = windowBytes([10]);
  new DataView(bytes).setUint32(64 + 12, 2, true);
  assert.throws(() => decodeWindow(bytes), BadAnswer);
});

test("a column of an odd width is refused", () => {
  const bytes = windowBytes([10]);
  new DataView(bytes).setUint8(41, 3);
  assert.throws(() => decodeWindow(bytes), BadAnswer);
});

test("another magic is refused", () => {
  const bytes = windowBytes([]);
  assert.throws(() => decodeFlame(bytes), BadAnswer);
});

test("a trace without CPU has no CPU numbers, not zeros", () => {
  const info = decodeInfo({
    file: "a.trace",
    clocks: ["wall"],
    total: { wall_ns: 5 },
    default_clock: "wall",
    axis: "wall",
    span_ns: 9,
    threads: [
      {
        id: 1,
        name: "main",
        records: 2,
        calls: 1,
        max_depth: 1,
        wall_ns: 5,
        first_ns: 0,
        last_ns: 5,
      },
    ],
    findings: [{ kind: "overflow", severity: "data lost", count: 1, text: "x" }],
    properties: { clock: "wall" },
    overhead: { ns: 7, least_ns: 5, most_ns: 9, partial: true },
  });
  assert.deepEqual(info.overhead, { ns: 7, least: 5, most: 9, isPartial: true });
  assert.deepEqual(info.total, { wall: 5 });
  assert.equal(info.threads[0]?.times.cpu, undefined);
  assert.equal(info.findings[0]?.severity, "lost");
  assert.deepEqual(info.properties, [["clock", "wall"]]);
});

test("what methods allocated is there where the trace tells it", () => {
  const told = decodeInfo({ clocks: ["wall"], threads: [], allocated: true });
  assert.equal(told.isAllocatedTold, true);
  assert.equal(decodeInfo({ clocks: ["wall"], threads: [] }).isAllocatedTold, undefined);
  const row = { rank: 1, allocated_bytes: 7, allocated_bytes_with_callees: 30 };
  const page = decodeProfile({ methods: [row, { rank: 2 }] });
  assert.deepEqual(page.rows[0]?.allocated, { own: 7, all: 30 });
  assert.equal(page.rows[1]?.allocated, undefined);
});

test("a CPU clock that never moves is none to choose, and the trace tells of it", () => {
  const found = { severity: "note", count: 1, text: "x" };
  const info = { clocks: ["wall", "cpu"], threads: [] };
  const idle = decodeInfo({ ...info, findings: [{ ...found, kind: "cpu_clock_idle" }] });
  assert.deepEqual([idle.clocks, idle.hasIdleCpu], [["wall"], true]);
  const busy = decodeInfo({ ...info, findings: [{ ...found, kind: "bad_line" }] });
  assert.deepEqual([busy.clocks, busy.hasIdleCpu], [["wall", "cpu"], false]);
});

test("threads have the process that they name", () => {
  const thread = { id: 1, name: "main", records: 2, calls: 1 };
  const info = decodeInfo({
    clocks: ["wall"],
    processes: [
      { id: 7, name: "a" },
      { id: 0, name: "" },
    ],
    threads: [
      { ...thread, process: 1 },
      { ...thread, process: 0 },
      thread,
      { ...thread, process: 9 },
    ],
  });
  assert.equal(info.threads[0]?.process, info.processes[1]);
  assert.equal(info.threads[1]?.process?.name, "a");
  assert.equal(info.threads[2]?.process, undefined);
  assert.equal(info.threads[3]?.process, undefined);
});

test("what is missing is named", () => {
  assert.throws(() => decodeInfo({ threads: [{}], clocks: [] }), /"id"/);
  assert.throws(() => decodeProfile({ methods: [{ rank: "1" }] }), /"rank"/);
});

const FOO = { rank: 4, id: "0x4", method: "a.B.foo ()V", class: "a.B", name: "foo" };
const BAR = { rank: 9, id: "0x8", method: "a.B.bar ()V", class: "a.B", name: "bar" };

test("nodes and rows have the names of the ranks that they refer to", () => {
  const tree = decodeTree({
    nodes: [
      { rank: 9, calls: 2 },
      { rank: 4, calls: 1 },
    ],
    more: 3,
    methods: [FOO, BAR],
  });
  assert.deepEqual(
    tree.nodes.map((node) => [node.method.method, node.calls]),
    [
      ["a.B.bar ()V", 2],
      ["a.B.foo ()V", 1],
    ],
  );
  const relations = decodeRelations({
    method: { rank: 4, calls: 5 },
    callers: [{ rank: 9, calls: 1, of_calls: 5 }],
    callees_recursive: [{ rank: 4, calls: 2, of_calls: 5 }],
    methods: [FOO, BAR],
  });
  assert.equal(relations.method.method, "a.B.foo ()V");
  assert.equal(relations.callers[0]?.method, "a.B.bar ()V");
  assert.equal(relations.calleesRecursive[0]?.method, "a.B.foo ()V");
  assert.throws(() => decodeTree({ nodes: [{ rank: 9 }], methods: [FOO] }), /name method 9/);
});

test("what an answer leaves out is told, of the trace in the first answer, too", () => {
  assert.equal(leftOutOf({ nodes: [] }), 0);
  assert.equal(leftOutOf({ nodes: [], left_out: 7 }), 7);
  assert.equal(leftOutOf({ state: {}, info: { left_out: 2 } }), 2);
});

test("the order comes as ranks, or from the rows", () => {
  assert.deepEqual(decodeOrder({ ranks: [3, 1, 2] }), [3, 1, 2]);
  assert.deepEqual(decodeOrder({ methods: [{ rank: 3 }, { rank: 1 }] }), [3, 1]);
});

test("calls without statistics on a clock have none", () => {
  const page = decodeCalls({
    rank: 7,
    count: 0,
    stats: { wall_ns: { min: 1, p50: 2, p95: 3, max: 4 } },
    calls: [],
  });
  assert.equal(page.rank, 7);
  assert.equal(page.stats.cpu, undefined);
  assert.deepEqual(page.stats.wall, { min: 1, p50: 2, p95: 3, max: 4 });
});

// The root and two boxes on it, written as docs/api.md says.
function changeBytes(): ArrayBuffer {
  const names = new TextEncoder().encode("alla.B.fö");
  const buffer = new ArrayBuffer(64 + 5 * 24 + 5 * 16 + 8 + 2 * 16 + names.length);
  const view = new DataView(buffer);
  [..."TVD1"].forEach((letter, ix) => view.setUint8(ix, letter.charCodeAt(0)));
  view.setUint32(4, 1 | (1 << 8), true);
  [20, 30, 10, 4].forEach((time, ix) => view.setFloat64(8 + ix * 8, time, true));
  [3, 5, 2, 3, 6, 7].forEach((count, ix) => view.setUint32(40 + ix * 4, count, true));
  let at = 64;
  for (const column of [
    [0, 0, 20],
    [30, 20, 10],
    [20, 15, 0],
    [30, 20, 10],
    [1, 0.5, 1],
  ]) {
    column.forEach((value, ix) => view.setFloat64(at + ix * 8, value, true));
    at += 24;
  }
  for (const column of [
    [0, 1, 2],
    [0, 1, 1],
    [0xffffffff, 0, 0],
    [0, 2, 0],
    [0, 3, 1],
  ]) {
    column.forEach((value, ix) => view.setUint32(at + ix * 4, value, true));
    at += 16;
  }
  [3, 3, 2].forEach((side, ix) => view.setUint8(at + ix, side));
  at += 8;
  [0xffffffff, 9, 0xffffffff].forEach((rank, ix) => view.setUint32(at + ix * 4, rank, true));
  at += 16;
  [3, 7, names.length].forEach((end, ix) => view.setUint32(at + ix * 4, end, true));
  new Uint8Array(buffer).set(names, at + 16);
  return buffer;
}

test("the boxes of a change have times of both sides, and names of either", () => {
  const flame = decodeChangeFlame(changeBytes());
  assert.equal(flame.measure, "cpu");
  assert.deepEqual(
    [flame.oldTotal, flame.newTotal, flame.most, flame.goneTime, flame.root],
    [20, 30, 10, 4, 30],
  );
  assert.deepEqual([flame.dropped, flame.depths, flame.goneCount, flame.addedCount], [5, 2, 6, 7]);
  assert.deepEqual([...flame.oldTime], [20, 15, 0]);
  assert.deepEqual([...flame.newCalls], [0, 3, 1]);
  assert.deepEqual([...flame.sides], [3, 3, 2]);
  assert.equal(flame.rank[1], 9);
  assert.equal(flame.names.get(9)?.method, "a.B.");
  assert.equal(flame.names.get(flame.rank[2] ?? 0)?.method, "fö");
  assert.throws(() => decodeChangeFlame(changeBytes().slice(0, 200)), BadAnswer);
});
