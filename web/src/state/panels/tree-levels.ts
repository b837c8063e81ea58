// Asks for one level of the tree: from the route `tree`, or, where stacks are transformed, from the
// route `flame`, which alone transforms stacks.

import { levelFromFlame, ranksInLevel } from "../../model/flame/flame-levels";
import { opsQuery } from "../../model/ops";
import type { TableSort } from "../../model/table/table";
import type { TreeLevel } from "../../model/trace";
import type { TreePath } from "../../model/tree/tree";
import { isSortedBeside, treeSortQuery } from "../../model/tree/tree-columns";
import type { Query } from "../../api/source";
import type { Store } from "../store";
import { askBefore, besideTrace } from "./before";

// The width for which the flame graph is asked. The program leaves out boxes below half a pixel: at
// this width, those below an 8,192nd of the whole.
const FLAME_WIDTH = 4096;

// The most siblings that can be sorted by their numbers in the older trace.
const MOST_SORTED = 2000;

// The most levels that the program answers at once.
const MOST_LEVELS = 31;

// What is asked for with a level: the level below its first node, and so on down, as long as that node takes at
// least this share of its level.
export interface Way {
  readonly share: number;
  readonly levels: number;
}

// A level and those below it, each node beside what it was in the trace that this one is compared with.
async function besideOld(
  store: Store,
  query: Query,
  path: TreePath,
  level: TreeLevel,
  signal: AbortSignal,
): Promise<TreeLevel> {
  const old = besideTrace(store);
  const [first] = level.nodes;
  if (old === null || first === undefined) return level;
  const ranks = level.nodes.map(({ method }) => method.rank);
  const [before, below] = await Promise.all([
    askBefore(store, old, { ...query, path: path.join(".") }, ranks, signal),
    level.below === undefined
      ? undefined
      : besideOld(store, query, [...path, first.method.rank], level.below, signal),
  ]);
  return {
    ...level,
    nodes: level.nodes.map((node) => ({ ...node, before: before(node.method.rank) })),
    ...(below === undefined ? {} : { below }),
  };
}

export async function loadLevel(
  store: Store,
  path: TreePath,
  isInverted: boolean,
  limit: number,
  sort: TableSort | null,
  way: Way | null,
  signal: AbortSignal,
): Promise<TreeLevel> {
  const ops = store.ops.peek();
  const query = {
    ...store.filtered.peek(),
    ...(path.length === 0 ? {} : { path: path.join(".") }),
    ...(isInverted ? { inverted: 1 } : {}),
  };
  if (ops.length === 0) {
    const level = await store.api.tree(
      {
        ...query,
        ...treeSortQuery(sort),
        // Siblings are sorted here by what they were: then all of them have to be there.
        n: isSortedBeside(sort) ? Math.max(limit, MOST_SORTED) : limit,
        ...(way === null
          ? {}
          : { follow: way.share * 100, depth: Math.min(way.levels, MOST_LEVELS) }),
      },
      signal,
    );
    for (let at: TreeLevel | undefined = level; at !== undefined; at = at.below)
      store.names.learn(at.nodes.map((node) => node.method));
    return besideOld(store, query, path, level, signal);
  }
  const flame = await store.api.flame({ ...query, width: FLAME_WIDTH, ...opsQuery(ops) }, signal);
  await store.names.load(ranksInLevel(flame, path.length > 0));
  return levelFromFlame(flame, path.length > 0, store.measure.peek(), store.names.get);
}
