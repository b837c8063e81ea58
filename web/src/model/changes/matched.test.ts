import assert from "node:assert/strict";
import test from "node:test";
import type { Change, Changes } from "./changes";
import {
  loneSide,
  matchedQuery,
  matchedText,
  partnerName,
  partnersOf,
  readMatched,
  withMatch,
} from "./matched";

const NONE = { calls: [0, 0], time: 0 } as const;
const change = (method: string, old: number, now: number, time = 1000): Change => ({
  method,
  calls: "changed",
  time: "undecided",
  old: old === 0 ? NONE : { calls: [old, old], time },
  new: now === 0 ? NONE : { calls: [now, now], time },
  byCalls: 0,
  byCost: 0,
  runs: null,
  test: null,
});

test("matches of a link are read by turns, each method once", () => {
  assert.deepEqual(readMatched(["a", "b", "a", "", "c"], ["x", "x", "y", "z"]), [
    { old: "a", new: "x" },
  ]);
  assert.deepEqual(readMatched(["a\nb"], ["x"]), []);
  assert.deepEqual(readMatched([], ["x"]), []);
  const many = Array.from({ length: 70 }, (_, ix) => String(ix));
  assert.equal(readMatched(many, many).length, 64);
});

test("questions have them as lines, by turns", () => {
  assert.equal(matchedQuery([]), undefined);
  const two = [
    { old: "a", new: "b" },
    { old: "c", new: "d" },
  ];
  assert.equal(matchedQuery(two), "a\nb\nc\nd");
  assert.equal(partnerName(two, "old", "c"), "d");
  assert.equal(partnerName(two, "new", "c"), null);
});

test("a new match takes the place of those of either method", () => {
  const first = { old: "a", new: "b" };
  assert.deepEqual(withMatch([first], { old: "c", new: "b" }), [{ old: "c", new: "b" }]);
  assert.deepEqual(withMatch([first], { old: "c", new: "d" }), [first, { old: "c", new: "d" }]);
});

test("partners are those that the other side lacks, the most alike first", () => {
  const gone = change("shop.paint_item ()", 12, 0);
  const list = [
    gone,
    change("shop.draw_item ()", 0, 12),
    change("shop.paint (I)V", 0, 1),
    change("other.paint_item ()", 0, 3, 10),
    change("shop.work ()", 24, 26),
  ];
  const changes = { list } as unknown as Changes;
  assert.equal(loneSide(gone), "old");
  assert.deepEqual(
    partnersOf(changes, gone).map(({ method }) => method),
    ["shop.draw_item ()", "other.paint_item ()", "shop.paint (I)V"],
  );
  assert.deepEqual(partnersOf(changes, change("shop.work ()", 24, 26)), []);
});

test("the chip tells of one match by its names", () => {
  const one = { old: "shop.paint_item ()", new: "a.b.draw_item ()" };
  assert.equal(matchedText([one]), "matched: paint_item → draw_item");
  assert.equal(matchedText([one, { old: "x", new: "y" }]), "2 methods matched by hand");
});
