// Rows inside an opened method: group headings, its exclusive time, callers and callees.

import { formatCount } from "../../base/format";
import { insideCell, type Column } from "../../model/profile/columns";
import { barShare, type InsideRow } from "../../model/profile/profile-rows";
import { timeOn, type Method, type Times } from "../../model/trace";
import { Cell } from "../table/cell";
import { useApp } from "../shared/context";
import { methodItems } from "../shared/method-actions";
import { MethodName, Swatch } from "../shared/method-name";

export function InsideRowView({
  row,
  columns,
  barred,
  place,
  isMarked,
  onPick,
}: {
  row: InsideRow;
  columns: readonly Column[];
  barred: Column | null;
  place: number;
  isMarked: boolean;
  onPick: (event: MouseEvent) => void;
}) {
  const app = useApp();
  const { select } = app;
  const { profile } = app.panels;
  const marked = isMarked ? " marked" : "";
  const cells = (times: Times, calls: { calls: number; of: number } | null, context: Times) =>
    columns.slice(1).map((column) => {
      // Only inclusive times show inside a method.
      const bar =
        column === barred && column.key === "inclusive" && column.clock !== null
          ? barShare(timeOn(times, column.clock), timeOn(context, column.clock))
          : null;
      return <Cell key={column.id} text={insideCell(times, calls, column, context)} bar={bar} />;
    });
  switch (row.kind) {
    case "waiting":
      return (
        <div class="tr group" role="row" aria-rowindex={place}>
          <div class="td name" role="gridcell">
            …
          </div>
        </div>
      );
    case "group":
      return (
        <div
          class={`tr group ${row.isParents ? "parents" : "children"}${marked}`}
          role="row"
          aria-rowindex={place}
          aria-level={2}
          aria-expanded={row.isOpen}
        >
          <div class="td name" role="gridcell">
            <button
              class="group-button"
              tabIndex={-1}
              onClick={() => profile.toggleGroup(row.of, row.group)}
            >
              <i class={row.isOpen ? "twist open" : "twist"} /> {row.label}{" "}
              <span class="muted">{formatCount(row.count)}</span>
            </button>
          </div>
        </div>
      );
    case "self":
      return (
        <div
          class={`tr inside children${marked}`}
          role="row"
          aria-rowindex={place}
          aria-level={3}
          onClick={onPick}
        >
          <div class="td name" role="gridcell">
            <code>exclusive</code>
          </div>
          {cells(row.times, null, row.context)}
        </div>
      );
    case "relation":
      return (
        <div
          class={`tr inside ${row.isParents ? "parents" : "children"}${marked}`}
          role="row"
          aria-rowindex={place}
          aria-level={3}
          onClick={(event) => {
            if (event.shiftKey) return onPick(event);
            profile.openOnly(row.row.rank);
            select.method(row.row.rank);
          }}
          onContextMenu={(event) => {
            event.preventDefault();
            app.menu.value = {
              x: event.clientX,
              y: event.clientY,
              label: row.row.name,
              items: () => methodItems(app, row.row),
            };
          }}
        >
          <div class="td name" role="gridcell">
            <Relative method={row.row} />
          </div>
          {cells(row.row.inclusive, { calls: row.row.calls, of: row.row.ofCalls }, row.context)}
        </div>
      );
  }
}

function Relative({ method }: { method: Method }) {
  return (
    <>
      <Swatch rank={method.rank} />
      <MethodName method={method} />
    </>
  );
}
