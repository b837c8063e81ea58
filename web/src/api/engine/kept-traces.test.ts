import assert from "node:assert/strict";
import test from "node:test";
import { MOST_KEPT_BYTES } from "../../model/page/recent";
import { givingWay, type KeptTrace } from "./kept-traces";

const trace = (id: string, size: number, name = id): KeptTrace => ({
  id,
  name,
  openedSeconds: 0,
  file: { size } as Blob,
});
const ids = (traces: readonly KeptTrace[]): string[] => traces.map(({ id }) => id);

test("the oldest traces give way until all fit", () => {
  const third = Math.floor(MOST_KEPT_BYTES / 3);
  const known = [trace("new", third), trace("old", third), trace("oldest", third)];
  assert.deepEqual(ids(givingWay(known, trace("one", 2))), []);
  assert.deepEqual(ids(givingWay(known, trace("one", third))), ["oldest"]);
  assert.deepEqual(ids(givingWay(known, trace("one", 2 * third + 1))), ["old", "oldest"]);
  assert.deepEqual(ids(givingWay(known, trace("one", MOST_KEPT_BYTES))), ["new", "old", "oldest"]);
});

test("a trace takes the place of its former copy, which counts no more", () => {
  const half = MOST_KEPT_BYTES / 2;
  const known = [trace("a", half, "app.trace"), trace("b", half, "other.trace")];
  assert.deepEqual(ids(givingWay(known, trace("one", half, "app.trace"))), ["a"]);
});
