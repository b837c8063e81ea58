import assert from "node:assert/strict";
import test from "node:test";
import { NO_PARENT } from "../flame/flame";
import { callWords } from "../words";
import {
  boxesText,
  changeIndex,
  changeLines,
  changePalette,
  changePath,
  frameName,
  isAlone,
  isOfTrace,
  namedBoxes,
  scaleText,
  SIDES_OF_CALLS,
  withOthers,
  type ChangeFlame,
} from "./change-flame";

const MS = 1e6;
const NEW = { view: "new", isByShare: false } as const;
const GONE = { view: "gone", isByShare: false } as const;
const CALLS = callWords(false);

// all, a.A.main on it, a.A.more and a.A.added on that.
const FLAME: ChangeFlame = {
  root: 40 * MS,
  measure: "cpu",
  oldTotal: 20 * MS,
  newTotal: 40 * MS,
  most: 20 * MS,
  goneTime: 3 * MS,
  goneCount: 1,
  addedCount: 1,
  dropped: 0,
  depths: 3,
  x: Float64Array.of(0, 0, 0, 30 * MS),
  value: Float64Array.of(40 * MS, 40 * MS, 30 * MS, 10 * MS),
  oldTime: Float64Array.of(20 * MS, 20 * MS, 15 * MS, 0),
  newTime: Float64Array.of(40 * MS, 40 * MS, 30 * MS, 10 * MS),
  change: Float64Array.of(1, 1, 0.75, 0.5),
  depth: Uint32Array.of(0, 1, 2, 2),
  parent: Uint32Array.of(NO_PARENT, 0, 1, 1),
  oldCalls: Uint32Array.of(0, 1, 2, 0),
  newCalls: Uint32Array.of(0, 1, 4, 1),
  sides: Uint8Array.of(3, 3, 3, 2),
  ...namedBoxes(
    Uint32Array.of(0, 1, 2, 3),
    ["all", "a.A.main", "a.A.more", "a.A.added"],
    Uint32Array.of(NO_PARENT, 7, 5, NO_PARENT),
  ),
};

test("names stand for methods of the trace, or for themselves", () => {
  assert.deepEqual([...FLAME.rank].map(isOfTrace), [false, true, true, false]);
  assert.equal(FLAME.rank[1], 7);
  assert.equal(FLAME.names.get(7)?.class, "a.A");
  assert.equal(FLAME.names.get(7)?.name, "main");
  assert.equal(FLAME.names.get(FLAME.rank[0] ?? 0)?.name, "all");
  assert.equal(frameName("com.example.App$Loader.run"), "App$Loader.run");
});

test("a path has the names on the way, and goes on where the graph is zoomed", () => {
  assert.deepEqual(changePath(FLAME, 0, []), []);
  assert.deepEqual(changePath(FLAME, 2, []), ["a.A.main", "a.A.more"]);
  assert.deepEqual(changePath(FLAME, 0, ["x", "y"]), ["x", "y"]);
  assert.deepEqual(changePath(FLAME, 1, ["x", "y"]), ["x", "y", "a.A.main"]);
});

test("a search finds names that only the other trace has", () => {
  assert.equal(withOthers(FLAME, null, ""), null);
  assert.deepEqual([...(withOthers(FLAME, new Set([7]), "main") ?? [])], [7]);
  const found = withOthers(FLAME, new Set(), "added");
  assert.deepEqual([...(found ?? [])], [FLAME.rank[3]]);
});

test("what one side alone has is told by view", () => {
  assert.deepEqual(
    [0, 3].map((ix) => isAlone(FLAME, ix, "new")),
    [false, true],
  );
  assert.deepEqual(
    [0, 3].map((ix) => isAlone(FLAME, ix, "old")),
    [false, false],
  );
});

test("a box tells both sides, and a change never without its base", () => {
  assert.deepEqual(changeLines(FLAME, 2, NEW, CALLS), [
    { name: "New", text: "30.0 ms", note: "4 calls" },
    { name: "Old", text: "15.0 ms", note: "2 calls" },
    { name: "Change", text: "+15.0 ms", note: "+100.0 % of 15.0 ms" },
  ]);
  assert.deepEqual(changeLines(FLAME, 3, NEW, CALLS), [
    { name: "New", text: "10.0 ms", note: "1 call" },
    { name: "Old", text: "none", note: "the old trace has no such stack" },
  ]);
  const share = changeLines(FLAME, 1, { view: "new", isByShare: true }, CALLS)[3];
  assert.deepEqual(share, {
    name: "Share",
    text: "0.0 %",
    note: "of all: 100 % before, 100 % now",
  });
});

test("what is gone has no change, and what it stood on none of its own", () => {
  const gone = { ...FLAME, sides: Uint8Array.of(3, 3, 1, 1) };
  assert.deepEqual(changeLines(gone, 2, GONE, CALLS)[1]?.text, "gone");
  assert.deepEqual(changeLines(gone, 1, GONE, CALLS), [
    { name: "Gone", text: "20.0 ms", note: "of what it called" },
  ]);
});

test("the scale and the boxes are told in words", () => {
  assert.equal(scaleText(FLAME, NEW), "20.0 ms");
  assert.equal(
    scaleText({ ...FLAME, most: 0.032 }, { view: "new", isByShare: true }),
    "3.2 % of all",
  );
  assert.equal(scaleText({ ...FLAME, most: 0 }, NEW), "");
  assert.equal(boxesText(FLAME), "1 box is new, 1 is gone (3.00 ms)");
  assert.equal(boxesText({ ...FLAME, addedCount: 0, goneCount: 0 }), "0 boxes are new, 0 are gone");
});

test("of two calls the sides are this one and the other one", () => {
  const lines = changeLines(FLAME, 3, NEW, CALLS, SIDES_OF_CALLS);
  assert.deepEqual(lines, [
    { name: "This", text: "10.0 ms", note: "1 call" },
    { name: "Other", text: "none", note: "the other call has no such stack" },
  ]);
  assert.equal(
    boxesText(FLAME, SIDES_OF_CALLS),
    "1 box is of this call alone, 1 is of the other one alone (3.00 ms)",
  );
  const share = changeLines(FLAME, 1, { view: "new", isByShare: true }, CALLS, SIDES_OF_CALLS)[3];
  assert.equal(share?.note, "of all: 100 % in the other call, 100 % in this one");
});

function channels(fill: string): number[] {
  const parts = /^#(..)(..)(..)$/
    .exec(fill)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 16));
  return parts ?? (fill.match(/\d+/g) ?? []).map(Number);
}

function luminance(fill: string): number {
  const [red = 0, green = 0, blue = 0] = channels(fill).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("no change is grey, and text is readable on each colour of both themes", () => {
  for (const shade of ["light", "dark"] as const) {
    const { fills, inks } = changePalette(shade);
    const [red = 0, green = 0, blue = 0] = channels(fills[changeIndex(0)] ?? "");
    assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) <= 16, `${shade} is no grey`);
    assert.equal(changeIndex(-1), 0);
    assert.equal(changeIndex(1), fills.length - 1);
    assert.ok(changeIndex(-0.5) < changeIndex(0) && changeIndex(0) < changeIndex(0.5));
    fills.forEach((fill, ix) => {
      const both = [luminance(fill), luminance(inks[ix] ?? "")];
      const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      assert.ok(contrast >= 4.3, `${fill} with ${inks[ix] ?? ""}: ${contrast}`);
    });
  }
});
