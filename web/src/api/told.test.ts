import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeTold } from "./told";

const STATE = `"state": {"trace": 1, "loading": true}, "settings": {"theme": "dark"}`;

// A window of nothing but its header.
function emptyWindow(): string {
  const bytes = new Uint8Array(64);
  bytes.set([0x54, 0x56, 0x57, 0x32, 3]);
  bytes.fill(1, 40, 44);
  return btoa(String.fromCharCode(...bytes));
}

test("the page is told how things stand, and may be told a window", () => {
  const told = decodeTold(`{${STATE}}`);
  assert.equal(told.first.trace, 1);
  assert.equal(told.first.isLoading, true);
  assert.equal(told.first.settings["theme"], "dark");
  assert.equal(told.window, null);
  const more = decodeTold(
    `{${STATE}, "window": {"query": "width=5", "answer": "${emptyWindow()}"}}`,
  );
  assert.equal(more.window?.query, "width=5");
  assert.equal(more.window?.answer.isCoarse, true);
});

test("what it is told is checked as any answer", () => {
  assert.throws(() => decodeTold(`{}`));
  assert.throws(() => decodeTold(`{${STATE}, "window": {"query": "width=5", "answer": "AAAA"}}`));
  assert.throws(() => decodeTold(`{${STATE}, "window": {"query": "width=5", "answer": "?"}}`));
});
