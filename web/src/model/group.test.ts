import assert from "node:assert/strict";
import test from "node:test";
import { longestBoxes } from "./twin";
import { groupRows } from "./group";
import type { ProfileRow } from "./trace";

function row(className: string, wall: number): ProfileRow {
  return {
    rank: 0,
    id: "",
    method: "",
    class: className,
    name: "m",
    signature: "",
    file: "",
    line: -1,
    calls: 2,
    recursiveCalls: 1,
    inclusive: { wall: 99 },
    exclusive: { wall },
  };
}

test("groups add exclusive times and counts, the largest first", () => {
  const rows = [row("a.A", 1), row("a.A", 2), row("a.B", 5), row("b.C", 4)];
  const size = (times: { wall?: number }): number => times.wall ?? 0;
  assert.deepEqual(
    groupRows(rows, "class", size).map((one) => [
      one.name,
      one.methods,
      one.calls,
      one.exclusive.wall,
    ]),
    [
      ["a.B", 1, 3, 5],
      ["b.C", 1, 3, 4],
      ["a.A", 2, 6, 3],
    ],
  );
  assert.deepEqual(
    groupRows(rows, "package", size).map((one) => one.name),
    ["a", "b"],
  );
  assert.equal(groupRows(rows, "class", size)[0]?.exclusive.cpu, undefined);
});

test("the twin tells the longest boxes in view, longest first", () => {
  const starts = Array.from({ length: 200 }, (_, ix) => ix * 10);
  const boxes = {
    start: Float64Array.from(starts),
    duration: Float64Array.from(starts, (start) => (start % 70) / 10),
    rank: new Uint32Array(200),
    count: new Uint32Array(200),
    depth: new Uint32Array(200),
    call: new Uint32Array(200),
    flags: new Uint8Array(200),
    cpu: null,
  };
  const tile = {
    from: 0,
    to: 2000,
    level: 0,
    isCoarse: false,
    boxes,
    rows: [{ thread: 1, kind: "depth" as const, depth: 0, first: 0, count: 200 }],
  };
  const found = longestBoxes([tile], { from: 0, to: 1000 }, 5);
  assert.equal(found.length, 5);
  assert.ok(found.every((one) => one.box.duration === 6 && one.box.start <= 1000));
});
