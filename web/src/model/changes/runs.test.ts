import assert from "node:assert/strict";
import test from "node:test";
import {
  readRuns,
  runDots,
  runsText,
  runText,
  spreadOf,
  spreadText,
  whyText,
  writeRuns,
} from "./runs";

test("runs of a link are read as they are written", () => {
  const runs = { old: ["2", "3"], new: ["1", "5"] };
  assert.equal(writeRuns(runs), "2,3~1,5");
  assert.deepEqual(readRuns("2,3~1,5"), runs);
});

test("what names no runs is none", () => {
  for (const text of [null, "", "1", "1~", "~1", "1~2~3", "1,2~2", "1~..", "a b~c"])
    assert.equal(readRuns(text), null, String(text));
  const many = Array.from({ length: 32 }, (_, ix) => String(ix));
  assert.equal(readRuns(`${many.join(",")}~x`), null);
  assert.notEqual(readRuns(`${many.slice(1).join(",")}~x`), null);
});

test("the run that is shown is told", () => {
  const told = { files: ["a", "b", "c"], typical: 1 };
  assert.equal(runText(1, told) + whyText(1, told), "run 2 of 3 is shown: the most typical");
  assert.equal(runText(2, told) + whyText(2, told), "run 3 of 3 is shown");
  assert.equal(runText(-1, told), "none of 3 runs is shown");
});

test("dots stand where their values are, from nothing on", () => {
  const values = { old: [1e6, 2e6], new: [4e6] };
  assert.deepEqual(runDots(values), [
    { side: "old", at: 0.25 },
    { side: "old", at: 0.5 },
    { side: "new", at: 1 },
  ]);
  assert.deepEqual(runDots({ old: [0], new: [0] }), [
    { side: "old", at: 0 },
    { side: "new", at: 0 },
  ]);
  assert.equal(spreadOf(values.old), 1e6);
  assert.equal(spreadOf([]), 0);
  assert.equal(spreadText(values.old), "1.000 to 2.000");
  assert.equal(spreadText(values.new), "4.000");
  assert.equal(spreadText([]), "");
  assert.equal(runsText(values), "1.000, 2.000 before, 4.000 now");
});
