// The table of threads; a press on one shows it alone. Threads without records stand at the end.

import { plural } from "../../base/format";
import { fader, filterRows, sortRows } from "../../model/table/table";
import { threadColumns } from "../../model/trace/trace-columns";
import { threadLabel, type Thread, type TraceInfo } from "../../model/trace";
import { countedAsShown } from "../../state/levels";
import { useApp } from "../shared/context";
import { NoneOfFilter } from "../shared/empty-table";
import { localSource } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { item } from "../../state/page/menu";
import { copyText } from "../shared/share";

export function TraceThreads({ info, filter }: { info: TraceInfo; filter: string }) {
  const app = useApp();
  const { store } = app;
  const { tables } = app.panels;
  const columns = threadColumns(info);
  const firstSort = { column: "records", order: "desc" } as const;
  const sort = tables.threads.sort.value ?? firstSort;
  const levels = store.levels.value;
  const threads = countedAsShown(info.threads, levels);
  const found = sortRows(filterRows(threads, columns, filter), columns, sort);
  const rows = [
    ...found.filter((thread) => thread.records > 0),
    ...found.filter((thread) => thread.records === 0),
  ];
  const isFaded = fader(rows, columns, store.search.value);
  const idle = info.threads.filter((thread) => thread.records === 0).length;
  const showAlone = (thread: Thread): void => {
    if (thread.records > 0) store.threads.value = new Set([thread.id]);
  };
  return (
    <section class="trace-threads" aria-label="Threads">
      <h2>
        {plural(info.threads.length - idle, "thread")} with records
        {idle > 0 ? <span class="muted">, {idle} without</span> : null}
        {levels === null ? null : (
          <span class="muted">; calls and depth are those of what is not hidden</span>
        )}
      </h2>
      <DataTable
        table="threads"
        label="Threads"
        columns={columns}
        firstSort={firstSort}
        source={localSource(rows)}
        spec={{
          keyOf: (thread) => String(thread.id),
          name: (thread) => (
            <span class="clip" title={thread.name}>
              {threadLabel(thread)}
            </span>
          ),
          classOf: (thread) =>
            (thread.records === 0 ? " idle" : " pressable") + (isFaded(thread) ? " faded" : ""),
          attributes: (thread) => ({
            title: thread.records === 0 ? "No records" : "Double press shows only this thread",
          }),
          isSelected: (thread) => store.threads.value?.has(thread.id) === true,
          open: showAlone,
          items: (thread) => [
            item("Only this thread", () => showAlone(thread), "Enter"),
            item("All threads", () => (store.threads.value = null)),
            item("Copy the name", () => copyText(app, thread.name, "Name")),
          ],
        }}
        error={null}
        isEmpty={rows.length === 0}
        empty={filter === "" ? "This trace names no threads." : <NoneOfFilter what="thread" />}
      />
    </section>
  );
}
