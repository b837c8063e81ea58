import assert from "node:assert/strict";
import test from "node:test";
import { matcherOf } from "./text-pattern";

test("a text is found inside, and an upper-case letter makes case count", () => {
  assert.ok(matcherOf("worker")("ImageWorker-1"));
  assert.ok(matcherOf("Worker")("ImageWorker-1"));
  assert.ok(!matcherOf("WORKER")("ImageWorker-1"));
  assert.ok(matcherOf("")("anything"));
});

test("slashes make an expression; a wrong one finds nothing", () => {
  assert.ok(matcherOf("/^Image.*2$/")("ImageWorker-2"));
  assert.ok(!matcherOf("/^Image.*2$/")("ImageWorker-1"));
  assert.ok(!matcherOf("/(/")("("));
  assert.ok(matcherOf("a/b")("a/b.c"));
});
