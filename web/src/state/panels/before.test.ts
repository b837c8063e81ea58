import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import { Refused } from "../../api/request";
import type { Query } from "../../api/source";
import type { BeforeAnswer } from "../../model/before";
import { lensQuery } from "../../model/lens";
import type { Store } from "../store";
import { askBefore, clockOfBoth, hasOldRange, ofBoth } from "./before";

// A store that has only what is asked of it: a route that answers `room` ranks at most, each with its own number of
// calls.
function storeOf(room: number): { readonly store: Store; readonly asked: string[][] } {
  const asked: string[][] = [];
  const before = (query: Query): Promise<BeforeAnswer> => {
    const ranks = String(query["ranks"]).split(",");
    asked.push(ranks);
    const told = ranks.slice(0, room).map(Number);
    const numbers = (calls: number) => ({ calls, recursiveCalls: 0, inclusive: {}, exclusive: {} });
    return Promise.resolve({
      isCounted: true,
      numbers: new Map(told.filter((rank) => rank % 2 === 0).map((rank) => [rank, numbers(rank)])),
      merged: new Set<number>(),
      leftOut: Math.max(0, ranks.length - room),
    });
  };
  return {
    store: {
      api: { before },
      oldShift: signal(0),
      matched: signal([]),
      oldSpan: signal(1000),
      runs: signal(null),
    } as unknown as Store,
    asked,
  };
}

const RANKS = Array.from({ length: 4500 }, (_, ix) => ix);

void test("what a route takes at once is asked for in turns, and all of it is known", async () => {
  const { store, asked } = storeOf(Infinity);
  const known = await askBefore(store, "2", {}, RANKS, new AbortController().signal);
  assert.deepEqual(
    asked.map((ranks) => ranks.length),
    [2000, 2000, 500],
  );
  assert.equal(known(4444)?.numbers?.calls, 4444);
  assert.equal(known(4443)?.numbers, null);
  assert.equal(known(4500), undefined);
});

void test("of what an answer had no room for nothing is told, not even that it is new", async () => {
  const { store } = storeOf(1500);
  const known = await askBefore(store, "2", {}, RANKS, new AbortController().signal);
  assert.equal(known(1498)?.numbers?.calls, 1498);
  assert.equal(known(1501), undefined);
  assert.equal(known(3498)?.numbers?.calls, 3498);
});

void test("the other trace is asked for the range that stands below this one's, and for no set of calls", () => {
  const query = { from: 500, to: 900, clock: "cpu", ...lensQuery({ kind: "methods", ranks: [3] }) };
  const range = { from: 500, to: 900, clock: "cpu" };
  assert.deepEqual(ofBoth({ oldShift: signal(0), matched: signal([]) }, query), range);
  assert.deepEqual(ofBoth({ oldShift: signal(100.4), matched: signal([]) }, query), {
    ...range,
    old_from: 400,
    old_to: 800,
  });
  assert.deepEqual(ofBoth({ oldShift: signal(-50), matched: signal([]) }, query), {
    ...range,
    old_from: 550,
    old_to: 950,
  });
  assert.deepEqual(ofBoth({ oldShift: signal(700), matched: signal([]) }, query), {
    ...range,
    old_from: 0,
    old_to: 200,
  });
  assert.deepEqual(ofBoth({ oldShift: signal(700), matched: signal([]) }, { clock: "cpu" }), {
    clock: "cpu",
  });
});

void test("where the other trace does not reach the range, it is not asked and nothing is told", async () => {
  const { store, asked } = storeOf(Infinity);
  const query = { from: 1000, to: 1500 };
  const known = await askBefore(store, "2", query, RANKS, new AbortController().signal);
  assert.equal(known(4), undefined);
  assert.deepEqual(asked, []);
  const has = (shift: number, span: number | null, range: Query) =>
    hasOldRange({ oldShift: signal(shift), oldSpan: signal(span) }, range);
  assert.ok(has(0, null, query) && has(0, 1001, query) && has(1, 1000, query));
  assert.ok(!has(0, 1000, query) && !has(-1, 1000, query) && !has(1500, 1000, query));
  assert.ok(has(1499, 1000, query) && has(5000, 1000, {}));
});

void test("a refusal is not told while nobody knows how long the other trace is, and is told then", async () => {
  const told: unknown[] = [];
  const refused = new Refused(400, "from (700) is not before the end of the trace (400)");
  const oldSpan = signal<number | null>(null);
  const store = {
    ...storeOf(Infinity).store,
    api: { before: () => Promise.reject(refused) },
    oldSpan,
    report: (problem: unknown) => told.push(problem),
  } as unknown as Store;
  const ask = () =>
    askBefore(store, "2", { from: 700, to: 800 }, [1], new AbortController().signal);
  assert.equal((await ask())(1), undefined);
  assert.deepEqual(told, []);
  oldSpan.value = 1000;
  assert.equal((await ask())(1), undefined);
  assert.deepEqual(told, [refused]);
});

void test("a clock that was not chosen is one that both have", () => {
  const store = { info: signal({ defaultClock: "cpu" }) } as unknown as Store;
  assert.equal(clockOfBoth(store, "cpu"), undefined);
  assert.equal(clockOfBoth(store, "wall"), "wall");
  assert.equal(clockOfBoth(store, "wait"), "wait");
});

// Runs 1 and 4 of the new side and 2 and 3 of the old one; the page shows run 1.
const RUNS = { old: ["2", "3"], new: ["4", "1"] };

void test("of several runs each that is not shown is asked, old ones under the names that were matched", async () => {
  const asked: Query[] = [];
  const scope = signal<Query>({});
  const store = {
    api: {
      before: (query: Query): Promise<BeforeAnswer> => {
        asked.push(query);
        const calls = Number(query["old"]);
        const numbers = { calls, recursiveCalls: 0, inclusive: {}, exclusive: {} };
        const numbered = calls === 3 ? [] : [[7, numbers] as const];
        return Promise.resolve({
          isCounted: true,
          numbers: new Map(numbered),
          merged: new Set<number>(calls === 4 ? [8] : []),
          leftOut: 0,
        });
      },
    },
    oldShift: signal(0),
    held: signal(null),
    matched: signal([{ old: "a", new: "b" }]),
    oldSpan: signal(1000),
    runs: signal(RUNS),
    lens: signal(null),
    against: signal("2"),
    scope,
  } as unknown as Store;
  const { location } = globalThis;
  globalThis.location = { pathname: "/SECRET/" } as Location;
  try {
    const known = await askBefore(store, "2", {}, [7, 8], new AbortController().signal);
    assert.deepEqual(
      asked.map(({ old, matched }) => [old, matched]),
      [
        ["2", "a\nb"],
        ["3", "a\nb"],
        ["4", undefined],
      ],
    );
    const runs = known(7)?.runs;
    assert.deepEqual(
      runs?.old.map((numbers) => numbers?.calls),
      [2, undefined],
    );
    assert.deepEqual(
      runs?.new.map((numbers) => numbers?.calls),
      [4, undefined],
    );
    assert.equal(runs?.shown, 1);
    assert.equal(known(8)?.isMerged, true);
    // A range is another one in each run: then only the run that is shown is asked.
    scope.value = { from: 1, to: 2 };
    asked.length = 0;
    await askBefore(store, "2", { from: 1, to: 2 }, [7], new AbortController().signal);
    assert.deepEqual(
      asked.map(({ old }) => old),
      ["2"],
    );
  } finally {
    globalThis.location = location;
  }
});
