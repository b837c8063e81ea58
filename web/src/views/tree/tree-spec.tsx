// The rows of Tree and Callers: how they look, and what keys and presses do with them.

import { barShare } from "../../model/profile/profile-rows";
import { timesOf } from "../../model/table/column-kinds";
import { timeOn } from "../../model/trace";
import { noteOf, parentRow, rowId, type TreeRow } from "../../model/tree/tree";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import type { Tree } from "../../state/panels/tree";
import type { LineSpec } from "../table/data-line";
import { nodeChange, nodeRuns } from "../../model/tree/tree-columns";
import { drawnRuns } from "../table/run-dots";
import { changeTone } from "../shared/change-tone";
import { lookThrough } from "../../state/actions/lens-actions";
import { isRowSelected, lensOfRow, selectRow } from "./tree-selection";
import { isLensKey, lensItems, listThese } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { MethodName, Swatch } from "../shared/method-name";
import { transformByKey, transformItems } from "../flame/transforms";

const MAX_INDENT = 40;

function NameCell({ row, tree }: { row: TreeRow; tree: Tree }) {
  const indent = (
    <i
      class="tree-indent"
      style={{ width: `min(50%, calc(var(--indent) * ${Math.min(row.depth, MAX_INDENT)}))` }}
    />
  );
  if (row.kind !== "node")
    return (
      <>
        {indent}
        <span class="muted tree-note">{noteOf(row)}</span>
      </>
    );
  const isOpen = tree.isOpen(row.path);
  const { method, hasChildren } = row.node;
  return (
    <>
      {indent}
      <button
        class="twist-button"
        tabIndex={-1}
        aria-label={isOpen ? "Close" : "Open"}
        title="With Shift: the whole heaviest path"
        disabled={!hasChildren}
        onClick={(event) => {
          event.stopPropagation();
          if (event.shiftKey) tree.openHeaviest(row.path);
          else tree.toggle(row.path);
        }}
      >
        {hasChildren ? <i class={isOpen ? "twist open" : "twist"} /> : null}
      </button>
      <Swatch rank={method.rank} />
      <MethodName method={method} />
    </>
  );
}

function rowItems(app: App, tree: Tree, row: TreeRow): MenuItem[] {
  if (row.kind !== "node") return [];
  const { method, hasChildren } = row.node;
  const lens = lensOfRow(app, tree, row);
  return [
    ...(lens === null ? [] : [...lensItems(app, lens), LINE]),
    ...(hasChildren
      ? [
          item("Open the heaviest path", () => tree.openHeaviest(row.path), "*"),
          item("Close all", () => tree.closeAll()),
          LINE,
        ]
      : []),
    ...transformItems(app, method.rank),
    LINE,
    ...methodItems(app, method),
  ];
}

export function treeSpec(
  app: App,
  tree: Tree,
  rows: readonly TreeRow[],
  goTo: (index: number) => void,
): LineSpec<TreeRow> {
  const { store } = app;
  const measure = store.measure.value;
  const total = tree.total.value;
  const methodTotal = tree.methodTotal.value;
  const turn = (row: TreeRow, side: "open" | "close"): boolean => {
    if (row.kind !== "node") return false;
    const isOpen = tree.isOpen(row.path) && row.node.hasChildren;
    const index = rows.indexOf(row);
    if (side === "open" && !row.node.hasChildren) return false;
    if ((side === "open") !== isOpen) tree.toggle(row.path);
    else if (side === "open") goTo(index + 1);
    else goTo(parentRow(rows, index) ?? index);
    return true;
  };
  return {
    keyOf: rowId,
    name: (row) => <NameCell row={row} tree={tree} />,
    bar: {
      usual: `incl-${measure}`,
      whole: (column) =>
        timeOn(timesOf(column).isOfMethod ? methodTotal : total, timesOf(column).measure),
      share: (row, column) => {
        if (row.kind !== "node") return null;
        const { side, isOfMethod, measure: by } = timesOf(column);
        if (!isOfMethod) return barShare(timeOn(row.node[side], by), timeOn(total, by));
        return barShare(timeOn(row.node.methodInclusive ?? {}, by), timeOn(methodTotal, by));
      },
    },
    drawOf: (row, column) => (column === "runs" ? drawnRuns(nodeRuns(row, measure)) : undefined),
    toneOf: (row, column) => changeTone(nodeChange(row, column, measure)),
    classOf: (row) =>
      row.kind === "node" && store.matches.value?.has(row.node.method.rank) === false
        ? " faded"
        : "",
    attributes: (row) => ({
      "aria-level": row.depth + 1,
      ...(row.kind === "node" && row.node.hasChildren
        ? { "aria-expanded": tree.isOpen(row.path) }
        : {}),
    }),
    isSelected: (row) => isRowSelected(app, tree, row),
    pick: (row) => {
      if (row.kind === "node") selectRow(app, tree, row);
      else if (row.kind === "more" && row.count > 0) tree.loadMore(row.path);
    },
    open: (row) => row.kind === "node" && row.node.hasChildren && tree.toggle(row.path),
    list: (row) => listThese(app, lensOfRow(app, tree, row)),
    turn,
    letter: (row, event) => {
      if (row.kind !== "node") return false;
      if (event.key === "*") tree.openHeaviest(row.path);
      else if (isLensKey(app, event)) return lookThrough(store, row.path, tree.isInverted);
      else return transformByKey(app, row.node.method.rank, event);
      return true;
    },
    items: (row) => rowItems(app, tree, row),
  };
}
