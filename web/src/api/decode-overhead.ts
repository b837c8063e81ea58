// How much of a time is the tracing itself, in answers of the program.

import type { Overhead, ProfileRow, TraceInfo } from "../model/trace";
import { fieldsOf, flagOr, numberOf, type Fields } from "./check";

function overheadOf(ns: number, least: unknown, most: unknown): Overhead {
  return typeof least === "number" && typeof most === "number" ? { ns, least, most } : { ns };
}

export function wholeOverheadOf(value: unknown): Pick<TraceInfo, "overhead"> {
  if (value === undefined) return {};
  const fields = fieldsOf(value, "overhead");
  const overhead = overheadOf(numberOf(fields, "ns"), fields["least_ns"], fields["most_ns"]);
  return { overhead: { ...overhead, isPartial: flagOr(fields, "partial", false) } };
}

export function rowOverheadOf(fields: Fields): Pick<ProfileRow, "overhead" | "isMostlyOverhead"> {
  if (fields["overhead_ns"] === undefined) return {};
  const ns = numberOf(fields, "overhead_ns");
  return {
    overhead: overheadOf(ns, fields["overhead_least_ns"], fields["overhead_most_ns"]),
    isMostlyOverhead: flagOr(fields, "mostly_overhead", false),
  };
}
