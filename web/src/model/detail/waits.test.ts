import assert from "node:assert/strict";
import test from "node:test";
import { processorText, waitHeading, type Detail } from "./detail";
import { toldUnrecorded, unrecordedNote } from "../waits";

const NONE = { methods: 0, ns: 0 };
const DETAIL: Detail = {
  ...{ total: {}, calls: 1, exclusive: {}, self: {}, parts: [], moreParts: 0, path: [], waits: [] },
  ...{ idle: 0, moreWaits: NONE, smallWaits: NONE, hiddenWait: 0 },
  inclusive: { wall: 100e6, cpu: 20e6, wait: 80e6 },
  unrecorded: 60e6,
};

test("what is not recorded of waits is told from a hundredth on", () => {
  assert.equal(toldUnrecorded(1e6, 100e6), 1e6);
  assert.equal(toldUnrecorded(999_999, 100e6), 0);
  assert.equal(unrecordedNote(0), "");
  assert.equal(unrecordedNote(755e6), ", 755 ms of that not recorded");
});

test("details tell it of a wait, and have shares of what is recorded", () => {
  assert.equal(waitHeading(DETAIL), "Waited 80.0 ms, 60.0 ms of that not recorded");
  assert.equal(waitHeading({ ...DETAIL, unrecorded: 0 }), "Waited 80.0 ms");
  assert.equal(processorText(DETAIL), "50 % of the recorded wall time on a processor");
  assert.equal(processorText({ ...DETAIL, unrecorded: 100e6 }), "");
});
