// One call in the Calls tab; a press shows it in the timeline.

import { formatAt, formatCount, formatDuration, formatMs, formatTimes } from "../base/format";
import { sameCall, threadLabel, timeOn, type CallRow } from "../model/trace";
import { useApp } from "./context";

export function CallLine({ row, median }: { row: CallRow | undefined; median: number }) {
  const { store, select } = useApp();
  if (row === undefined)
    return (
      <div class="tr waiting" role="row">
        <div class="td name" role="gridcell">
          …
        </div>
      </div>
    );
  const thread = store.info.value?.threads.find((candidate) => candidate.id === row.thread);
  const isSelected = sameCall(store.call.value, row);
  const time = (ns: number | undefined): string => (ns === undefined ? "" : formatMs(ns));
  const main = timeOn(row.times, store.measure.value === "cpu" ? "cpu" : "wall") ?? 0;
  return (
    <div
      class={isSelected ? "tr selected pressable" : "tr pressable"}
      role="row"
      aria-selected={isSelected}
      title={`${formatDuration(main)}: press to see it in the timeline`}
      onClick={() => select.call(row, "reveal")}
    >
      <div class="td name" role="gridcell">
        <span class="ordinal">{formatCount(row.ordinal + 1)}</span>
        <span class="muted clip">
          {thread === undefined ? row.thread : threadLabel(thread)} · depth {row.depth + 1}
        </span>
      </div>
      <div class="td" role="gridcell">
        {formatAt(row.start, 1000, 1e7).text}
      </div>
      <div class="td" role="gridcell">
        {time(row.times.wall)}
      </div>
      <div class="td" role="gridcell">
        {time(row.times.cpu)}
      </div>
      <div class="td" role="gridcell">
        {time(timeOn(row.times, "wait"))}
      </div>
      <div class="td" role="gridcell">
        {time(row.exclusive.wall ?? row.exclusive.cpu)}
      </div>
      <div class="td" role="gridcell">
        {formatTimes(main, median)}
      </div>
    </div>
  );
}
