// One row of the tree.

import { formatCount, formatMs, formatPercent } from "../base/format";
import { barShare } from "../model/profile-rows";
import { timeOn, type Times } from "../model/trace";
import type { TreeRow } from "../model/tree";
import type { Tree } from "../state/tree";
import { useApp } from "./context";
import { methodItems } from "./method-actions";
import { MethodName, Swatch } from "./method-name";

const INDENT_PX = 14;
const MAX_INDENT = 40;
const BAR_PX = 58;

export function TreeLine({
  row,
  tree,
  isInverted,
  place,
}: {
  row: TreeRow;
  tree: Tree;
  isInverted: boolean;
  place: number;
}) {
  const app = useApp();
  const { store, select } = app;
  const indent = { paddingLeft: `${6 + Math.min(row.depth, MAX_INDENT) * INDENT_PX}px` };
  if (row.kind !== "node")
    return (
      <div class="tr" role="row" aria-rowindex={place} aria-level={row.depth + 1}>
        <div class="td name muted" role="gridcell" style={indent}>
          {row.kind === "waiting" ? "…" : `${formatCount(row.count)} more, each smaller`}
        </div>
      </div>
    );
  const { node } = row;
  const isOpen = tree.isOpen(row.path);
  const isSelected = store.method.value === node.method.rank;
  const isFaded = store.matches.value !== null && !store.matches.value.has(node.method.rank);
  const measure = store.measure.value;
  const on = (times: Times): number => timeOn(times, measure) ?? 0;
  const total = timeOn(tree.total.value, measure) ?? 0;
  const bar = barShare(on(node.inclusive), total) * BAR_PX;
  return (
    <div
      class={`tr${isSelected ? " selected" : ""}${isFaded ? " faded" : ""}`}
      role="row"
      aria-rowindex={place}
      aria-level={row.depth + 1}
      aria-selected={isSelected}
      {...(node.hasChildren ? { "aria-expanded": isOpen } : {})}
      onClick={() => select.method(node.method.rank)}
      onDblClick={() => tree.toggle(row.path)}
      onContextMenu={(event) => {
        event.preventDefault();
        app.menu.value = {
          x: event.clientX,
          y: event.clientY,
          label: node.method.name,
          items: () => methodItems(app, node.method),
        };
      }}
    >
      <div class="td name" role="gridcell" style={indent}>
        <button
          class="twist-button"
          tabIndex={-1}
          aria-label={isOpen ? "Close" : "Open"}
          title="With Shift: the whole heaviest path"
          disabled={!node.hasChildren}
          onClick={(event) => {
            event.stopPropagation();
            if (event.shiftKey) tree.openHeaviest(row.path);
            else tree.toggle(row.path);
          }}
        >
          {node.hasChildren ? <i class={isOpen ? "twist open" : "twist"} /> : null}
        </button>
        <Swatch rank={node.method.rank} />
        <MethodName method={node.method} />
      </div>
      <div class="td" role="gridcell">
        {bar > 0 ? <span class="bar-mark" style={{ width: `${Math.max(1, bar)}px` }} /> : null}
        {formatMs(on(node.inclusive))}
      </div>
      <div class="td" role="gridcell">
        {formatPercent(on(node.inclusive), total)}
      </div>
      {isInverted ? null : (
        <div class="td" role="gridcell">
          {formatMs(on(node.exclusive))}
        </div>
      )}
      <div class="td" role="gridcell">
        {formatCount(node.calls)}
      </div>
    </div>
  );
}
