// The Trace tab: properties of the trace, its findings, its threads.

import { fader, filterRows, sortRows } from "../../model/table/table";
import { factsOf } from "../../model/words";
import { PROPERTY_COLUMNS, threadColumns, type Property } from "../../model/trace/trace-columns";
import type { TraceInfo } from "../../model/trace";
import { item } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { NoneOfFilter } from "../shared/empty-table";
import { localSource } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { Findings } from "./findings";
import { copyText } from "../shared/share";
import { TableFooter } from "../table/table-footer";
import { TraceThreads } from "./trace-threads";

export function TraceTab() {
  const { store } = useApp();
  const filter = store.filter.value;
  const info = store.info.value;
  if (info === null) return null;
  return (
    <div class="with-footer">
      <div class="trace-tab">
        <Properties info={info} filter={filter} />
        <Findings info={info} filter={filter} />
        <TraceThreads info={info} filter={filter} />
      </div>
      <TableFooter table="threads" columns={threadColumns(info)} count="" />
    </div>
  );
}

function Properties({ info, filter }: { info: TraceInfo; filter: string }) {
  const app = useApp();
  const sort = app.panels.tables.properties.sort.value;
  const all: readonly Property[] = [...factsOf(info), ...info.properties];
  const facts = factsOf(info).length;
  const rows = sortRows(filterRows(all, PROPERTY_COLUMNS, filter), PROPERTY_COLUMNS, sort);
  const isFaded = fader(rows, PROPERTY_COLUMNS, app.store.search.value);
  return (
    <section class="trace-properties" aria-label="Properties">
      <h2>Properties</h2>
      <DataTable
        table="properties"
        label="Properties"
        columns={PROPERTY_COLUMNS}
        firstSort={null}
        source={localSource(rows)}
        spec={{
          keyOf: (row) => String(all.indexOf(row)),
          name: (row) => {
            const isOwn = all.indexOf(row) >= facts;
            return isOwn ? (
              <code title={`${row[0]}: as the file says`}>{row[0]}</code>
            ) : (
              <span>{row[0]}</span>
            );
          },
          classOf: (row) => (isFaded(row) ? " faded" : ""),
          attributes: ([, value]) => ({ title: value }),
          items: ([key, value]) => [
            item("Copy the value", () => copyText(app, value, "Value")),
            item("Copy the property", () => copyText(app, `${key}=${value}`, "Property")),
          ],
        }}
        error={null}
        isEmpty={rows.length === 0}
        empty={<NoneOfFilter what="property" />}
        isMain={false}
      />
    </section>
  );
}
