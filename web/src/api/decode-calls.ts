// Answers about single calls: one call, all calls of a method.

import type {
  CallDetail,
  CallRow,
  CallsPage,
  HistogramBar,
  Measure,
  Percentiles,
  PlacedCall,
  ThreadLevels,
} from "../model/trace";
import { fieldsOf, flagOr, listOf, numberOf, numberOr, numbersOf } from "./check";
import { clockOf, timesIn, timesOf } from "./decode";
import { decodeMethod } from "./decode-methods";

export function placedCallOf(value: unknown, path: string): PlacedCall {
  const fields = fieldsOf(value, path);
  return {
    thread: numberOf(fields, "thread"),
    depth: numberOf(fields, "depth"),
    call: numberOf(fields, "call"),
    start: numberOf(fields, "start_ns"),
    end: numberOf(fields, "end_ns"),
  };
}

function decodeCallRow(value: unknown, path: string, rank: number): CallRow {
  const fields = fieldsOf(value, path);
  const start = numberOf(fields, "start_ns");
  const times = timesIn(fields);
  return {
    thread: numberOf(fields, "thread"),
    depth: numberOf(fields, "depth"),
    call: numberOf(fields, "call"),
    rank,
    start,
    end: numberOr(fields, "end_ns", start + (times.wall ?? times.cpu ?? 0)),
    times,
    exclusive: timesOf(fields["exclusive"] ?? {}, `${path}.exclusive`),
    ordinal: numberOr(fields, "ordinal", 0),
  };
}

export function decodeCall(value: unknown): CallDetail {
  const fields = fieldsOf(value, "call");
  const row = decodeCallRow(value, "call", numberOf(fields, "rank"));
  return {
    ...row,
    level: fields["level"] === null ? null : numberOr(fields, "level", row.depth),
    method: decodeMethod(value),
    of: numberOr(fields, "of", 1),
    median: numberOr(fields, "median_ns", 0),
    medianClock: clockOf(fields["clock"]),
    isOpenAtEnd: flagOr(fields, "open_at_end", false),
    isAdopted: flagOr(fields, "adopted", false),
    isWaiting: flagOr(fields, "waiting", false),
    ...(fields["unrecorded_ns"] === undefined
      ? {}
      : { unrecorded: numberOf(fields, "unrecorded_ns") }),
    stack: Array.isArray(fields["stack"]) ? numbersOf(fields, "stack") : [],
  };
}

// The levels of each thread, by its id.
export function decodeLevels(value: unknown): Map<number, ThreadLevels> {
  const threads = listOf(fieldsOf(value, "levels")["threads"], "threads", (item, path) => {
    const fields = fieldsOf(item, path);
    const levels = {
      levels: numberOf(fields, "levels"),
      calls: numberOf(fields, "calls"),
      omitted: numberOf(fields, "omitted"),
    };
    return [numberOf(fields, "id"), levels] as const;
  });
  return new Map(threads);
}

function percentilesOf(value: unknown): Percentiles {
  const fields = fieldsOf(value, "stats");
  return {
    min: numberOr(fields, "min", 0),
    p50: numberOr(fields, "p50", 0),
    p95: numberOr(fields, "p95", 0),
    max: numberOr(fields, "max", 0),
  };
}

function barOf(value: unknown, path: string): HistogramBar {
  const fields = fieldsOf(value, path);
  return {
    from: numberOf(fields, "from_ns"),
    to: numberOf(fields, "to_ns"),
    count: numberOf(fields, "count"),
  };
}

function measureOf(value: unknown): Measure {
  return value === "wait" ? "wait" : clockOf(value);
}

export function decodeCalls(value: unknown): CallsPage {
  const fields = fieldsOf(value, "calls");
  const stats = fieldsOf(fields["stats"] ?? {}, "stats");
  const histogram = fieldsOf(fields["histogram"] ?? {}, "histogram");
  const rank = numberOf(fields, "rank");
  return {
    rank,
    count: numberOr(fields, "count", 0),
    listed: numberOr(fields, "listed", numberOr(fields, "count", 0)),
    stats: {
      ...(stats["wall_ns"] !== undefined ? { wall: percentilesOf(stats["wall_ns"]) } : {}),
      ...(stats["cpu_ns"] !== undefined ? { cpu: percentilesOf(stats["cpu_ns"]) } : {}),
    },
    histogram: {
      clock: measureOf(histogram["clock"]),
      bars: listOf(histogram["bars"] ?? [], "bars", barOf),
    },
    // All calls of the list are of one method, which is told once.
    calls: listOf(fields["calls"] ?? [], "calls", (row, path) => decodeCallRow(row, path, rank)),
  };
}
