import assert from "node:assert/strict";
import test from "node:test";
import { inTime, oldCount, sidesProblem } from "./sides";

const at = (...times: number[]): { lastModified: number }[] =>
  times.map((lastModified) => ({ lastModified }));

test("the old files are those before the longest pause", () => {
  assert.equal(oldCount(at(1, 2, 3, 90, 91)), 3);
  assert.equal(oldCount(at(1, 90, 91)), 1);
  assert.equal(oldCount(at(1, 2, 90)), 2);
});

test("files of one moment are halved, and either side has one", () => {
  assert.equal(oldCount(at(5, 5, 5, 5)), 2);
  assert.equal(oldCount(at(5, 5, 5)), 1);
});

test("files stand in the order of time, and those of one moment as they were given", () => {
  const files = [
    { lastModified: 2, name: "b" },
    { lastModified: 1, name: "a" },
    { lastModified: 2, name: "c" },
  ];
  assert.deepEqual(
    inTime(files).map(({ name }) => name),
    ["a", "b", "c"],
  );
});

test("either side needs a file", () => {
  assert.equal(sidesProblem(1, 3), null);
  assert.match(sidesProblem(0, 3) ?? "", /old/);
  assert.match(sidesProblem(3, 3) ?? "", /new/);
});
