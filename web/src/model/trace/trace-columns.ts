// The columns of the Trace tab: threads, findings, properties.

import { formatCount } from "../../base/format";
import { callWords, SEVERITIES } from "../words";
import { countColumn, textColumn, timeColumn } from "../table/column-kinds";
import type { TableColumn } from "../table/table";
import { timeWidth } from "../widths";
import { threadLabel, type Finding, type Thread, type TraceInfo } from "../trace";

export function threadColumns(info: TraceInfo): TableColumn<Thread>[] {
  const words = callWords(info.sampled);
  return [
    textColumn({
      id: "name",
      label: "Name",
      title: "As the file says",
      csv: "thread",
      get: threadLabel,
    }),
    {
      id: "id",
      label: "Id",
      title: "As the file says",
      csv: "id",
      width: 72,
      isUsual: true,
      value: (thread) => thread.id,
      text: (thread) => String(thread.id),
    },
    countColumn({
      id: "records",
      label: "Records",
      title: "Entries in the file",
      width: 112,
      get: (thread) => thread.records,
    }),
    countColumn({
      id: "calls",
      label: words.heading,
      title: `All ${words.many} of the thread`,
      get: (thread) => thread.calls,
    }),
    countColumn({
      id: "depth",
      label: "Depth",
      title: "The deepest stack",
      csv: "max_depth",
      width: 70,
      get: (thread) => thread.maxDepth,
    }),
    ...(["wall", "cpu"] as const).flatMap((clock) =>
      info.clocks.includes(clock)
        ? [
            timeColumn<Thread>({
              id: clock,
              label: clock === "wall" ? "Wall, ms" : "CPU, ms",
              title: `The sum of its root ${words.many}`,
              width: timeWidth(info.span, 104),
              get: (thread) => (thread.records === 0 ? undefined : thread.times[clock]),
            }),
          ]
        : [],
    ),
    timeColumn({
      id: "first",
      label: "First, ms",
      title: "Its first record",
      width: timeWidth(info.span, 104),
      isUsual: false,
      get: (thread) => (thread.records === 0 ? undefined : thread.first),
    }),
    timeColumn({
      id: "last",
      label: "Last, ms",
      title: "Its last record",
      width: timeWidth(info.span, 104),
      isUsual: false,
      get: (thread) => (thread.records === 0 ? undefined : thread.last),
    }),
  ];
}

export const FINDING_COLUMNS: readonly TableColumn<Finding>[] = [
  textColumn({
    id: "text",
    label: "Finding",
    title: "What the reader survived",
    get: (f) => f.text,
  }),
  textColumn({
    id: "severity",
    label: "Severity",
    title: "note, numbers affected or data lost",
    get: (finding) => SEVERITIES[finding.severity].label,
  }),
  textColumn({ id: "kind", label: "Kind", title: "As programs know it", get: (f) => f.kind }),
  countColumn({ id: "count", label: "Count", title: "How often", get: (f) => f.count }),
  {
    id: "offset",
    label: "Byte",
    title: "The first place in the file",
    csv: "offset",
    width: 96,
    isUsual: true,
    value: (finding) => finding.offset ?? undefined,
    text: (finding) => (finding.offset === null ? "" : formatCount(finding.offset)),
  },
];

export type Property = readonly [string, string];

export const PROPERTY_COLUMNS: readonly TableColumn<Property>[] = [
  textColumn({ id: "property", label: "Property", title: "", get: ([key]) => key }),
  textColumn({ id: "value", label: "Value", title: "", get: ([, value]) => value }),
];
