import assert from "node:assert/strict";
import test from "node:test";
import { csvCell, csvLine } from "./csv";

test("CSV quotes what needs it and defuses formulas", () => {
  assert.equal(csvCell('a"b,c'), '"a""b,c"');
  assert.equal(csvCell("=1+1"), "'=1+1");
  assert.equal(csvCell(-3), "-3");
  assert.equal(csvLine(["a", 1]), "a,1\r\n");
});
