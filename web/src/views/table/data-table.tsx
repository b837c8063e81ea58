// A table: headings that sort, rows that exist only near the screen, keys, columns to choose, rows to copy.

import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import {
  barredColumn,
  isMarked,
  nextTableSort,
  NO_CURSOR,
  shownTableColumns,
  type TableColumn,
  type TableId,
  type TableSort,
} from "../../model/table/table";
import { columnTracks, numberWidth } from "../../model/widths";
import { useApp } from "../shared/context";
import { DataLine, type LineSpec } from "./data-line";
import { exportOf, selectedIndex, type Source } from "./data-source";
import { TableHead } from "./table-head";
import { tableKey } from "./table-keys";
import { columnItems, exportItems } from "./table-menu";
import { TableMessage } from "./table-message";
import { LINE } from "../../state/page/menu";
import { useCursor, useExport } from "./use-table";
import { VirtualRows, type ShowRow } from "./virtual-rows";

interface Props<R> {
  readonly table: TableId;
  readonly label: string;
  readonly isTree?: boolean;
  readonly columns: readonly TableColumn<R>[];
  // The sort as long as the user chose none.
  readonly firstSort: TableSort | null;
  readonly source: Source<R>;
  readonly spec: LineSpec<R>;
  readonly isBusy?: boolean;
  readonly error: string | null;
  readonly isEmpty: boolean;
  readonly empty: ComponentChildren;
  readonly show?: Signal<ShowRow | null>;
  // Whether the table is the main one of its tab, which the Share menu copies.
  readonly isMain?: boolean;
}

export function DataTable<R>(props: Props<R>) {
  const { table, label, columns, source, spec } = props;
  const app = useApp();
  const state = app.panels.tables[table];
  const ownShow = useSignal<ShowRow | null>(null);
  const show = props.show ?? ownShow;
  const shown = shownTableColumns(columns, app.store.settings.value.tableColumns[table]);
  const sort = state.sort.value ?? props.firstSort;
  const cursor = state.cursor.value;
  const barred = spec.bar === undefined ? null : barredColumn(shown, sort, spec.bar.usual);
  const widths = app.store.settings.value.columnWidths[table] ?? {};

  const exported = exportOf(table, label, source, shown, state);
  useExport(exported, props.isMain !== false);
  const { pick, goTo } = useCursor(table, source, spec, shown, show);

  return (
    <div
      class="table"
      role={props.isTree === true ? "treegrid" : "grid"}
      aria-label={label}
      aria-rowcount={source.count + 1}
      aria-busy={props.isBusy === true}
      aria-multiselectable
      data-table={table}
      style={{
        ...columnTracks(shown, widths, barred),
        "--number": `${numberWidth(barred === null ? 0 : spec.bar?.whole(barred))}px`,
      }}
      onKeyDown={(event) =>
        tableKey(
          app,
          {
            state,
            count: source.count,
            spec,
            exported,
            row: source.row,
            start: () => selectedIndex(source, spec),
            goTo,
          },
          event,
        )
      }
    >
      <TableHead
        table={table}
        columns={shown}
        orderOf={(id) => (sort?.column === id ? sort.order : null)}
        onSort={(id) => {
          const column = shown.find((one) => one.id === id);
          if (column !== undefined) state.sort.value = nextTableSort(sort, column);
          state.cursor.value = NO_CURSOR;
        }}
        onMenu={(event) =>
          (app.menu.value = {
            x: event.clientX,
            y: event.clientY,
            label,
            items: () => [...columnItems(app, table, columns), LINE, ...exportItems(app, exported)],
          })
        }
      />
      <VirtualRows
        count={source.count}
        label={label}
        order={sort === null ? "" : `${sort.column} ${sort.order}`}
        show={show}
        {...(source.need === undefined ? {} : { onShow: source.need })}
        render={(first, last) =>
          Array.from({ length: last - first }, (_, offset) => {
            const index = first + offset;
            const row = source.row(index);
            return (
              <DataLine
                key={row === undefined ? `?${index}` : spec.keyOf(row)}
                row={row}
                place={index + 2}
                columns={shown}
                spec={spec}
                barred={barred}
                isMarked={isMarked(cursor, index)}
                onPick={(event) => {
                  const { anchor } = state.cursor.peek();
                  const isMore = event.shiftKey && anchor >= 0;
                  state.cursor.value = { at: index, anchor: isMore ? anchor : index };
                  if (!isMore) pick(index);
                }}
              />
            );
          })
        }
      >
        <TableMessage error={props.error} isEmpty={props.isEmpty} empty={props.empty} />
      </VirtualRows>
    </div>
  );
}
