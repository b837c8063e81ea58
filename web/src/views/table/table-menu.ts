// The menu entries of every table: which columns show, and copying or saving of rows.

import type { TableColumn, TableId } from "../../model/table/table";
import { shownTableColumns } from "../../model/table/table";
import { setSetting } from "../../state/actions/choose";
import type { App } from "../../state/page/app";
import { choice, head, item, LINE, type MenuItem } from "../../state/page/menu";
import type { TableExport } from "../../state/panels/tables";
import { copyText, saveText } from "../shared/share";

function copyTable(app: App, table: TableExport): void {
  table
    .text()
    .then((text) => copyText(app, text, "Table"))
    .catch(app.store.report);
}

function copyTableCsv(app: App, table: TableExport): void {
  table
    .csv()
    .then((text) => copyText(app, text, "Table"))
    .catch(app.store.report);
}

function saveTableCsv(app: App, table: TableExport): void {
  const file = (app.store.info.peek()?.file ?? "trace").replace(/\.(trace|zst|gz)(?=\.|$)/g, "");
  table
    .csv()
    .then((text) => saveText(`${file}-${table.id}.csv`, text, "text/csv"))
    .catch(app.store.report);
}

export function copyMarked(app: App, table: TableExport): boolean {
  const text = table.marked();
  if (text === null) return false;
  const rows = text.split("\n").length;
  copyText(app, text, rows === 1 ? "Row" : `${rows} rows`);
  return true;
}

export function exportItems(app: App, table: TableExport): MenuItem[] {
  return [
    ...(table.marked() === null
      ? []
      : [item("Copy the marked rows", () => copyMarked(app, table), "Ctrl+C")]),
    item("Copy the table", () => copyTable(app, table)),
    item("Copy as CSV", () => copyTableCsv(app, table)),
    item("Save as CSV…", () => saveTableCsv(app, table)),
  ];
}

function chooseColumns(app: App, id: TableId, ids: readonly string[] | null): void {
  const { [id]: _, ...others } = app.store.settings.peek().tableColumns;
  setSetting(app.store, { tableColumns: ids === null ? others : { ...others, [id]: ids } });
}

export function columnItems<R>(
  app: App,
  id: TableId,
  columns: readonly TableColumn<R>[],
): MenuItem[] {
  const shown = shownTableColumns(columns, app.store.settings.value.tableColumns[id]).map(
    (column) => column.id,
  );
  return [
    head("Columns"),
    ...columns
      .slice(1)
      .map((column) =>
        choice(column.label, shown.includes(column.id), () =>
          chooseColumns(
            app,
            id,
            shown.includes(column.id)
              ? shown.filter((one) => one !== column.id)
              : [...shown, column.id],
          ),
        ),
      ),
    LINE,
    item("The usual columns", () => chooseColumns(app, id, null)),
    item("All columns", () =>
      chooseColumns(
        app,
        id,
        columns.map((column) => column.id),
      ),
    ),
  ];
}
