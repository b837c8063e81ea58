// The tree as rows on the screen.

import { formatCount, formatDuration } from "../../base/format";
import type { TreeNode } from "../trace";

// Ranks from the root to a node.
export type TreePath = readonly number[];

export function pathKey(path: TreePath): string {
  return path.join(".");
}

// What a node has in any tree.
interface Branch {
  readonly method: { readonly rank: number };
  readonly hasChildren: boolean;
}

// The children of a node.
export interface Siblings<Node> {
  readonly nodes: readonly Node[];
  readonly more: number;
  readonly rest?: number;
}

export type TreeRow<Node = TreeNode> =
  | {
      readonly kind: "node";
      readonly path: TreePath;
      readonly depth: number;
      readonly node: Node;
    }
  | {
      readonly kind: "more";
      readonly path: TreePath;
      readonly depth: number;
      // The number of nodes that are not listed, or the time of the nodes that are too small to be
      // listed one by one.
      readonly count: number;
      readonly rest: number;
    }
  | { readonly kind: "waiting"; readonly path: TreePath; readonly depth: number };

export function rowId(row: Pick<TreeRow, "kind" | "path">): string {
  return `${row.kind}${pathKey(row.path)}`;
}

// The rows below `base`: nodes, and below opened nodes their children, siblings in the order of
// `arrange`. The walk keeps a stack of its own, since a path may be a million nodes long.
export function flattenTree<Node extends Branch = TreeNode>(
  base: TreePath,
  levels: ReadonlyMap<string, Siblings<Node>>,
  opened: ReadonlySet<string>,
  arrange: (siblings: readonly TreeRow<Node>[]) => readonly TreeRow<Node>[] = (siblings) =>
    siblings,
): TreeRow<Node>[] {
  const rows: TreeRow<Node>[] = [];
  const stack: TreeRow<Node>[] = [...arrange(below(base, 0, levels))].reverse();
  while (stack.length > 0) {
    const row = stack.pop();
    if (row === undefined) break;
    rows.push(row);
    if (row.kind !== "node" || !row.node.hasChildren || !opened.has(pathKey(row.path))) continue;
    const children = arrange(below(row.path, row.depth + 1, levels));
    for (let ix = children.length - 1; ix >= 0; ix--) {
      const child = children[ix];
      if (child !== undefined) stack.push(child);
    }
  }
  return rows;
}

function below<Node extends Branch>(
  path: TreePath,
  depth: number,
  levels: ReadonlyMap<string, Siblings<Node>>,
): TreeRow<Node>[] {
  const level = levels.get(pathKey(path));
  if (level === undefined) return [{ kind: "waiting", path, depth }];
  const rows: TreeRow<Node>[] = level.nodes.map((node) => ({
    kind: "node",
    path: [...path, node.method.rank],
    depth,
    node,
  }));
  const rest = level.rest ?? 0;
  if (level.more > 0 || rest > 0) rows.push({ kind: "more", path, depth, count: level.more, rest });
  return rows;
}

// The row of the caller: the nearest row above this one that stands less deep.
export function parentRow(
  rows: readonly { readonly depth: number }[],
  index: number,
): number | null {
  const depth = rows[index]?.depth ?? 0;
  for (let ix = index - 1; ix >= 0; ix--) if ((rows[ix]?.depth ?? 0) < depth) return ix;
  return null;
}

// What a row says that is no node.
export function noteOf(row: TreeRow): string {
  if (row.kind !== "more") return "…";
  return row.count > 0
    ? `${formatCount(row.count)} more: press to list them`
    : `others too small to tell apart, together ${formatDuration(row.rest)}`;
}
