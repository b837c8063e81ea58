// The headings of a table: a press sorts, a right press chooses columns, a drag moves one.

import type { Order } from "../../model/table/table";

const DRAG_TYPE = "text/x-traceview-column";

interface Heading {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly isUnsorted?: boolean;
  readonly isText?: boolean;
}

interface Props {
  readonly columns: readonly Heading[];
  orderOf(id: string): Order | null;
  // Absent for a table that cannot be sorted.
  onSort?(id: string): void;
  onMove?(dragged: string, onto: string): void;
  onMenu?(event: MouseEvent): void;
}

export function TableHead({ columns, orderOf, onSort, onMove, onMenu }: Props) {
  return (
    <div role="rowgroup">
      <div
        class="tr head"
        role="row"
        aria-rowindex={1}
        onContextMenu={(event) => {
          if (onMenu === undefined) return;
          event.preventDefault();
          onMenu(event);
        }}
      >
        {columns.map(({ id, label, title, isUnsorted, isText }, ix) => {
          const order = orderOf(id);
          const drag =
            onMove === undefined || ix === 0
              ? {}
              : {
                  draggable: true,
                  onDragStart: (event: DragEvent) => event.dataTransfer?.setData(DRAG_TYPE, id),
                };
          return (
            <div
              key={id}
              class={ix === 0 ? "td name" : isText === true ? "td text" : "td"}
              role="columnheader"
              aria-sort={order === null ? "none" : order === "asc" ? "ascending" : "descending"}
              {...drag}
              onDragOver={(event) => {
                if (event.dataTransfer?.types.includes(DRAG_TYPE) === true) event.preventDefault();
              }}
              onDrop={(event) => onMove?.(event.dataTransfer?.getData(DRAG_TYPE) ?? "", id)}
            >
              {onSort === undefined || isUnsorted === true ? (
                label
              ) : (
                <button title={title} onClick={() => onSort(id)}>
                  {label}
                  {order === null ? null : <i class={order === "asc" ? "sort asc" : "sort"} />}
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
