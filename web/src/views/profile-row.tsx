// One row of the Profile: a method, or one of the rows inside an opened method.

import { methodCell, type Column } from "../model/columns";
import { barShare, type VisualRow } from "../model/profile-rows";
import { timeOn, type ProfileRow, type Times } from "../model/trace";
import { useApp } from "./context";
import { MethodName, Swatch } from "./method-name";
import { methodItems } from "./method-actions";
import { Cell, InsideRowView } from "./profile-inside";

interface Props {
  readonly row: VisualRow;
  readonly columns: readonly Column[];
  readonly place: number;
}

export function ProfileRowView({ row, columns, place }: Props) {
  const { profile } = useApp();
  if (row.kind !== "method") return <InsideRowView row={row} columns={columns} place={place} />;
  const method = profile.row(row.index);
  if (method === undefined)
    return (
      <div class="tr waiting" role="row" aria-rowindex={place}>
        <div class="td name" role="gridcell">
          …
        </div>
      </div>
    );
  return <MethodRowView method={method} columns={columns} place={place} />;
}

function MethodRowView({
  method,
  columns,
  place,
}: {
  method: ProfileRow;
  columns: readonly Column[];
  place: number;
}) {
  const app = useApp();
  const { store, profile, select } = app;
  const total = profile.sheet.value?.head.total ?? {};
  const isOpen = profile.isOpen(method.rank);
  const isSelected = store.method.value === method.rank;
  const isFaded = store.matches.value !== null && !store.matches.value.has(method.rank);
  const classes = `tr${isSelected ? " selected" : ""}${isFaded ? " faded" : ""}`;
  return (
    <div
      class={classes}
      role="row"
      aria-rowindex={place}
      aria-level={1}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      data-rank={method.rank}
      onClick={() => select.method(method.rank)}
      onDblClick={() => profile.toggle(method.rank)}
      onContextMenu={(event) => {
        event.preventDefault();
        app.menu.value = {
          x: event.clientX,
          y: event.clientY,
          label: method.name,
          items: () => methodItems(app, method),
        };
      }}
    >
      <div class="td name" role="gridcell">
        <button
          class="twist-button"
          tabIndex={-1}
          aria-label={isOpen ? "Close" : "Open"}
          onClick={(event) => {
            event.stopPropagation();
            select.method(method.rank);
            profile.toggle(method.rank);
          }}
        >
          <i class={isOpen ? "twist open" : "twist"} />
        </button>
        <Swatch rank={method.rank} />
        <span class="rank">{method.rank}</span>
        <MethodName method={method} />
      </div>
      {columns.slice(1).map((column) => (
        <Cell
          key={column.id}
          text={methodCell(method, column, total)}
          bar={barFor(column, method.inclusive, total)}
        />
      ))}
    </div>
  );

  function barFor(column: Column, times: Times, whole: Times): number | null {
    return column.key === "inclusive" && column.clock === store.measure.value && !column.isPercent
      ? barShare(timeOn(times, column.clock), timeOn(whole, column.clock))
      : null;
  }
}
