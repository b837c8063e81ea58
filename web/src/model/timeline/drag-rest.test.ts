import assert from "node:assert/strict";
import { test } from "node:test";
import { isStillAtRest, type Rested } from "./drag-rest";

const row = { thread: { id: 1 } };
const ended: Rested = { x: 100, y: 50, row, box: { depth: 3, call: 7 }, item: null, mark: null };

test("a pointer that trembles is at rest, whatever is beside it", () => {
  assert.ok(isStillAtRest(ended, { ...ended, x: 104, y: 54, box: { depth: 4, call: 1 } }));
});

test("on the same thing it is at rest a little farther, and not for ever", () => {
  assert.ok(isStillAtRest(ended, { ...ended, x: 140 }));
  assert.ok(!isStillAtRest(ended, { ...ended, x: 160 }));
});

test("another box, row, frame or mark is what it goes on to", () => {
  const near = { ...ended, x: 110 };
  for (const other of [
    { box: { depth: 3, call: 8 } },
    { box: { depth: 4, call: 7 } },
    { box: null },
    { row: { thread: { id: 2 } } },
    { row: null },
    { item: {} },
    { mark: {} },
  ])
    assert.ok(!isStillAtRest(ended, { ...near, ...other }), JSON.stringify(other));
});
