// Which calls a row of a tree is of, and selecting them.

import { chosenOf, sameLens, type Lens } from "../../model/lens";
import type { TreeRow } from "../../model/tree/tree";
import { lensOfNode } from "../../state/actions/lens-actions";
import type { App } from "../../state/page/app";
import type { Tree } from "../../state/panels/tree";

export function lensOfRow(app: App, tree: Tree, row: TreeRow): Lens | null {
  return row.kind === "node" ? lensOfNode(app.store, row.path, tree.isInverted) : null;
}

// The calls of a row, as they are selected with its method.
function chosenOfRow(app: App, tree: Tree, row: TreeRow): Lens | null {
  if (row.kind !== "node") return null;
  return chosenOf(app.store.lens.peek(), lensOfRow(app, tree, row), row.node.method.rank);
}

// Selects the calls of a row.
export function selectRow(app: App, tree: Tree, row: TreeRow | undefined): void {
  if (row?.kind !== "node") return;
  app.select.method(row.node.method.rank, chosenOfRow(app, tree, row));
}

// Whether a row is of what is selected: where calls are picked, theirs alone, unless other rows are shown.
export function isRowSelected(app: App, tree: Tree, row: TreeRow): boolean {
  const { method, chosenCalls } = app.store;
  if (row.kind !== "node" || row.node.method.rank !== method.value) return false;
  const calls = chosenCalls.value;
  return calls === null || sameLens(chosenOfRow(app, tree, row), calls);
}
