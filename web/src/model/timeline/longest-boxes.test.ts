import assert from "node:assert/strict";
import test from "node:test";
import { longestBoxes } from "./longest-boxes";

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
