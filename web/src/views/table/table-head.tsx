// The headings of a table: a press sorts, a right press chooses columns, a drag moves one.

import type { Order, TableId } from "../../model/table/table";
import { useWidths, type Widths } from "./column-widths";

const DRAG_TYPE = "text/x-traceview-column";

interface Heading {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly isUnsorted?: boolean;
  readonly isText?: boolean;
}

interface Props {
  readonly table: TableId;
  readonly columns: readonly Heading[];
  orderOf(id: string): Order | null;
  // Absent for a table that cannot be sorted.
  onSort?(id: string): void;
  onMove?(dragged: string, onto: string): void;
  onMenu?(event: MouseEvent): void;
}

export function TableHead({ table, columns, orderOf, onSort, onMove, onMenu }: Props) {
  const widths = useWidths(table);
  return (
    <div role="rowgroup">
      <div
        class="tr head"
        role="row"
        aria-rowindex={1}
        onScroll={(event) => scrollBody(event.currentTarget)}
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
              onKeyDown={(event) => widths.onKey(event, id)}
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
              <WidthHandle widths={widths} id={id} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

// Where headings are scrolled aside, as by the focus of the keyboard, the rows go along.
function scrollBody(head: HTMLElement): void {
  const body = head.parentElement?.parentElement?.querySelector(".table-body");
  if (body instanceof HTMLElement && body.scrollLeft !== head.scrollLeft)
    body.scrollLeft = head.scrollLeft;
}

// The edge of a column, to drag; a double press gives the column its usual width.
function WidthHandle({ widths, id }: { widths: Widths; id: string }) {
  return (
    <span
      class="width-handle"
      aria-hidden="true"
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => widths.onPress(event, id)}
      onDblClick={() => widths.forget(id)}
    />
  );
}
