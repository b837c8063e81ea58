// One level of the tree from the program: as it is, or, where stacks are transformed, from the flame graph,
// which alone can do that.

import { levelFromFlame, ranksInLevel } from "../model/flame/flame-levels";
import { opsQuery } from "../model/ops";
import type { TableSort } from "../model/table/table";
import type { TreeLevel } from "../model/trace";
import type { TreePath } from "../model/tree/tree";
import { treeSortQuery } from "../model/tree/tree-columns";
import type { Store } from "./store";

// Boxes below half a pixel are left out of a flame graph: this wide, what is below an 8,192nd.
const FLAME_WIDTH = 4096;

export async function loadLevel(
  store: Store,
  path: TreePath,
  isInverted: boolean,
  limit: number,
  sort: TableSort | null,
  signal: AbortSignal,
): Promise<TreeLevel> {
  const ops = store.ops.peek();
  const query = {
    ...store.filtered.peek(),
    ...(path.length === 0 ? {} : { path: path.join(".") }),
    ...(isInverted ? { inverted: 1 } : {}),
  };
  if (ops.length === 0) {
    const level = await store.api.tree({ ...query, ...treeSortQuery(sort), n: limit }, signal);
    store.names.learn(level.nodes.map((node) => node.method));
    return level;
  }
  const flame = await store.api.flame({ ...query, width: FLAME_WIDTH, ...opsQuery(ops) }, signal);
  await store.names.load(ranksInLevel(flame, path.length > 0));
  return levelFromFlame(flame, path.length > 0, store.measure.peek(), store.names.get);
}
