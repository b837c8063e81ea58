import assert from "node:assert/strict";
import { test } from "node:test";
import { typedLine, walkMenu } from "./menu-walk";

const line = (label: string) => ({ label, isSecond: false });
const only = (label: string) => ({ label: `Only ${label}`, isSecond: true });
const THREADS = [
  line("All threads"), // 0
  line("main"), // 1
  only("main"),
  line("Binder:1"), // 3
  only("Binder:1"),
  line("Binder:2"), // 5
  only("Binder:2"),
];
const walk = (now: number, key: string) => walkMenu(THREADS, now, key);

test("down and up go from line to line, also from a line's second button, and round", () => {
  assert.deepEqual(
    [-1, 0, 1, 2, 5, 6].map((now) => walk(now, "ArrowDown")),
    [0, 1, 3, 3, 0, 0],
  );
  assert.deepEqual(
    [-1, 0, 1, 2, 3, 6].map((now) => walk(now, "ArrowUp")),
    [5, 5, 0, 0, 1, 3],
  );
});

test("right and left go from button to button, and round", () => {
  assert.deepEqual(
    [-1, 0, 1, 6].map((now) => walk(now, "ArrowRight")),
    [0, 1, 2, 0],
  );
  assert.deepEqual(
    [-1, 0, 2, 6].map((now) => walk(now, "ArrowLeft")),
    [6, 6, 1, 5],
  );
});

test("Home and End lead to the first and to the last line", () => {
  assert.deepEqual([walk(4, "Home"), walk(1, "End")], [0, 5]);
});

test("other keys, and a menu without buttons, lead nowhere", () => {
  assert.equal(walk(1, "a"), null);
  for (const key of ["ArrowDown", "ArrowUp", "ArrowLeft", "Home", "End"])
    assert.equal(walkMenu([], -1, key), null);
});

test("the beginning of a name leads to it, and no button beside it is asked", () => {
  assert.equal(typedLine(THREADS, 0, "m"), 1);
  assert.equal(typedLine(THREADS, 0, "BINDER:2"), 5);
  assert.equal(typedLine(THREADS, 3, "bi"), 3);
  assert.equal(typedLine(THREADS, 0, "o"), null);
  assert.equal(typedLine(THREADS, 0, "mainz"), null);
});

test("one letter leads to the next name that begins with it, and again, and round", () => {
  assert.deepEqual(
    [0, 3, 5].map((now) => typedLine(THREADS, now, "b")),
    [3, 5, 3],
  );
  assert.deepEqual(
    [3, 5].map((now) => typedLine(THREADS, now, "bb")),
    [5, 3],
  );
});
