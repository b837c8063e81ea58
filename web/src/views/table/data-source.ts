// Where a table's rows come from, and how they leave it.

import { tableCsv, tableText, type TableColumn, type TableId } from "../../model/table/table";
import type { TableExport, TableState } from "../../state/tables";
import type { LineSpec } from "./data-line";

export interface Source<R> {
  readonly count: number;
  row(index: number): R | undefined;
  need?(first: number, last: number): void;
  // Every row, as far as a clipboard or a file can use them.
  all(): Promise<readonly R[]>;
}

// Rows that are all there.
export function localSource<R>(rows: readonly R[]): Source<R> {
  return {
    count: rows.length,
    row: (index) => rows[index],
    all: () => Promise.resolve(rows),
  };
}

export function exportOf<R>(
  id: TableId,
  label: string,
  source: Source<R>,
  columns: readonly TableColumn<R>[],
  state: TableState,
): TableExport {
  return {
    id,
    label,
    marked: () => {
      const { at, anchor } = state.cursor.peek();
      if (at < 0) return null;
      const rows: R[] = [];
      for (let ix = Math.min(at, anchor); ix <= Math.max(at, anchor); ix++) {
        const row = source.row(ix);
        if (row !== undefined) rows.push(row);
      }
      return rows.length === 0 ? null : tableText(rows, columns, false);
    },
    text: async () => tableText(await source.all(), columns, true),
    csv: async () => tableCsv(await source.all(), columns),
  };
}

// Farther down than this nobody looks for where the keys begin.
const LOOK = 1000;

// The first selected row; -1 where there is none.
export function selectedIndex<R>(source: Source<R>, spec: LineSpec<R>): number {
  for (let ix = 0; ix < Math.min(source.count, LOOK); ix++) {
    const row = source.row(ix);
    if (row !== undefined && spec.isSelected?.(row) === true) return ix;
  }
  return -1;
}
