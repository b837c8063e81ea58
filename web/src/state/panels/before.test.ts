import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query } from "../../api/source";
import type { BeforeAnswer } from "../../model/before";
import type { Store } from "../store";
import { askBefore } from "./before";

// A store that has what is asked of it alone: a route that answers so many ranks at most, each with as many calls as its number.
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
  return { store: { api: { before } } as unknown as Store, asked };
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
