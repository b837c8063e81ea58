import assert from "node:assert/strict";
import test from "node:test";
import { flattenTree } from "./tree";
import type { TreeLevel, TreeNode } from "../trace";

function node(rank: number): TreeNode {
  const method = {
    rank,
    id: "",
    method: `m${rank}`,
    class: "",
    name: `m${rank}`,
    signature: "",
    file: "",
    line: -1,
  };
  return { method, calls: 1, inclusive: { wall: 1 }, exclusive: { wall: 1 }, hasChildren: true };
}

function level(ranks: readonly number[], more = 0): TreeLevel {
  return { total: { wall: 1 }, nodes: ranks.map(node), more };
}

const shape = (rows: ReturnType<typeof flattenTree>): string[] =>
  rows.map(
    (row) => `${"-".repeat(row.depth)}${row.kind === "node" ? row.path.join(".") : row.kind}`,
  );

test("closed nodes hide what is below, opened ones show it in place", () => {
  const levels = new Map([
    ["", level([1, 2])],
    ["1", level([3])],
  ]);
  assert.deepEqual(shape(flattenTree([], levels, new Set())), ["1", "2"]);
  assert.deepEqual(shape(flattenTree([], levels, new Set(["1"]))), ["1", "-1.3", "2"]);
});

test("a level on its way shows that it is", () => {
  const levels = new Map([["", level([1])]]);
  assert.deepEqual(shape(flattenTree([], levels, new Set(["1"]))), ["1", "-waiting"]);
});

test("what was left out is said at its place", () => {
  assert.deepEqual(shape(flattenTree([], new Map([["", level([1], 7)]]), new Set())), [
    "1",
    "more",
  ]);
});

test("a base path shows only what is below it", () => {
  assert.deepEqual(shape(flattenTree([9], new Map([["9", level([4])]]), new Set())), ["9.4"]);
});

test("ten thousand levels do not overflow the stack", () => {
  const levels = new Map<string, TreeLevel>();
  const opened = new Set<string>();
  let key = "";
  for (let depth = 0; depth < 2000; depth++) {
    levels.set(key, level([1]));
    opened.add(key);
    key = key === "" ? "1" : `${key}.1`;
  }
  assert.equal(flattenTree([], levels, opened).length, 2000);
});
