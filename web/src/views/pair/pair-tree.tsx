// The tree of two calls: each place that either has, with the numbers of both, what changed most first.

import { plural } from "../../base/format";
import { pairChange, type PairRow } from "../../model/pair/pair-tree";
import { parentRow, rowId } from "../../model/tree/tree";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import { PAIR_SORT } from "../../state/panels/pair-tree";
import { changeTone } from "../shared/change-tone";
import { useApp } from "../shared/context";
import { methodItems } from "../shared/method-actions";
import { MethodName, Swatch } from "../shared/method-name";
import type { LineSpec } from "../table/data-line";
import { localSource } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { TableFooter } from "../table/table-footer";

const MAX_INDENT = 40;

export function PairTree() {
  const app = useApp();
  const { tree } = app.panels.pair;
  const rows = tree.rows.value;
  const columns = tree.columns.value;
  const nodes = rows.filter((row) => row.kind === "node").length;
  return (
    <div class="with-footer">
      <DataTable
        table="pair"
        label="Tree of both calls"
        isTree
        columns={columns}
        firstSort={PAIR_SORT}
        source={localSource(rows)}
        spec={pairSpec(app, rows)}
        isBusy={tree.isLoading.value}
        error={tree.error.value}
        isEmpty={rows.length === 0}
        empty="Nothing to compare."
      />
      <TableFooter table="pair" columns={columns} count={plural(nodes, "row")} />
    </div>
  );
}

function NameCell({ row }: { row: PairRow }) {
  const { tree } = useApp().panels.pair;
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
        <span class="muted tree-note">…</span>
      </>
    );
  const { method, hasChildren } = row.node;
  const isOpen = tree.isOpen(row.path);
  return (
    <>
      {indent}
      <button
        class="twist-button"
        tabIndex={-1}
        aria-label={isOpen ? "Close" : "Open"}
        disabled={!hasChildren}
        onClick={(event) => {
          event.stopPropagation();
          tree.toggle(row.path);
        }}
      >
        {hasChildren ? <i class={isOpen ? "twist open" : "twist"} /> : null}
      </button>
      <Swatch rank={method.rank} />
      <MethodName method={method} />
    </>
  );
}

function pairSpec(app: App, rows: readonly PairRow[]): LineSpec<PairRow> {
  const { store, select, panels } = app;
  const { tree } = panels.pair;
  const measure = store.measure.value;
  const goTo = (index: number): void => {
    panels.tables.pair.cursor.value = { at: index, anchor: index };
  };
  return {
    keyOf: rowId,
    name: (row) => <NameCell row={row} />,
    toneOf: (row, column) => {
      const kind = /^change-(incl|excl)$/.exec(column)?.[1];
      if (row.kind !== "node" || kind === undefined) return "";
      return changeTone(
        pairChange(row.node, kind === "incl" ? "inclusive" : "exclusive", measure) ?? 0,
      );
    },
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
    isSelected: (row) => row.kind === "node" && row.node.method.rank === store.method.value,
    pick: (row) => {
      if (row.kind === "node") select.method(row.node.method.rank);
    },
    open: (row) => {
      if (row.kind === "node" && row.node.hasChildren) tree.toggle(row.path);
    },
    turn: (row, side) => {
      if (row.kind !== "node") return false;
      const isOpen = tree.isOpen(row.path) && row.node.hasChildren;
      const index = rows.indexOf(row);
      if (side === "open" && !row.node.hasChildren) return false;
      if ((side === "open") !== isOpen) tree.toggle(row.path);
      else goTo(side === "open" ? index + 1 : (parentRow(rows, index) ?? index));
      return true;
    },
    items: (row): MenuItem[] =>
      row.kind !== "node"
        ? []
        : [item("Close all", () => tree.closeAll()), LINE, ...methodItems(app, row.node.method)],
  };
}
