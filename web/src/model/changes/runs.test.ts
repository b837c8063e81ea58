import assert from "node:assert/strict";
import test from "node:test";
import { oneRunText, readRuns, runText, whyText, writeRuns } from "./runs";

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

test("what is of one run a side says of which", () => {
  const side = { files: ["a", "b", "c"], typical: 1, shown: 1 };
  const one = { files: ["d"], typical: 0, shown: 0 };
  assert.equal(
    oneRunText(side, { ...side, shown: 2 }),
    "of one run a side: old run 2 of 3, the most typical; new run 3 of 3",
  );
  assert.equal(oneRunText(side, one), "of one run a side: old run 2 of 3, the most typical");
  assert.equal(
    oneRunText({ ...side, shown: -1 }, one),
    "of one run a side: old one that is none of the 3 runs",
  );
  assert.equal(oneRunText(null, null), "");
});

test("the run that is shown is told", () => {
  const told = { files: ["a", "b", "c"], typical: 1 };
  assert.equal(runText(1, told) + whyText(1, told), "run 2 of 3 is shown: the most typical");
  assert.equal(runText(2, told) + whyText(2, told), "run 3 of 3 is shown");
  assert.equal(runText(-1, told), "none of 3 runs is shown");
});
