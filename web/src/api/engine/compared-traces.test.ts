import assert from "node:assert/strict";
import test from "node:test";
import {
  nameOfPlace,
  newIn,
  openedFirst,
  othersOf,
  placeOfName,
  runsOf,
  sameWishes,
  type Held,
} from "./compared-traces";

const held = (name: string): Held => ({
  wish: { name, take: () => Promise.resolve(new Blob([name])) },
  file: new Blob([name]),
  mapping: undefined,
});
const [a, b, c, d] = [held("a"), held("b"), held("c"), held("d")];
const placed = (sides: Parameters<typeof othersOf>[0]): string[] =>
  othersOf(sides).map(({ place, name, isOld }) => `${place} ${name} ${isOld ? "old" : "new"}`);

test("the opened trace has the first place, old ones follow, and then other new ones", () => {
  assert.deepEqual(placed({ old: [], new: [a] }), []);
  assert.deepEqual(placed({ old: [b], new: [a] }), ["1 b old"]);
  const several = { old: [b, c], new: [a, d] } as const;
  assert.deepEqual(placed(several), ["1 b old", "2 c old", "3 d new"]);
  assert.deepEqual(runsOf(several), { old: ["1", "2"], new: ["0", "3"] });
  assert.equal(runsOf({ old: [b], new: [a] }), null);
});

test("a place has a digit as its name", () => {
  assert.deepEqual([0, 9, 10, 31].map(nameOfPlace), ["0", "9", "a", "v"]);
  assert.deepEqual(["0", "9", "a", "v"].map(placeOfName), [0, 9, 10, 31]);
});

test("a trace of the new side is found by its place, and is opened again first", () => {
  const several = { old: [b], new: [a, c, d] } as const;
  assert.equal(newIn(several, 0), a);
  assert.equal(newIn(several, 3), d);
  assert.equal(newIn(several, 1), undefined);
  assert.deepEqual(openedFirst(several, d).new, [d, a, c]);
});

test("a mapping that was taken is taken again, though it be of another build", () => {
  const mapping = { name: "m", file: new Blob(["m"]), isForced: false };
  const [other] = othersOf({ old: [{ ...b, mapping }], new: [a] });
  assert.equal(other?.mapping?.isForced, true);
});

test("a trace that comes piece by piece is compared with none", () => {
  const coming = { packed: 1, unpacked: 1, pieces: async function* () {} };
  assert.throws(() => othersOf({ old: [{ ...b, file: coming }], new: [a] }), /no trace/);
});

test("what was wished for is the same where each trace is", () => {
  assert.equal(sameWishes({ old: [b], new: [a] }, { old: [b], new: [a] }), true);
  assert.equal(sameWishes({ old: [b], new: [a] }, { old: [b, c], new: [a] }), false);
  assert.equal(sameWishes({ old: [b], new: [a] }, null), false);
});
