// The threads of the trace; a press on one shows it alone.

import { formatCount, formatMs, plural } from "../base/format";
import { threadLabel, timeOn, type Thread } from "../model/trace";
import { useApp } from "./context";
import { VirtualRows } from "./virtual-rows";

export function TraceThreads({ threads }: { threads: readonly Thread[] }) {
  const { store } = useApp();
  const info = store.info.value;
  const sorted = [...threads].sort((a, b) => b.records - a.records || a.id - b.id);
  const time = (thread: Thread, clock: "wall" | "cpu"): string => {
    const ns = timeOn(thread.times, clock);
    return ns === undefined ? "" : formatMs(ns);
  };
  return (
    <section class="trace-threads" aria-label="Threads">
      <h2>{plural(threads.length, "thread")}</h2>
      <div
        class="table"
        role="grid"
        aria-label="Threads"
        aria-rowcount={sorted.length + 1}
        style={{ "--columns": "70px 90px 90px 70px 100px 100px" }}
      >
        <div role="rowgroup">
          <div class="tr head" role="row">
            {["Name", "Id", "Records", "Calls", "Depth", "Wall, ms", "CPU, ms"].map((label, ix) => (
              <div key={label} class={ix === 0 ? "td name" : "td"} role="columnheader">
                {label}
              </div>
            ))}
          </div>
        </div>
        <VirtualRows
          count={sorted.length}
          label="Threads"
          render={(first, last) =>
            sorted.slice(first, last).map((thread) => (
              <div
                class="tr pressable"
                role="row"
                key={thread.id}
                title="Press to show only this thread"
                onClick={() => thread.records > 0 && (store.threads.value = new Set([thread.id]))}
              >
                <div class={thread.records === 0 ? "td name muted" : "td name"} role="gridcell">
                  <span class="clip">{threadLabel(thread)}</span>
                </div>
                <div class="td" role="gridcell">
                  {thread.id}
                </div>
                <div class="td" role="gridcell">
                  {formatCount(thread.records)}
                </div>
                <div class="td" role="gridcell">
                  {formatCount(thread.calls)}
                </div>
                <div class="td" role="gridcell">
                  {thread.maxDepth}
                </div>
                <div class="td" role="gridcell">
                  {info?.clocks.includes("wall") === true ? time(thread, "wall") : ""}
                </div>
                <div class="td" role="gridcell">
                  {info?.clocks.includes("cpu") === true ? time(thread, "cpu") : ""}
                </div>
              </div>
            ))
          }
        />
      </div>
    </section>
  );
}
