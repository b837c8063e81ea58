import assert from "node:assert/strict";
import test from "node:test";
import { clamp, hashText, medianOf } from "./math";
import { linePieces, unitPieces, visibleText } from "./text";
import { niceStep, ticksFor } from "./ticks";

test("steps are 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([1, 1.1, 2, 3, 5, 5.1, 99, 100].map(niceStep), [1, 2, 2, 5, 5, 10, 100, 100]);
  assert.equal(niceStep(0), 1);
  assert.equal(niceStep(0.001), 1);
});

test("numbers and their units are pieces of their own", () => {
  const text = "2 of 5 calls took < 1 % of 16.7 ms; 1,204 s in Md5 sum.";
  const numbers = unitPieces(text).filter((_, ix) => ix % 2 === 1);
  assert.deepEqual(numbers, ["< 1 %", "16.7 ms", "1,204 s"]);
  assert.equal(unitPieces(text).join(""), text);
});

test("ticks lie in the range, at least a gap apart", () => {
  const { step, values } = ticksFor(612_000, 1_105_000, 1000, 100);
  assert.equal(step, 50_000);
  assert.equal(values[0], 650_000);
  assert.equal(values[values.length - 1], 1_100_000);
});

test("ticks of a range of no width are few", () => {
  assert.ok(ticksFor(5, 5, 1000, 100).values.length <= 2);
});

test("clamp and hash", () => {
  assert.equal(clamp(5, 0, 3), 3);
  assert.equal(clamp(5, 0, -3), 0);
  assert.equal(hashText("java.lang"), hashText("java.lang"));
  assert.notEqual(hashText("java.lang"), hashText("java.util"));
});

test("what would turn text around is seen", () => {
  assert.equal(
    visibleText("a\u202egpj.exe\u2066\u200f\u061c"),
    "a\\u202egpj.exe\\u2066\\u200f\\u061c",
  );
  assert.equal(visibleText("a\nb\tc\u001b[1m\u0085"), "a\\nb\\tc\\x1b[1m\\x85");
  assert.equal(
    visibleText("a\u200bb\ufeff\u00ad\u{e0041}\ufe0f"),
    "a\\u200bb\\ufeff\\xad\\U000e0041\\ufe0f",
  );
  assert.equal(visibleText("größer שלום <init>"), "größer שלום <init>");
});

test("a name may end its lines between its words", () => {
  const pieces = (name: string) => linePieces(name).join("|");
  assert.equal(
    pieces("com.example.RecipeApp$LoadListener.nativeFinished"),
    "com.|example.|Recipe|App$|Load|Listener.|native|Finished",
  );
  assert.equal(pieces("<init>"), "<init>");
  assert.equal(pieces("(byte[], int) void"), "(|byte[],| int)| void");
  assert.equal(pieces("parseURL2Text"), "parse|URL2|Text");
  assert.equal(pieces(""), "");
});

test("a median is the value in the middle, or between the two in the middle", () => {
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 2, 3]), 2.5);
  assert.equal(medianOf([]), 0);
});
