import assert from "node:assert/strict";
import test from "node:test";
import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { givingWay, keepNone, keepShown, keptTraces, type KeptTrace } from "./kept-traces";

const trace = (id: string, size: number, name = id): KeptTrace => ({
  id,
  name,
  openedSeconds: 0,
  file: { size } as Blob,
});
const idsOf = (traces: readonly KeptTrace[]): string[] => traces.map(({ id }) => id);

test("the oldest traces give way until all fit", () => {
  const third = Math.floor(MOST_KEPT_BYTES / 3);
  const known = [trace("new", third), trace("old", third), trace("oldest", third)];
  assert.deepEqual(idsOf(givingWay(known, trace("one", 2))), []);
  assert.deepEqual(idsOf(givingWay(known, trace("one", third))), ["oldest"]);
  assert.deepEqual(idsOf(givingWay(known, trace("one", 2 * third + 1))), ["old", "oldest"]);
  assert.deepEqual(idsOf(givingWay(known, trace("one", MOST_KEPT_BYTES))), [
    "new",
    "old",
    "oldest",
  ]);
});

test("a trace takes the place of its former copy, which counts no more", () => {
  const half = MOST_KEPT_BYTES / 2;
  const known = [trace("a", half, "app.trace"), trace("b", half, "other.trace")];
  assert.deepEqual(idsOf(givingWay(known, trace("one", half, "app.trace"))), ["a"]);
});

// A request that has its result a moment later.
function requestOf<T>(result: T): { result: T; onsuccess?: () => void } {
  const request: { result: T; onsuccess?: () => void } = { result };
  setTimeout(() => request.onsuccess?.(), 1);
  return request;
}

test("a reload shows the trace that was shown last, and none where that is not kept", async () => {
  const told = new Map<string, string>();
  const kept: KeptTrace[] = [];
  const store = {
    getAll: () => requestOf([...kept]),
    put: (one: KeptTrace) => requestOf(kept.push(one)),
  };
  const database = { transaction: () => ({ objectStore: () => store }) };
  let ids = 0;
  const getRandomValues = (room: Uint32Array) => room.fill(++ids);
  Object.defineProperty(globalThis, "crypto", { value: { getRandomValues } });
  Object.assign(globalThis, {
    indexedDB: { open: () => requestOf(database) },
    sessionStorage: {
      getItem: (key: string) => told.get(key) ?? null,
      setItem: (key: string, value: string) => told.set(key, value),
      removeItem: (key: string) => told.delete(key),
    },
  });
  await keepShown([{ name: "app.trace", file: new Blob(["1"]) }], []);
  assert.deepEqual([...told.values()], [kept[0]?.id]);
  const keeping = keepShown([{ name: "other.trace", file: new Blob(["2"]) }], []);
  keepNone();
  await keeping;
  assert.equal((await keptTraces()).length, 2);
  assert.deepEqual([...told.values()], []);
  const trace = (name: string, text: string) => ({ name, file: new Blob([text]) });
  await keepShown([trace("a", "a"), trace("b", "b")], [trace("c", "c")]);
  const idOf = (wanted: string) => kept.find(({ name }) => name === wanted)?.id ?? "";
  assert.deepEqual([...told.values()].sort(), [idOf("c"), `${idOf("a")},${idOf("b")}`].sort());
  await keepShown([trace("a", "1"), trace("same", "2")], [trace("same", "3")]);
  assert.equal([...told.values()].length, 1);
  assert.doesNotMatch([...told.values()].join(""), /,/);
});

test("a tab with an older page keeps a newer one from nothing but copies", async () => {
  const opening: { onblocked?: () => void } = {};
  Object.assign(globalThis, { indexedDB: { open: () => opening } });
  const asked = keptTraces();
  opening.onblocked?.();
  assert.deepEqual(await asked, []);
});
