import assert from "node:assert/strict";
import test from "node:test";
import { hasOverhead, overheadOf, type TraceInfo } from "./trace";

const INFO: Pick<TraceInfo, "properties" | "sampled"> = {
  sampled: false,
  properties: [["clock-call-overhead-nsec", "50"]],
};

test("the estimate counts two readings a call, of all clocks at once", () => {
  assert.equal(overheadOf(INFO, 10), 10 * 2 * 50);
  assert.equal(overheadOf({ ...INFO, properties: [] }, 10), null);
  assert.equal(overheadOf({ ...INFO, sampled: true }, 10), null);
  assert.equal(hasOverhead(null), false);
});
