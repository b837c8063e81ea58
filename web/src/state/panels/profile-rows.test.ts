import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { BeforeAnswer } from "../../model/before";
import type { ProfilePage } from "../../model/trace";
import type { Store } from "../store";
import { createProfileRows } from "./profile-rows";

const CALLS = [7, 3, 5];

// A store of a trace whose methods are called as often as CALLS says, each three times as often before.
function storeOf(): Store {
  const times = { inclusive: {}, exclusive: {} };
  const rows = CALLS.map((calls, rank) => ({ rank, calls, recursiveCalls: 0, ...times }));
  const top = (_: Query, abort: AbortSignal): Promise<ProfilePage> =>
    new Promise((resolve, reject) => {
      abort.addEventListener("abort", () => reject(abort.reason));
      setTimeout(() => resolve({ rows } as unknown as ProfilePage), 1);
    });
  const before = (): Promise<BeforeAnswer> => {
    const numbers = new Map(rows.map((row) => [row.rank, { ...row, calls: 3 * row.calls }]));
    return Promise.resolve({ isCounted: true, numbers, merged: new Set<number>(), leftOut: 0 });
  };
  return {
    api: { top, before },
    oldShift: signal(0),
    matched: signal([]),
    oldSpan: signal(null),
    runs: signal(null),
  } as unknown as Store;
}

const query = { sort: "old-calls", order: "asc", by: "wall", offset: 0, n: 2 };

void test("methods are sorted by what they were, and a page is cut from all of them", async () => {
  const { ask, order } = createProfileRows(storeOf());
  const { signal: abort } = new AbortController();
  assert.deepEqual(
    (await ask("2", query, abort)).rows.map(({ rank }) => rank),
    [1, 2],
  );
  assert.deepEqual(await order("2", query, abort), [1, 2, 0]);
});

void test("a question that is given up takes no other one with it", async () => {
  const { ask, order } = createProfileRows(storeOf());
  const leaving = new AbortController();
  const first = ask("2", query, leaving.signal);
  const second = order("2", query, new AbortController().signal);
  leaving.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.deepEqual(await second, [1, 2, 0]);
});
