// The tree of calls, callees downwards (Tree) or callers upwards (Callers).

import { useSignal } from "@preact/signals";
import { plural } from "../../base/format";
import { shortName } from "../../model/names";
import type { TableSort } from "../../model/table/table";
import type { TreeRow } from "../../model/tree/tree";
import { callWords } from "../../model/words";
import type { Tree } from "../../state/panels/tree";
import type { Store } from "../../state/store";
import { useApp } from "../shared/context";
import { BesideNote } from "../shared/beside-note";
import { NoneHere } from "../shared/empty-table";
import { localSource, type Source } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { Swatch } from "../shared/method-name";
import { OpChips } from "../flame/op-chips";
import { TableFooter } from "../table/table-footer";
import { useTreeSight } from "./tree-scroll";
import { selectRow } from "./tree-selection";
import { treeSpec } from "./tree-spec";
import type { ShowRow } from "../table/virtual-rows";

export function TreeTab() {
  const { store, panels } = useApp();
  const { tree } = panels;
  return (
    <div class={store.ops.value.length > 0 ? "with-header with-footer" : "with-footer"}>
      <Transformed />
      <TreeTable tree={tree} table="tree" />
    </div>
  );
}

function Transformed() {
  const { store } = useApp();
  if (store.ops.value.length === 0) return null;
  return (
    <div class="tab-tools">
      <OpChips />
      <span class="muted clip">
        Stacks are transformed: only the clock in use is told, small nodes are added up.
      </span>
    </div>
  );
}

export function CallersTab() {
  const { store, panels } = useApp();
  const { callers } = panels;
  const rank = store.method.value;
  void store.names.version.value;
  const method = rank === null ? undefined : store.names.get(rank);
  const isAll = store.isCallersOfAll.value || rank === null;
  return (
    <div class="with-header with-footer">
      <div class="tab-tools">
        {isAll ? (
          <span class="muted clip">
            Every method by its exclusive time; open one to see who called it.
          </span>
        ) : (
          <span class="clip">
            Callers of <Swatch rank={rank ?? 0} />
            <code>{method === undefined ? "…" : shortName(method)}</code>
            <span class="muted">, by the time it spends itself for each</span>
          </span>
        )}
        {rank === null ? null : (
          <button
            class="link"
            onClick={() => (store.isCallersOfAll.value = !store.isCallersOfAll.peek())}
          >
            {isAll ? "Only of the selected method" : "Of all methods"}
          </button>
        )}
        <OpChips />
      </div>
      <TreeTable tree={callers} table="callers" />
    </div>
  );
}

// Callers are of the method's own time: of waits, calls that only what they called waited in have none.
function noCallerWhat({ info, measure }: Store): string {
  const { one } = callWords(info.value?.sampled === true);
  return `${one} of it${measure.value === "wait" ? " that waited itself" : ""}`;
}

function TreeTable({ tree, table }: { tree: Tree; table: "tree" | "callers" }) {
  const app = useApp();
  const { store } = app;
  const show = useSignal<ShowRow | null>(null);
  useTreeSight(tree, table, show);
  const rows = tree.rows.value;
  const columns = tree.columns.value;
  const firstSort: TableSort = { column: `incl-${store.measure.value}`, order: "desc" };
  const source: Source<TreeRow> = {
    ...localSource(rows),
    all: () => Promise.resolve(rows.filter((row) => row.kind === "node")),
  };
  const goTo = (index: number): void => {
    app.panels.tables[table].cursor.value = { at: index, anchor: index };
    show.value = { index, rows: 1 };
    selectRow(app, tree, rows[index]);
  };
  const nodes = rows.filter((row) => row.kind === "node").length;
  return (
    <>
      <DataTable
        table={table}
        label={table === "tree" ? "Tree" : "Callers"}
        isTree
        columns={columns}
        firstSort={firstSort}
        source={source}
        spec={treeSpec(app, tree, rows, goTo)}
        isBusy={tree.isLoading.value}
        error={tree.error.value}
        isEmpty={rows.length === 0}
        empty={
          table === "callers" && !store.isCallersOfAll.value && store.filter.value === "" ? (
            <NoneHere what={noCallerWhat(store)} />
          ) : (
            <NoneHere what="stack" />
          )
        }
        show={show}
      />
      <TableFooter table={table} columns={columns} count={plural(nodes, "row")}>
        {store.ops.value.length > 0 ? null : <BesideNote />}
      </TableFooter>
    </>
  );
}
