// All methods whose calls or times differ, with both columns.

import { formatCount, plural } from "../../base/format";
import { changeColumns } from "../../model/changes/change-columns";
import {
  differenceOf,
  type Change,
  type Changes,
  type SideWords,
} from "../../model/changes/changes";
import { fader, filterRows, sortRows } from "../../model/table/table";
import { item } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { copyText } from "../shared/share";
import { localSource } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { TableFooter } from "../table/table-footer";
import { changeTone } from "../shared/change-tone";
import { matchItems } from "./match-items";
import { RunDots } from "../table/run-dots";
import { selectMethod } from "./change-actions";

const FIRST_SORT = { column: "change", order: "desc" } as const;

export function ChangesTable({ changes, words }: { changes: Changes; words: SideWords }) {
  const app = useApp();
  const { store, panels } = app;
  const columns = changeColumns(changes, words);
  const sort = panels.tables.changes.sort.value ?? FIRST_SORT;
  const rows = sortRows(filterRows(changes.list, columns, store.filter.value), columns, sort);
  const isFaded = fader(rows, columns, store.search.value);
  const rank = store.method.value;
  const selected = rank === null ? undefined : store.names.get(rank)?.method;
  return (
    <div class="with-footer">
      <DataTable
        table="changes"
        label="Changes"
        columns={columns}
        firstSort={FIRST_SORT}
        source={localSource(rows)}
        spec={{
          keyOf: (change) => change.method,
          name: (change) => (
            <code class="clip" title={change.method}>
              {change.method}
            </code>
          ),
          classOf: (change) =>
            ` pressable ${changeTone(differenceOf(change))}${isFaded(change) ? " faded" : ""}`,
          drawOf: (change, column) =>
            column === "runs" && change.runs !== null ? (
              <RunDots values={change.runs} />
            ) : undefined,
          isSelected: (change) => change.method === selected,
          pick: (change) => selectMethod(app, change.method),
          items: (change: Change) => [
            ...matchItems(app, change),
            item("Copy the name", () => copyText(app, change.method, "Name")),
          ],
        }}
        error={null}
        isEmpty={rows.length === 0}
        empty={
          store.filter.value === ""
            ? "No method differs in calls or time."
            : "No method that differs matches the filter."
        }
      />
      <TableFooter
        table="changes"
        columns={columns}
        count={`${plural(rows.length, "method")} ${rows.length === 1 ? "differs" : "differ"}${changes.leftOut > 0 ? `, ${formatCount(changes.leftOut)} more are left out` : ""}`}
      />
    </div>
  );
}
