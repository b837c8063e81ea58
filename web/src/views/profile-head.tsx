// The headings of the Profile; a press sorts.

import { isSortedBy, moveColumn, nextSort, type Column } from "../model/columns";
import { setSetting } from "../state/choose";
import { useApp } from "./context";

const DRAG_TYPE = "text/x-traceview-column";

export function HeadRow({ columns }: { columns: readonly Column[] }) {
  const { store } = useApp();
  const sort = store.sort.value;
  return (
    <div class="tr head" role="row" aria-rowindex={1}>
      {columns.map((column) => {
        const isSorted = isSortedBy(sort, column);
        const direction = sort.order === "asc" ? "ascending" : "descending";
        return (
          <div
            key={column.id}
            class={column.id === "name" ? "td name" : "td"}
            role="columnheader"
            aria-sort={isSorted ? direction : "none"}
            draggable={column.id !== "name"}
            onDragStart={(event) => event.dataTransfer?.setData(DRAG_TYPE, column.id)}
            onDragOver={(event) => {
              if (event.dataTransfer?.types.includes(DRAG_TYPE) === true) event.preventDefault();
            }}
            onDrop={(event) => {
              const dragged = event.dataTransfer?.getData(DRAG_TYPE) ?? "";
              const ids = columns.map((one) => one.id);
              setSetting(store, { columns: moveColumn(ids, dragged, column.id) });
            }}
          >
            <button
              title={column.title}
              onClick={() => (store.sort.value = nextSort(sort, column))}
            >
              {column.label}
              {isSorted ? <i class={sort.order === "asc" ? "sort asc" : "sort"} /> : null}
            </button>
          </div>
        );
      })}
    </div>
  );
}
