import assert from "node:assert/strict";
import test from "node:test";
import { longerWord, matcherOf } from "./text-pattern";

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

test("an equal sign finds whole words", () => {
  assert.ok(matcherOf("=worker")("Image worker-1"));
  assert.ok(matcherOf("=HashMap")("java.util.HashMap$Node.getKey"));
  assert.ok(!matcherOf("=HashMap")("ConcurrentHashMap.put HashMap2"));
  assert.ok(!matcherOf("=Hash")("HashMap"));
  assert.ok(matcherOf("=aa")("aaa aa"));
  assert.ok(matcherOf("=")("a=b"));
});

test("a longer word is told where the text has no whole one", () => {
  assert.equal(longerWord("HashMap", "a.ConcurrentHashMap.put ()V"), "ConcurrentHashMap");
  assert.equal(longerWord("hashmap", "a.ConcurrentHashMap.put ()V"), "ConcurrentHashMap");
  assert.equal(longerWord("HashMap", "a.HashMap.put ()V"), null);
  assert.equal(longerWord("HashMap", "a.B.put ()V"), null);
  assert.equal(longerWord("/HashMap/", "a.ConcurrentHashMap.put ()V"), null);
});
