// The state of a table on the screen: its cursor, and how it is copied.

import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { NO_CURSOR, type Cursor, type TableColumn, type TableId } from "../../model/table/table";
import type { TableExport } from "../../state/panels/tables";
import { useApp } from "../shared/context";
import type { LineSpec } from "./data-line";
import type { Source } from "./data-source";
import type { ShowRow } from "./virtual-rows";

// The main table of a tab is the one that the Share menu copies.
export function useExport(exported: TableExport, isMain: boolean): void {
  const { shown } = useApp().panels.tables;
  useEffect(() => {
    if (isMain) shown.value = exported;
  });
  useEffect(
    () => () => {
      if (shown.peek()?.id === exported.id) shown.value = null;
    },
    [],
  );
}

interface CursorActions {
  pick(index: number): void;
  goTo(cursor: Cursor): void;
}

export function useCursor<R>(
  table: TableId,
  source: Source<R>,
  spec: LineSpec<R>,
  columns: readonly TableColumn<R>[],
  show: Signal<ShowRow | null>,
): CursorActions {
  const { store, panels } = useApp();
  const { tables } = panels;
  const { cursor } = tables[table];
  const waiting = useRef(-1);

  const pick = (index: number): void => {
    const row = source.row(index);
    waiting.current = row === undefined ? index : -1;
    if (row === undefined) return;
    spec.pick?.(row);
    store.announce.value = columns.map((column) => column.text(row)).join(", ");
  };
  // The cursor may be on a row that was not there yet when a key led to it.
  useEffect(() => {
    if (waiting.current >= 0 && waiting.current === cursor.peek().at) pick(waiting.current);
  });
  useEffect(
    () => () => {
      cursor.value = NO_CURSOR;
    },
    [],
  );
  return {
    pick,
    goTo: (next) => {
      cursor.value = next;
      show.value = { index: next.at, rows: 1 };
      if (next.at === next.anchor) pick(next.at);
    },
  };
}
