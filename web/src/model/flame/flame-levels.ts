// One level of a tree, made from the boxes of a flame graph: the program transforms stacks for
// flame graphs only.

import { NO_PARENT, type FlameAnswer } from "./flame";
import type { Measure, Method, Times, TreeLevel, TreeNode } from "../trace";

// The boxes of the level: the roots, or below a path the callees of its last method.
function boxesOf(flame: FlameAnswer, hasPath: boolean): number[] {
  const boxes: number[] = [];
  for (let ix = 0; ix < flame.x.length; ix++)
    if (flame.depth[ix] === (hasPath ? 1 : 0)) boxes.push(ix);
  return boxes;
}

export function ranksInLevel(flame: FlameAnswer, hasPath: boolean): number[] {
  return boxesOf(flame, hasPath).map((ix) => flame.rank[ix] ?? 0);
}

function timesOn(measure: Measure, ns: number): Times {
  switch (measure) {
    case "wall":
      return { wall: ns };
    case "cpu":
      return { cpu: ns };
    case "wait":
      return { wait: ns };
  }
}

export function levelFromFlame(
  flame: FlameAnswer,
  hasPath: boolean,
  measure: Measure,
  methodOf: (rank: number) => Method | undefined,
): TreeLevel {
  const parents = new Set<number>();
  for (const parent of flame.parent) if (parent !== NO_PARENT) parents.add(parent);
  const nodes = boxesOf(flame, hasPath).flatMap((ix): TreeNode[] => {
    const method = methodOf(flame.rank[ix] ?? 0);
    const value = flame.value[ix] ?? 0;
    const self = flame.self[ix] ?? 0;
    if (method === undefined) return [];
    return [
      {
        method,
        calls: flame.calls[ix] ?? 0,
        inclusive: timesOn(measure, value),
        exclusive: timesOn(measure, self),
        // A callee that is too thin has no box, but its time is missing from the own time of the
        // caller.
        hasChildren: parents.has(ix) || value > self,
      },
    ];
  });
  const shown = nodes.reduce((sum, node) => sum + (node.inclusive[measure] ?? 0), 0);
  const own = hasPath ? (flame.self[0] ?? 0) : 0;
  return {
    total: timesOn(measure, flame.root),
    nodes,
    more: 0,
    rest: Math.max(0, Math.round(flame.root - own - shown)),
  };
}
