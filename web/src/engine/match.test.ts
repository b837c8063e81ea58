import assert from "node:assert/strict";
import test from "node:test";
import { Matches } from "./match";

function isMatch(expression: string, text: string, ignoresCase = false): boolean {
  const matches = new Matches();
  const handle = matches.compile(expression, ignoresCase);
  assert.equal(typeof handle, "number", `${expression}: ${handle}`);
  return matches.isMatch(Number(handle), text);
}

function reasonOf(expression: string): string {
  const reason = new Matches().compile(expression, false);
  assert.equal(typeof reason, "string", `${expression} is taken`);
  return String(reason);
}

test("an expression matches as it does in the program", () => {
  assert.ok(isMatch("a.*b", "xaab"));
  assert.ok(!isMatch("a.*b", "b"));
  assert.ok(isMatch("^java\\.util", "java.util.List"));
  assert.ok(isMatch("LIST", "java.util.List", true));
  assert.ok(isMatch("(?i)LIST", "java.util.List"));
  assert.ok(isMatch("^.$", "😀"));
  assert.ok(isMatch("(?<name>a)\\k<name>", "aa"));
});

test("signs that need no escape may have one, and may stand alone", () => {
  assert.ok(isMatch("a\\-b", "a-b"));
  assert.ok(isMatch("\\<init\\>", "<init>"));
  assert.ok(isMatch("int\\[\\]", "int[]"));
  assert.ok(isMatch("[[][\\]]", "[]"));
  assert.ok(isMatch("a{", "a{"));
  assert.ok(isMatch("a]", "a]"));
});

test("what this browser reads in another sense is refused", () => {
  for (const expression of [
    "\\Afoo",
    "foo\\z",
    "\\Qfoo\\E",
    "\\h",
    "\\x{41}",
    "[[:alpha:]]",
    "(?>a)",
    "a++",
    "a[]",
    "a[^]",
    "[]a]",
    "\\-\\A",
  ])
    assert.notEqual(reasonOf(expression), "");
});

test("the reason leaves out the expression", () => {
  assert.equal(reasonOf("a: (b"), "Unterminated group");
});

test("a released number is given again, and others stay", () => {
  const matches = new Matches();
  const first = matches.compile("a", false);
  const second = matches.compile("b", false);
  matches.release(Number(first));
  assert.equal(matches.compile("c", false), first);
  assert.ok(matches.isMatch(Number(second), "b"));
  assert.ok(matches.isMatch(Number(first), "c"));
  assert.ok(!matches.isMatch(Number(first), "a"));
});
