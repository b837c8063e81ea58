import assert from "node:assert/strict";
import test from "node:test";
import {
  boxOfPath,
  labelForms,
  matchedShare,
  nameOfTooltip,
  pathText,
  pictureBoxes,
  ranksThatMatch,
  zoomTo,
} from "./picture";

const row = (level: number, start: number, value: number, name: string) => ({
  level,
  start,
  value,
  name,
});

// all (100) with a (60) and b (40); on a: c (30) twice, c of the second with b (10) on it.
const BOXES = pictureBoxes([
  row(0, 0, 100, "all"),
  row(1, 0, 60, "a"),
  row(2, 0, 30, "c"),
  row(2, 30, 30, "c"),
  row(3, 40, 10, "b"),
  row(1, 60, 40, "b"),
]);

test("parents come from levels, ranks from names", () => {
  assert.deepEqual([...BOXES.parent], [0xffffffff, 0, 1, 1, 3, 0]);
  assert.deepEqual([...BOXES.rank], [0, 1, 2, 2, 3, 3]);
  assert.deepEqual(BOXES.names, ["all", "a", "c", "b"]);
});

test("a zoomed box is as wide as the picture, and so is what is below it", () => {
  const zoomed = zoomTo(BOXES, 3);
  assert.deepEqual([...zoomed.width], [1, 1, 0, 1, 10 / 30, 0]);
  assert.deepEqual([...zoomed.left], [0, 0, 0, 0, 10 / 30, 0]);
  assert.deepEqual([...zoomTo(BOXES, 0).width], [1, 0.6, 0.3, 0.3, 0.1, 0.4]);
});

test("what matches counts once, as a share of the box that is zoomed to", () => {
  const ofB = ranksThatMatch(BOXES, "^b$", false) ?? new Set();
  const ofAll = ranksThatMatch(BOXES, "[bc]", false) ?? new Set();
  assert.equal(matchedShare(BOXES, ofB, 0), 0.5);
  assert.equal(matchedShare(BOXES, ofAll, 0), 1);
  assert.equal(matchedShare(BOXES, ofB, 1), 10 / 60);
  assert.equal(matchedShare(BOXES, ofB, 2), 0);
});

test("case counts unless it is ignored, and what is no expression is told", () => {
  assert.equal(ranksThatMatch(BOXES, "B", false)?.size, 0);
  assert.equal(ranksThatMatch(BOXES, "B", true)?.size, 1);
  assert.equal(ranksThatMatch(BOXES, "(", false), null);
});

test("a path leads back to its box, also among boxes of one name", () => {
  for (let ix = 0; ix < BOXES.x.length; ix++)
    assert.equal(boxOfPath(BOXES, pathText(BOXES, ix)), ix);
  assert.equal(pathText(BOXES, 4), "a/c~1/b");
  assert.equal(boxOfPath(BOXES, "a/gone/b"), 1);
  assert.equal(boxOfPath(BOXES, ""), 0);
});

test("names of any characters stand in paths", () => {
  const odd = pictureBoxes([row(0, 0, 9, "all"), row(1, 0, 5, "a/b~1;%2F&#é"), row(1, 5, 4, "")]);
  for (const ix of [1, 2]) assert.equal(boxOfPath(odd, pathText(odd, ix)), ix);
  assert.equal(boxOfPath(odd, ""), 0);
});

test("the name is what stands before the numbers of a tooltip", () => {
  assert.equal(nameOfTooltip("f(int) (12.3 ms, 4.5%)"), "f(int)");
  assert.equal(nameOfTooltip("plain"), "plain");
});

test("a Java method has shorter forms, other names have none", () => {
  assert.deepEqual(labelForms("com.example.App$Loader.run"), [
    "com.example.App$Loader.run",
    "App$Loader.run",
    "Loader.run",
    "run",
  ]);
  assert.deepEqual(labelForms("com/example/App#run"), ["com/example/App#run", "App.run", "run"]);
  assert.deepEqual(labelForms("libart.so"), ["libart.so"]);
  assert.deepEqual(labelForms("all"), ["all"]);
});
