import assert from "node:assert/strict";
import test from "node:test";
import { runDots, runsText, spreadOf, spreadText } from "./run-values";

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
