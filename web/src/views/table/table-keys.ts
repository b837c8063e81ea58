// The keyboard in tables: arrows, Page and Home keys move, Shift marks rows, Ctrl+A marks all,
// Ctrl+C copies the marked ones, Enter opens, with Shift it lists, right and left unfold and fold, the menu key opens
// the menu of the row.

import { cursorKey, type Cursor } from "../../model/table/table";
import type { App } from "../../state/page/app";
import type { TableExport, TableState } from "../../state/panels/tables";
import type { LineSpec } from "./data-line";
import { copyMarked } from "./table-menu";
import { ROW_PX } from "./virtual-rows";

interface KeyedTable<R> {
  readonly state: TableState;
  readonly count: number;
  readonly spec: LineSpec<R>;
  readonly exported: TableExport;
  row(index: number): R | undefined;
  // The row from which keys walk while none has been pressed.
  start(): number;
  goTo(cursor: Cursor): void;
}

// Keys count only while the body of the table has the focus: buttons and inputs inside it keep
// theirs.
export function isTableBody(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.classList.contains("table-body");
}

function openMenu<R>(app: App, body: HTMLElement, table: KeyedTable<R>, row: R): boolean {
  const items = table.spec.items;
  if (items === undefined) return false;
  const box = body.getBoundingClientRect();
  const at = table.state.cursor.peek().at;
  const y = Math.min(box.height - ROW_PX, Math.max(0, at * ROW_PX - body.scrollTop));
  app.menu.value = {
    x: box.left + 40,
    y: box.top + y + ROW_PX,
    label: "Row",
    items: () => items(row),
  };
  return true;
}

function withCtrl<R>(app: App, table: KeyedTable<R>, key: string): boolean {
  if (key === "a") {
    table.state.cursor.value = { anchor: 0, at: table.count - 1 };
    return true;
  }
  // Ctrl+C copies the text that the user marked, if there is one.
  return (
    key === "c" && (self.getSelection()?.toString() ?? "") === "" && copyMarked(app, table.exported)
  );
}

export function tableKey<R>(app: App, table: KeyedTable<R>, event: KeyboardEvent): void {
  if (!isTableBody(event.target) || event.altKey) return;
  if (run(app, table, event, event.target)) {
    event.preventDefault();
    event.stopPropagation();
  }
}

function run<R>(app: App, table: KeyedTable<R>, event: KeyboardEvent, body: HTMLElement): boolean {
  if (event.ctrlKey || event.metaKey)
    return !event.shiftKey && withCtrl(app, table, event.key.toLowerCase());
  const { cursor } = table.state;
  const at = cursor.peek().at >= 0 ? cursor.peek().at : table.start();
  const from = cursor.peek().at >= 0 ? cursor.peek() : { at, anchor: at };
  const next = cursorKey(from, table.count, event.key, event.shiftKey);
  if (next !== null) {
    table.goTo(next);
    return true;
  }
  const row = table.row(at);
  if (row === undefined) return false;
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))
    return openMenu(app, body, table, row);
  if (event.key === "Enter" && event.shiftKey && table.spec.list !== undefined)
    return table.spec.list(row);
  if (event.key === "Enter") {
    (table.spec.open ?? table.spec.pick)?.(row);
    return true;
  }
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    table.spec.turn?.(row, event.key === "ArrowRight" ? "open" : "close");
    return true;
  }
  return table.spec.letter?.(row, event) ?? false;
}
