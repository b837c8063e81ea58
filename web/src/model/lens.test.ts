import assert from "node:assert/strict";
import test from "node:test";
import { lensOfPath, lensQuery, lensRank, lensText, lensTitle, sameLens, type Lens } from "./lens";
import type { Method } from "./trace";
import { callWords } from "./words";

const WORDS = callWords(false);
const along: Lens = { kind: "along", ranks: [1, 5, 7], past: "java." };
const upwards: Lens = { kind: "upwards", ranks: [7, 5], past: "" };
const within: Lens = { kind: "within", thread: 3, depth: 2, call: 9, rank: 7, ordinal: 2 };

function methodOf(rank: number): Method {
  const name = `m${rank}`;
  const id = `0x${rank}`;
  return {
    rank,
    id,
    method: `p.C.${name} ()V`,
    class: "p.C",
    name,
    signature: "()V",
    file: "",
    line: 0,
  };
}

test("a lens asks for its calls", () => {
  assert.deepEqual(lensQuery(null), {});
  assert.deepEqual(lensQuery(along), { along: "1.5.7", past: "java." });
  assert.deepEqual(lensQuery(upwards), { upwards: "7.5" });
  assert.deepEqual(lensQuery(within), { within: "3.2.9" });
  assert.deepEqual([along, upwards, within].map(lensRank), [7, 7, 7]);
});

test("a box that is seen through a lens has the path of both", () => {
  assert.deepEqual(lensOfPath(null, [1, 2], false, "a."), {
    kind: "along",
    ranks: [1, 2],
    past: "a.",
  });
  assert.deepEqual(lensOfPath(null, [2, 1], true, ""), {
    kind: "upwards",
    ranks: [2, 1],
    past: "",
  });
  assert.deepEqual(lensOfPath(along, [7, 8], false, "java."), { ...along, ranks: [1, 5, 7, 8] });
  assert.deepEqual(lensOfPath(upwards, [7, 8, 9], false, ""), { ...upwards, ranks: [9, 8, 7, 5] });
  assert.equal(lensOfPath(along, [7, 8], false, ""), null, "other packages are hidden");
  assert.equal(lensOfPath(along, [8, 7], true, "java."), null, "callers end at the lens");
  assert.equal(lensOfPath(within, [7, 8], false, ""), null, "no path says one call");
  assert.equal(lensOfPath(null, [], false, ""), null);
});

test("the chip says what the lens is", () => {
  assert.equal(lensText(along, null, WORDS, methodOf), "only calls of C.m7");
  assert.equal(lensText(along, 1, WORDS, methodOf), "only 1 call of C.m7");
  assert.equal(lensText(upwards, 1400, callWords(true), methodOf), "only 1,400 runs of C.m7");
  assert.equal(lensText(within, 1, WORDS, methodOf), "only call 3 of C.m7");
  assert.equal(
    lensText(within, 1, WORDS, () => undefined),
    "only call 3 of …",
  );
});

test("its title says who called them, the nearest first", () => {
  const end = "All panels show these calls and what they made. Press to show all again";
  assert.equal(lensTitle(along, WORDS, methodOf), `Called by C.m5, by C.m1. ${end}`);
  assert.equal(lensTitle(upwards, WORDS, methodOf), `Called by C.m5. ${end}`);
  assert.equal(lensTitle({ ...upwards, ranks: [7] }, WORDS, methodOf), end);
  assert.equal(
    lensTitle({ ...along, ranks: [7] }, WORDS, methodOf),
    `Called by no other method. ${end}`,
  );
  const deep = Array.from({ length: 20 }, (_, ix) => ix);
  assert.match(lensTitle({ ...along, ranks: deep }, WORDS, methodOf), /by C\.m7 and 7 more\. /);
  assert.equal(
    lensTitle(within, WORDS, methodOf),
    "All panels show this call and what it made. Press to show all again",
  );
});

test("equal lenses are the same", () => {
  assert.ok(sameLens(null, null));
  assert.ok(sameLens(along, { ...along }));
  assert.ok(!sameLens(along, { ...along, past: "" }));
  assert.ok(!sameLens(null, within));
});
