import assert from "node:assert/strict";
import test from "node:test";
import { hasOverhead } from "./told";

test("methods have an estimate where the trace as a whole has one", () => {
  assert.equal(hasOverhead({ overhead: { ns: 7 } }), true);
  assert.equal(hasOverhead({}), false);
  assert.equal(hasOverhead(null), false);
});
