import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { CallDetail } from "../../model/trace";
import type { Store } from "../store";
import { createCallReference } from "./call-reference";

const CALL = { rank: 3, thread: 1, medianClock: "wall", median: 5e6 } as unknown as CallDetail;

// Browsers have `self`; node has only globalThis.
Object.assign(globalThis, { self: globalThis });

// A store of one thread that took 100 ms, 40 of them in any range and 10 in the calls of a lens; their median is 2 ms.
function storeOf(scope: Query, range: { from: number; to: number } | null): Store {
  const api = {
    calls: () => Promise.resolve({ stats: { wall: { p50: 2e6 } } }),
    top: ({ calls }: Query) =>
      Promise.resolve({ total: { wall: calls === undefined ? 40e6 : 10e6 } }),
  };
  return {
    api,
    info: signal({ threads: [{ id: 1, times: { wall: 100e6 } }] }),
    scope: signal(scope),
    measure: signal("wall"),
    range: signal(range),
  } as unknown as Store;
}

async function referenceOf(scope: Query, range: { from: number; to: number } | null) {
  const reference = createCallReference(storeOf(scope, range), () => CALL);
  await new Promise((resolve) => setTimeout(resolve));
  const { value } = reference.value;
  return { median: value?.median, hasLens: value?.hasLens, ofThread: value?.ofThread.wall };
}

test("a call is compared with the calls that Calls lists, and with its whole thread", async () => {
  const range = { from: 0, to: 50e6 };
  const lens = { calls: "methods:3" };
  assert.deepEqual(await referenceOf({}, null), { median: 5e6, hasLens: false, ofThread: 100e6 });
  assert.deepEqual(await referenceOf({}, range), { median: 2e6, hasLens: false, ofThread: 40e6 });
  assert.deepEqual(await referenceOf(lens, null), { median: 2e6, hasLens: true, ofThread: 100e6 });
  assert.deepEqual(await referenceOf(lens, range), { median: 2e6, hasLens: true, ofThread: 40e6 });
});
