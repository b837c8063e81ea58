// What is known about a trace as a whole, in words.

import { formatCount, formatDuration } from "../base/format";
import { callWords } from "./call-words";
import { overheadOf } from "./overhead";
import type { TraceInfo } from "./trace";

const DATE_STYLE = { dateStyle: "medium", timeStyle: "short" } as const;

// Some recorders write the time since the device started where a date belongs.
const FIRST_DATE_NS = Date.UTC(2000, 0) * 1e6;

export function factsOf(info: TraceInfo): [string, string][] {
  const overhead = overheadOf(info, info.calls);
  const vm = info.vm === "" ? "" : `, ${info.vm}`;
  const idle = info.threads.filter((thread) => thread.records === 0).length;
  const facts: ([string, string] | null)[] = [
    ["File", info.file],
    ["Format", `${info.format}${vm}${info.sampled ? ", sampled" : ""}`],
    ["Clocks", info.clocks.map((clock) => (clock === "cpu" ? "CPU" : "wall")).join(", ")],
    info.hasCommonAxis ? null : ["Time axis", "each thread runs on its own clock from 0"],
    ["Duration", formatDuration(info.span)],
    info.startTime > FIRST_DATE_NS
      ? ["Recorded", new Date(info.startTime / 1e6).toLocaleString(undefined, DATE_STYLE)]
      : null,
    ["Records", formatCount(info.records)],
    [callWords(info.sampled).heading, formatCount(info.calls)],
    ["Methods", formatCount(info.methods)],
    [
      "Threads",
      formatCount(info.threads.length) + (idle > 0 ? `, ${formatCount(idle)} without records` : ""),
    ],
    overhead === null ? null : ["Tracing (estimate)", `at least ${formatDuration(overhead)}`],
  ];
  return facts.flatMap((fact) => (fact === null ? [] : [fact]));
}
