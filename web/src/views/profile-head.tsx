// The headings of the Profile; a press sorts.

import { isSortedBy, nextSort, type Column } from "../model/columns";
import { useApp } from "./context";

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
