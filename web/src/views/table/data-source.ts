// Where the rows of a table come from, and how they are copied.

import { tableCsv, tableText, type TableColumn, type TableId } from "../../model/table/table";
import type { TableExport, TableState } from "../../state/panels/tables";
import type { LineSpec } from "./data-line";

export interface Source<R> {
  readonly count: number;
  row(index: number): R | undefined;
  need?(first: number, last: number): void;
  // All rows, or as many as a clipboard or a file can use.
  all(): Promise<readonly R[]>;
}

// A source whose rows are all at hand.
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

// The number of rows among which the first selected one is looked for.
const LOOK = 1000;

// The first selected row; -1 where there is none.
export function selectedIndex<R>(source: Source<R>, spec: LineSpec<R>): number {
  for (let ix = 0; ix < Math.min(source.count, LOOK); ix++) {
    const row = source.row(ix);
    if (row !== undefined && spec.isSelected?.(row) === true) return ix;
  }
  return -1;
}
