import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeStartList } from "./content";

test("the list may lack the example and more", () => {
  assert.deepEqual(decodeStartList({}), { files: [], example: null });
  const list = decodeStartList({
    recent: [{ id: "0x1", name: "a.trace", folder: "~", bytes: 5, opened_s: 7 }],
    example: { name: "recipes.trace.zst", bytes: 9 },
  });
  assert.equal(list.files[0]?.openedSeconds, 7);
  assert.deepEqual(list.example, { name: "recipes.trace.zst", bytes: 9 });
  assert.throws(() => decodeStartList({ recent: [{ id: 5 }] }));
});
