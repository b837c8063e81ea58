import assert from "node:assert/strict";
import test from "node:test";
import {
  chosenOf,
  chosenText,
  chosenTitle,
  isInCall,
  type Lens,
  lensOfBar,
  lensOfPath,
  lensQuery,
  lensRank,
  lensRanks,
  lensText,
  lensTitle,
  MAX_STEPS,
  narrowed,
  sameLens,
  stepsOf,
} from "./lens";
import type { Method } from "./trace";
import { callWords } from "./words";

const WORDS = callWords(false);
const along: Lens = { kind: "along", ranks: [1, 5, 7], past: "java." };
const upwards: Lens = { kind: "upwards", ranks: [7, 5], past: "" };
const rows: Lens = { kind: "methods", ranks: [7, 5] };
const search: Lens = { kind: "search", text: "a;b :" };
const bar: Lens = {
  kind: "methods",
  ranks: [7],
  lasting: { measure: "cpu", from: 1000, below: 2000 },
};
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
  assert.deepEqual(lensQuery(along), { calls: "along:1.5.7:past=java." });
  assert.deepEqual(lensQuery(upwards), { calls: "upwards:7.5" });
  assert.deepEqual(lensQuery(within), { calls: "call:3.2.9" });
  assert.deepEqual(lensQuery(rows), { calls: "methods:7.5" });
  assert.deepEqual(lensQuery(search), { calls: "search:a%3Bb%20%3A" });
  assert.deepEqual(lensQuery(bar), { calls: "methods:7:cpu=1000-2000" });
  assert.deepEqual(lensQuery({ ...search, before: { ...bar, before: within } }), {
    calls: "call:3.2.9;methods:7:cpu=1000-2000;search:a%3Bb%20%3A",
  });
  assert.deepEqual([along, upwards, within, rows, search, bar].map(lensRank), [
    7,
    7,
    7,
    null,
    null,
    7,
  ]);
  assert.deepEqual(lensRanks({ ...along, before: within }), [7, 1, 5, 7]);
  assert.ok(isInCall({ ...rows, before: within }));
  assert.ok(!isInCall(rows));
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
  const inside = { kind: "along", ranks: [7, 8], past: "" } as const;
  assert.deepEqual(lensOfPath(upwards, [7, 8], false, ""), { ...inside, before: upwards });
  assert.deepEqual(lensOfPath(along, [7, 8], false, ""), { ...inside, before: along });
  assert.deepEqual(lensOfPath(within, [7, 8], false, ""), { ...inside, before: within });
  assert.deepEqual(lensOfPath(bar, [7, 8], false, ""), { ...inside, before: bar });
  assert.equal(lensOfPath(along, [8, 7], true, "java."), null, "callers end at the lens");
  assert.deepEqual(lensOfPath(bar, [8], true, ""), { kind: "methods", ranks: [8], before: bar });
  const deep = Array.from({ length: 20 }).reduce<Lens>(
    (lens) => narrowed(lens, rows) ?? lens,
    rows,
  );
  assert.equal(stepsOf(deep).length, MAX_STEPS);
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

test("the chip of selected calls says how many of the method's they are", () => {
  const text = (count: number, all: number): string =>
    chosenText({ calls: along, count, all }, WORDS, methodOf);
  assert.equal(text(1, 3), "selected: 1 of 3 calls of C.m7");
  assert.equal(text(1400, 14000), "selected: 1,400 of 14,000 calls of C.m7");
  assert.equal(text(0, 1), "selected: 0 of 1 call of C.m7");
  const inRun: Lens = { ...along, before: within };
  const runs = chosenText({ calls: inRun, count: 2, all: 9 }, callWords(true), methodOf);
  assert.equal(runs, "selected: 2 of 9 runs of C.m7 in run 3 of C.m7");
  assert.match(
    chosenTitle(along, WORDS, methodOf, true),
    /^Called by C\.m5, by C\.m1\. Calls, the details/,
  );
  assert.match(
    chosenTitle(along, callWords(true), methodOf, false),
    /Runs, the details .* are of these runs\. Press/,
  );
});

test("calls are selected with their own method, and not where they are all that is seen of it", () => {
  assert.equal(chosenOf(null, along, 7), along);
  assert.equal(chosenOf(null, along, 5), null);
  assert.equal(chosenOf(null, null, 7), null);
  const all: Lens = { kind: "upwards", ranks: [7], past: "" };
  assert.equal(chosenOf(null, all, 7), null);
  assert.equal(chosenOf(null, upwards, upwards.ranks[0] ?? 0), upwards);
  assert.equal(chosenOf(along, along, 7), null);
  const seen: Lens = { kind: "methods", ranks: [7], before: along };
  assert.equal(chosenOf(along, seen, 7), null);
  assert.equal(chosenOf(null, seen, 7), seen);
});

test("a bar is a part of the lens whose calls it counts", () => {
  const lasting = { measure: "cpu", from: 1500, below: 3000 } as const;
  const own: Lens = { kind: "methods", ranks: [7], lasting };
  assert.deepEqual(lensOfBar(null, 7, lasting), own);
  assert.deepEqual(lensOfBar(along, 7, lasting), { ...along, lasting });
  assert.deepEqual(lensOfBar(bar, 7, lasting), { ...bar, lasting: { ...lasting, below: 2000 } });
  assert.deepEqual(lensOfBar(within, 8, lasting), { ...own, ranks: [8], before: within });
  assert.deepEqual(lensOfBar(rows, 7, lasting), { ...own, before: rows });
  const wall = { ...lasting, measure: "wall" } as const;
  assert.deepEqual(lensOfBar(bar, 7, wall), { ...own, lasting: wall, before: bar });
});

test("the chip says how long its calls last, and what it was seen through", () => {
  assert.equal(
    lensText(bar, 14, WORDS, methodOf),
    "only 14 calls of C.m7, 1.00 µs to 2.00 µs CPU time",
  );
  const longer: Lens = { ...bar, lasting: { measure: "wall", from: 2000, below: null } };
  assert.equal(
    lensText(longer, 1, WORDS, methodOf),
    "only 1 call of C.m7, 2.00 µs or longer wall time",
  );
  assert.equal(lensText(rows, 9, WORDS, methodOf), "only 9 calls of 2 methods");
  assert.equal(lensText(search, 9, WORDS, methodOf), "only 9 calls of methods with a;b :");
  assert.equal(
    lensText({ ...rows, before: { ...along, before: within } }, null, WORDS, methodOf),
    "only calls of 2 methods in calls of C.m7 in call 3 of C.m7",
  );
  assert.match(lensTitle(rows, WORDS, methodOf), /^Of C\.m7, C\.m5\. All panels/);
  assert.match(lensTitle(search, WORDS, methodOf), /^All panels show these calls/);
});

test("equal lenses are the same", () => {
  assert.ok(sameLens(null, null));
  assert.ok(sameLens(along, { ...along }));
  assert.ok(!sameLens(along, { ...along, past: "" }));
  assert.ok(!sameLens(null, within));
});
