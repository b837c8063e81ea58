// The tree of calls, callees downwards (Tree) or callers upwards (Callers).

import { shortName } from "../model/names";
import { MEASURE_NAMES } from "../model/trace";
import type { Tree } from "../state/tree";
import { useApp } from "./context";
import { Swatch } from "./method-name";
import { TableMessage } from "./table-message";
import { TreeLine } from "./tree-line";
import { VirtualRows } from "./virtual-rows";

export function TreeTab() {
  const { tree } = useApp();
  return <TreeTable tree={tree} label="Tree" isInverted={false} />;
}

export function CallersTab() {
  const { store, callers } = useApp();
  const rank = store.method.value;
  void store.names.version.value;
  const method = rank === null ? undefined : store.names.get(rank);
  const isAll = store.isCallersOfAll.value || rank === null;
  return (
    <div class="with-header">
      <div class="tab-tools">
        {isAll ? (
          <span class="muted">
            Every method by its exclusive time; open one to see who called it.
          </span>
        ) : (
          <span class="clip">
            Callers of <Swatch rank={rank ?? 0} />
            <code>{method === undefined ? "…" : shortName(method)}</code>
            <span class="muted">, by the exclusive time spent for them</span>
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
      </div>
      <TreeTable tree={callers} label="Callers" isInverted />
    </div>
  );
}

function TreeTable({
  tree,
  label,
  isInverted,
}: {
  tree: Tree;
  label: string;
  isInverted: boolean;
}) {
  const { store } = useApp();
  const rows = tree.rows.value;
  const measure = store.measure.value;
  const name = MEASURE_NAMES[measure];
  const widths = isInverted ? "170px 90px 110px" : "170px 90px 120px 110px";
  const heads = isInverted
    ? [`${name}, ms`, "%", "Calls"]
    : [`Incl ${name}`, "%", `Excl ${name}`, "Calls"];
  return (
    <div
      class="table"
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-busy={tree.isLoading.value}
      style={{ "--columns": widths }}
    >
      <div role="rowgroup">
        <div class="tr head" role="row">
          {["Name", ...heads].map((text, ix) => (
            <div key={text} class={ix === 0 ? "td name" : "td"} role="columnheader">
              {text}
            </div>
          ))}
        </div>
      </div>
      <VirtualRows
        count={rows.length}
        label={label}
        render={(first, last) =>
          rows
            .slice(first, last)
            .map((row, ix) => (
              <TreeLine
                key={`${row.kind}${row.path.join(".")}`}
                row={row}
                tree={tree}
                isInverted={isInverted}
                place={first + ix + 2}
              />
            ))
        }
      >
        <TableMessage
          error={tree.error.value}
          isEmpty={rows.length === 0}
          empty="No calls in this range and these threads."
        />
      </VirtualRows>
    </div>
  );
}
