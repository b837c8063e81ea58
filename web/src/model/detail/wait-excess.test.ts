import assert from "node:assert/strict";
import { test } from "node:test";
import { waitRests } from "./detail";

const NONE = { methods: 0, ns: 0 };
const ROW = {
  method: {
    ...{ rank: 0, id: "0x4", method: "sleep", class: "", name: "sleep" },
    ...{ signature: "", file: "", line: 0 },
  },
  ...{ calls: 2, inclusive: {}, exclusive: {}, passedOn: 0, longest: null, wait: 60e6 },
};
const DETAIL = {
  inclusive: { wait: 70e6 },
  waits: [ROW],
  ...{ total: {}, calls: 1, exclusive: {}, self: {}, parts: [], moreParts: 0, path: [], idle: 0 },
  ...{ moreWaits: NONE, smallWaits: NONE, hiddenWait: 0, unrecorded: 0 },
};
const LESS = "less elsewhere, where CPU time is longer than wall time";

test("parts of a wait are not more than all of it without a word of why", () => {
  const rests = { methods: 59, ns: 12e6 };
  assert.deepEqual(waitRests({ ...DETAIL, moreWaits: rests }), [
    "12.0 ms in 59 more methods",
    LESS,
  ]);
  assert.deepEqual(waitRests({ ...DETAIL, smallWaits: rests }), [
    "12.0 ms in 59 methods of less than 1 % each",
    LESS,
  ]);
  assert.deepEqual(waitRests({ ...DETAIL, waits: [ROW, ROW] }), [LESS]);
});

test("what is more by too little to be seen is not told, nor by small waits that are not told", () => {
  const row = { ...ROW, wait: 70e6 + 10 };
  const small = { methods: 9, ns: 5e6 };
  assert.deepEqual(waitRests({ ...DETAIL, waits: [row], smallWaits: small }), []);
  assert.deepEqual(waitRests(DETAIL), []);
});
