import assert from "node:assert/strict";
import test from "node:test";
import { readStory, stepBy, stepCount, writeStory } from "./story";

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
  const facts = { marks: 2, hasMeanwhile: true };
  assert.equal(stepBy({ of: 1, step: 1 }, -1, facts), null);
  assert.deepEqual(stepBy({ of: 1, step: 2 }, 1, facts), { of: 1, step: 3 });
  assert.equal(stepBy({ of: 1, step: 3 }, 1, { ...facts, marks: 9 }), null);
  assert.equal(stepBy({ of: "marks", step: 2 }, 1, facts), null);
});

test("where nothing can be said of other threads, an insight has two steps", () => {
  const facts = { marks: 5, hasMeanwhile: false };
  assert.equal(stepCount({ of: 1, step: 1 }, facts), 2);
  assert.equal(stepBy({ of: 1, step: 2 }, 1, facts), null);
  assert.deepEqual(stepBy({ of: 1, step: 3 }, -1, facts), { of: 1, step: 2 });
  assert.equal(stepCount({ of: "marks", step: 1 }, facts), 5);
});
