// The line below a table: the number of rows, the choice of columns, copying of rows.

import type { ComponentChildren } from "preact";
import type { TableColumn, TableId } from "../../model/table/table";
import { useApp } from "../shared/context";
import { menuBelow } from "../shared/menu-below";
import { columnItems, exportItems } from "./table-menu";

interface Props<R> {
  readonly table: TableId;
  readonly columns: readonly TableColumn<R>[];
  readonly count: string;
  readonly children?: ComponentChildren;
  readonly buttons?: ComponentChildren;
}

export function TableFooter<R>({ table, columns, count, children, buttons }: Props<R>) {
  const app = useApp();
  return (
    <footer class="table-footer">
      {children}
      <span class="grow" aria-live="polite">
        {count}
      </span>
      {buttons}
      <button
        class="link"
        aria-haspopup="menu"
        onClick={(event) =>
          menuBelow(app, event.currentTarget, "Columns", () => columnItems(app, table, columns))
        }
      >
        Columns
      </button>
      <ExportButton />
    </footer>
  );
}

export function ExportButton() {
  const app = useApp();
  const shown = app.panels.tables.shown.value;
  return (
    <button
      class="link"
      aria-haspopup="menu"
      disabled={shown === null}
      onClick={(event) => {
        if (shown === null) return;
        menuBelow(app, event.currentTarget, "Copy or save", () => exportItems(app, shown));
      }}
    >
      Copy, CSV
    </button>
  );
}
