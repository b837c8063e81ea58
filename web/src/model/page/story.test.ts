import assert from "node:assert/strict";
import test from "node:test";
import { readStory, stepBy, writeStory } from "./story";

test("a link names a story and the step", () => {
  for (const story of [
    { of: 2, step: 3 },
    { of: "marks", step: 50 },
  ] as const)
    assert.deepEqual(readStory(writeStory(story)), story);
  for (const text of [null, "", "2", "2.4", "0.1", "marks.0", "marks.999", "x.1", "2.1.1"])
    assert.equal(readStory(text), null);
});

test("steps end at the first and at the last", () => {
  assert.equal(stepBy({ of: 1, step: 1 }, -1, 0), null);
  assert.deepEqual(stepBy({ of: 1, step: 2 }, 1, 0), { of: 1, step: 3 });
  assert.equal(stepBy({ of: 1, step: 3 }, 1, 9), null);
  assert.equal(stepBy({ of: "marks", step: 2 }, 1, 2), null);
});
