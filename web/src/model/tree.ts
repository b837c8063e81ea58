// The tree as rows on the screen.

import type { TreeLevel, TreeNode } from "./trace";

// Ranks from the root to a node.
export type TreePath = readonly number[];

export function pathKey(path: TreePath): string {
  return path.join(".");
}

export type TreeRow =
  | {
      readonly kind: "node";
      readonly path: TreePath;
      readonly depth: number;
      readonly node: TreeNode;
    }
  | {
      readonly kind: "more";
      readonly path: TreePath;
      readonly depth: number;
      readonly count: number;
    }
  | { readonly kind: "waiting"; readonly path: TreePath; readonly depth: number };

// The rows below `base`: nodes, and below opened nodes their children. Walks with a stack of its own,
// since a path may be very long.
export function flattenTree(
  base: TreePath,
  levels: ReadonlyMap<string, TreeLevel>,
  opened: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const stack: TreeRow[] = [...below(base, 0, levels)].reverse();
  while (stack.length > 0) {
    const row = stack.pop();
    if (row === undefined) break;
    rows.push(row);
    if (row.kind !== "node" || !opened.has(pathKey(row.path))) continue;
    stack.push(...below(row.path, row.depth + 1, levels).reverse());
  }
  return rows;
}

function below(path: TreePath, depth: number, levels: ReadonlyMap<string, TreeLevel>): TreeRow[] {
  const level = levels.get(pathKey(path));
  if (level === undefined) return [{ kind: "waiting", path, depth }];
  const rows: TreeRow[] = level.nodes.map((node) => ({
    kind: "node",
    path: [...path, node.method.rank],
    depth,
    node,
  }));
  if (level.more > 0) rows.push({ kind: "more", path, depth, count: level.more });
  return rows;
}
