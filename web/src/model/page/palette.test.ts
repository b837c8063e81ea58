import assert from "node:assert/strict";
import test from "node:test";
import { bestMatches, matchScore } from "./palette";

test("letters must come in their order", () => {
  assert.equal(matchScore("Zoom out", "tuo"), null);
  assert.ok(matchScore("Zoom out", "zo") !== null);
});

test("starts of words beat letters inside", () => {
  assert.deepEqual(
    bestMatches(["My code only", "Copy a link", "Classic mode"], "cl", (text) => text)[0],
    "Classic mode",
  );
});

test("no query keeps all, in their order", () => {
  assert.equal(bestMatches(["a", "b"], "", (text) => text).length, 2);
});
