// The columns of the Calls tab, and what sorts them in the program.

import { formatCount, formatTimes } from "../../base/format";
import { callWords } from "../words";
import { countColumn, textColumn, timeColumn } from "../table/column-kinds";
import type { TableColumn, TableSort } from "../table/table";
import { timeWidth } from "../widths";
import { timeOn, type CallRow, type Clock, type Measure } from "../trace";

export interface CallsContext {
  readonly clocks: readonly Clock[];
  readonly measure: Measure;
  // The median time of all calls in the range on the clock in use; 0 where there is none.
  readonly median: number;
  readonly isSampled: boolean;
  // How long the trace is: no time is longer.
  readonly span: number;
  threadName(id: number): string;
}

// A call that takes this many times the median is marked.
export const OUTLIER_TIMES = 10;

const TIME_PX = 88;
const START_PX = 100;

export function timesMedian(row: CallRow, context: CallsContext): number {
  const time = timeOn(row.times, context.measure) ?? 0;
  return context.median > 0 ? time / context.median : 0;
}

export function callsColumns(context: CallsContext): TableColumn<CallRow>[] {
  const { clocks, span } = context;
  const words = callWords(context.isSampled);
  const both = clocks.length > 1;
  return [
    {
      id: "call",
      label: words.heading.slice(0, -1),
      title: `Which of all ${words.many} of the method, by start`,
      csv: "call",
      width: 0,
      isUsual: true,
      value: (row) => row.ordinal + 1,
      text: (row) => formatCount(row.ordinal + 1),
    },
    textColumn({
      id: "thread",
      label: "Thread",
      title: "The thread that made it",
      get: (row) => context.threadName(row.thread),
    }),
    timeColumn({
      id: "start",
      label: "Start, ms",
      title: "From the start of the trace",
      width: timeWidth(span, START_PX),
      get: (row) => row.start,
    }),
    ...(clocks.includes("wall")
      ? [
          timeColumn<CallRow>({
            id: "wall",
            label: "Wall, ms",
            title: "Inclusive wall time",
            width: timeWidth(span, TIME_PX),
            get: (row) => row.times.wall,
          }),
        ]
      : []),
    ...(clocks.includes("cpu")
      ? [
          timeColumn<CallRow>({
            id: "cpu",
            label: "CPU, ms",
            title: "Inclusive CPU time",
            width: timeWidth(span, TIME_PX),
            get: (row) => row.times.cpu,
          }),
        ]
      : []),
    ...(both
      ? [
          timeColumn<CallRow>({
            id: "wait",
            label: "Wait, ms",
            title: "Wall time without CPU time",
            width: timeWidth(span, TIME_PX),
            measure: "wait",
            get: (row) => timeOn(row.times, "wait"),
          }),
        ]
      : []),
    timeColumn({
      id: "exclusive",
      label: "Excl, ms",
      title: "Exclusive time on the clock in use",
      width: timeWidth(span, TIME_PX),
      measure: context.measure,
      get: (row) => timeOn(row.exclusive, context.measure),
    }),
    // Waits have no median.
    ...(context.measure === "wait"
      ? []
      : [
          {
            id: "times",
            label: "× median",
            title: `How many times the median of these ${words.many}, from 1.5 on`,
            csv: "times_median",
            width: 96,
            isUsual: true,
            value: (row: CallRow) => Math.round(timesMedian(row, context) * 100) / 100,
            text: (row: CallRow) => formatTimes(timesMedian(row, context), 1),
          },
        ]),
    {
      ...countColumn<CallRow>({
        id: "depth",
        label: "Depth",
        title: "How deep in the stack, from 1",
        isUsual: false,
        width: 80,
        get: (row) => row.depth + 1,
      }),
      isUnsorted: true,
    },
  ];
}

// The sort as the program takes it; null for a column by which the program cannot sort.
export function callsSortQuery(
  sort: TableSort | null,
  measure: Measure,
): { readonly sort: string; readonly order?: string } {
  const keys: Readonly<Record<string, string>> = {
    call: "first",
    start: "first",
    thread: "thread",
    wall: "wall",
    cpu: "cpu",
    wait: "wait",
    exclusive: "exclusive",
    times: measure,
  };
  const key = sort === null ? undefined : keys[sort.column];
  return key === undefined || sort === null
    ? { sort: "slowest" }
    : { sort: key, order: sort.order };
}
