import assert from "node:assert/strict";
import { test } from "node:test";
import { isMappingName, isMappingText, knownText } from "./mapping";

test("a mapping is known by its first line about a class", () => {
  assert.equal(isMappingText('# compiler: R8\n# {"id":"x"}\r\n\r\na.B -> c.d:\r\n'), true);
  assert.equal(isMappingText("\uFEFFa.B -> c:\n    int x -> y\n"), true);
});

test("other texts are none, whatever stands further down", () => {
  assert.equal(isMappingText("*version\n3\na.B -> c:\n"), false);
  assert.equal(isMappingText("    int x -> y:\n"), false);
  assert.equal(isMappingText("# compiler: R8\n"), false);
  assert.equal(isMappingText(""), false);
});

test("a packed file is taken for one by its name", () => {
  assert.equal(isMappingName("app-mapping.txt.gz"), true);
  assert.equal(isMappingName("mapping.trace.gz"), false);
});

test("what a mapping knows is never rounded up", () => {
  const of = (asked: number, known: number, isById = false) =>
    knownText({ mapping: "m", isGiven: true, counts: { isById, renamed: 4, asked, known } });
  assert.equal(of(1000, 999), ", which knows 99 % of the names (999 of 1,000)");
  assert.equal(of(3, 3), ", which knows 100 % of the names (3 of 3)");
  assert.equal(of(0, 0), ", which renames 4 methods");
  assert.equal(of(3, 1, true), ", whose id the trace has");
  assert.equal(knownText({ mapping: "m", isGiven: true, counts: null }), "");
});
