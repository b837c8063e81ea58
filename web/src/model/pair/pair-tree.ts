// The tree of what two calls called, with the numbers of both in each node. Both are of one trace, so methods are the same
// where their ranks are; "this" is the call that was asked about, "other" the one that it is compared with.

import type { Siblings, TreePath, TreeRow } from "../tree/tree";
import {
  timeOn,
  type Measure,
  type Method,
  type Times,
  type TreeLevel,
  type TreeNode,
} from "../trace";

export type PairSide = "this" | "other";

interface PairNumbers {
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
}

export interface PairNode extends Readonly<Record<PairSide, PairNumbers | null | undefined>> {
  readonly method: Method;
  readonly hasChildren: boolean;
  // Of the calls themselves: they are of two methods, of which this call's has the row.
  readonly isOfTwo?: boolean;
  // Null: that call did not call it there. Undefined: not told, since the answer lists only the first siblings.
  readonly this: PairNumbers | null | undefined;
  readonly other: PairNumbers | null | undefined;
}

export type PairRow = TreeRow<PairNode>;
export type PairLevel = Siblings<PairNode>;

const NO_LEVEL: TreeLevel = { total: {}, nodes: [], more: 0 };

// Puts the nodes at one place of both trees together; null: that call has no such place.
export function pairLevel(own: TreeLevel | null, other: TreeLevel | null): PairLevel {
  const [a, b] = [own ?? NO_LEVEL, other ?? NO_LEVEL];
  const [owns, others] = [byRank(a), byRank(b)];
  const methods = new Map([...b.nodes, ...a.nodes].map(({ method }) => [method.rank, method]));
  const nodes = [...methods].map(([rank, method]): PairNode => {
    const [now, then] = [owns.get(rank), others.get(rank)];
    return {
      method,
      hasChildren: now?.hasChildren === true || then?.hasChildren === true,
      this: now ?? (a.more > 0 ? undefined : null),
      other: then ?? (b.more > 0 ? undefined : null),
    };
  });
  return { nodes, more: 0 };
}

function byRank({ nodes }: TreeLevel): ReadonlyMap<number, TreeNode> {
  return new Map(nodes.map((node) => [node.method.rank, node]));
}

// The roots of both are the calls themselves, and one row, also where they are calls of two methods. It has the method of this
// call; below it, methods stand together whoever called them.
export function pairRoot(own: TreeLevel, other: TreeLevel): PairLevel {
  const [first] = own.nodes;
  const [second] = other.nodes;
  if (first === undefined) return { nodes: [], more: 0 };
  return {
    nodes: [
      {
        method: first.method,
        hasChildren: first.hasChildren || second?.hasChildren === true,
        this: first,
        other: second ?? null,
        isOfTwo: second !== undefined && second.method.rank !== first.method.rank,
      },
    ],
    more: 0,
  };
}

// The time of a side; a call that does not have the node spent none there.
export function pairTime(
  node: PairNode,
  side: PairSide,
  kind: "inclusive" | "exclusive",
  measure: Measure,
): number | undefined {
  const numbers = node[side];
  if (numbers === undefined) return undefined;
  return numbers === null ? 0 : timeOn(numbers[kind], measure);
}

// How much more this call has.
export function pairChange(
  node: PairNode,
  kind: "inclusive" | "exclusive",
  measure: Measure,
): number | undefined {
  const own = pairTime(node, "this", kind, measure);
  const other = pairTime(node, "other", kind, measure);
  return own === undefined || other === undefined ? undefined : own - other;
}

export function pairCalls(node: PairNode, side: PairSide): number | undefined {
  const numbers = node[side];
  return numbers === null ? 0 : numbers?.calls;
}

// The child with most of a node's change, if that is at least `share` of it; null: no child has that much.
export function mostChanged(
  level: PairLevel,
  whole: number,
  share: number,
  measure: Measure,
): { readonly rank: number; readonly change: number } | null {
  let most: { readonly rank: number; readonly change: number } | null = null;
  for (const node of level.nodes) {
    const change = pairChange(node, "inclusive", measure) ?? 0;
    if (Math.abs(change) > Math.abs(most?.change ?? 0)) most = { rank: node.method.rank, change };
  }
  return most !== null && Math.abs(most.change) >= Math.abs(whole) * share ? most : null;
}

// The path of the other call: it begins with that call's method.
export function otherPath(path: TreePath, rank: number): TreePath {
  return path.length === 0 ? path : [rank, ...path.slice(1)];
}
