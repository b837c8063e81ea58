import assert from "node:assert/strict";
import test from "node:test";
import {
  flagAt,
  flagsIn,
  MAX_MARKS,
  readMark,
  renameMark,
  toggleMark,
  writeMark,
  type Mark,
} from "./marks";

const SLOW: Mark = {
  from: 610_000_000,
  to: 720_500_000,
  text: "slow, 100 % | odd",
  call: {
    thread: { id: 1, name: "main, the first" },
    method: "a.B.c (Ljava/lang/String;)V",
    ordinal: 10,
  },
};
const START: Mark = { from: 0, to: 5_000_000, text: "", call: null };

test("a mark goes through a link unchanged", () => {
  for (const mark of [SLOW, START]) assert.deepEqual(readMark(writeMark(mark)), mark);
});

test("a mark that a link says wrongly is none", () => {
  assert.equal(readMark("10-3ms|x"), null);
  assert.equal(readMark(""), null);
  assert.equal(readMark("1-3ms|x|main|1|a.b")?.call, null);
});

test("marking twice takes the mark away; marks stand in the order of time", () => {
  const both = toggleMark(toggleMark([], SLOW), START);
  assert.deepEqual(both, [START, SLOW]);
  assert.deepEqual(toggleMark(both, { ...SLOW, text: "renamed since" }), [START]);
});

test("the same range with another call is another mark", () => {
  assert.equal(toggleMark([SLOW], { ...SLOW, call: null }).length, 2);
});

test("there is an end to marks", () => {
  let marks: readonly Mark[] = [];
  for (let i = 0; i < MAX_MARKS + 10; i++)
    marks = toggleMark(marks, { from: i, to: i + 1, text: "", call: null });
  assert.equal(marks.length, MAX_MARKS);
});

test("a mark can be renamed", () => {
  assert.deepEqual(
    renameMark([START, SLOW], START, "beginning").map((mark) => mark.text),
    ["beginning", SLOW.text],
  );
});

test("a flag stands where its mark begins, or at the edge", () => {
  const view = { from: 600_000_000, to: 700_000_000 };
  const flags = flagsIn([START, SLOW, { ...START, from: 1, to: 650_000_000 }], view, 1000);
  assert.deepEqual(
    flags.map((flag) => flag.x),
    [100, 0],
  );
  assert.equal(flagAt(flags, 104), SLOW);
  assert.equal(flagAt(flags, 3)?.to, 650_000_000);
  assert.equal(flagAt(flags, 50), null);
});
