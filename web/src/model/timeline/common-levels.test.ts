import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoxRow } from "./boxes";
import { leadLine, leadOf } from "./common-levels";
import { DEPTH_BLOCK, type RowGroup, type Tile } from "./tiles";

// Each level as its boxes, [start, duration, calls]; the rank of a box is its level.
function tilesOf(levels: readonly (readonly [number, number, number?])[][], to = 1000) {
  return (group: RowGroup): Tile | null => {
    if (group.kind !== "depths" || group.low >= levels.length) return null;
    const rows: BoxRow[] = [];
    const all: { start: number; duration: number; count: number; depth: number }[] = [];
    levels.slice(group.low, group.high + 1).forEach((level, ix) => {
      const depth = group.low + ix;
      rows.push({ thread: 1, kind: "depth", depth, first: all.length, count: level.length });
      for (const [start, duration, count = 1] of level) all.push({ start, duration, count, depth });
    });
    return {
      from: 0,
      to,
      level: 0,
      isCoarse: false,
      rows,
      boxes: {
        start: Float64Array.from(all, (one) => one.start),
        duration: Float64Array.from(all, (one) => one.duration),
        rank: Uint32Array.from(all, (one) => one.depth),
        count: Uint32Array.from(all, (one) => one.count),
        depth: Uint32Array.from(all, (one) => one.depth),
        call: new Uint32Array(all.length),
        flags: new Uint8Array(all.length),
        cpu: null,
      },
    };
  };
}

const VIEW = { from: 0, to: 1000 };
const lead = (tileOf: ReturnType<typeof tilesOf>, depths: number, view = VIEW) =>
  leadOf(tileOf, 1, depths, view, 1000);

test("levels with one call each, down to the first that branches, are the same", () => {
  const tileOf = tilesOf([
    [[0, 1000]],
    [[0.4, 999]],
    [
      [20, 300],
      [400, 90],
    ],
    [[30, 5]],
  ]);
  assert.deepEqual(lead(tileOf, 4), { depths: 2, isKnown: true });
  assert.deepEqual(leadLine(tileOf, 1, 2, VIEW, 1000), {
    ranks: [0, 1],
    range: { rank: 0, ...VIEW },
  });
});

test("what is outside of the view does not count", () => {
  const tileOf = tilesOf([
    [[0, 1000]],
    [
      [10, 400],
      [500, 400],
    ],
    [
      [20, 300],
      [500, 250],
    ],
    [
      [30, 5],
      [510, 20],
      [550, 20],
    ],
  ]);
  assert.deepEqual(lead(tileOf, 4, { from: 500, to: 700 }), { depths: 3, isKnown: true });
  assert.deepEqual(lead(tileOf, 4, { from: 410, to: 500.4 }), { depths: 0, isKnown: true });
});

test("a box of several short calls is no single call, and one level is not worth a line", () => {
  assert.equal(lead(tilesOf([[[0, 1000]], [[0, 1000]], [[20, 1, 40]]]), 3)?.depths, 2);
  assert.equal(
    lead(
      tilesOf([
        [[0, 1000]],
        [
          [10, 9],
          [30, 9],
        ],
      ]),
      2,
    )?.depths,
    0,
  );
});

test("of a stack that never branches the innermost levels stay", () => {
  assert.equal(lead(tilesOf(Array.from({ length: 9 }, () => [[0, 1000] as const])), 9)?.depths, 6);
});

test("levels whose boxes are not there yet are not known", () => {
  const tileOf = tilesOf(Array.from({ length: DEPTH_BLOCK }, () => [[0, 1000] as const]));
  assert.deepEqual(lead(tileOf, 40), { depths: DEPTH_BLOCK, isKnown: false });
  assert.equal(
    lead(() => null, 40),
    null,
  );
  assert.equal(lead(tilesOf([[[0, 10]]], 500), 1), null, "the boxes end before the view does");
});

test("a call that runs for a part of the outer one is seen, and so is the outer one", () => {
  assert.equal(lead(tilesOf([[[0, 1000]], [[0, 10]], [[0, 9]], [[0, 8]], [[0, 7]]]), 5)?.depths, 0);
  assert.equal(lead(tilesOf([[[0, 1000]], [[0, 1000]], [[0, 998]], [[5, 5]]]), 4)?.depths, 2);
  assert.equal(lead(tilesOf([[[0, 1000]], [[0, 1000]], [[2, 998]], [[5, 5]]]), 4)?.depths, 2);
});

test("where a thread was not recorded, no line tells that its levels ran", () => {
  const late = (start: number) =>
    tilesOf([
      [[start, 900 - start]],
      [[start, 900 - start]],
      [
        [start, 10],
        [start + 20, 9],
      ],
    ]);
  assert.equal(lead(late(130), 3)?.depths, 2);
  assert.deepEqual(leadLine(late(130), 1, 2, VIEW, 1000).range, { from: 130, to: 900, rank: 0 });
  assert.equal(lead(late(450), 3)?.depths, 0, "less than half of the view");
});
