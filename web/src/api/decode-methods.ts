// The methods of an answer: rows that are methods, and those that rows refer to by rank.

import type { Method, Overhead, ProfileRow, TraceInfo } from "../model/trace";
import {
  BadAnswer,
  fieldsOf,
  flagOr,
  listOf,
  nameOr,
  numberOf,
  numberOr,
  textOr,
  type Fields,
} from "./check";

export function decodeMethod(value: unknown, path = "method"): Method {
  const fields = fieldsOf(value, path);
  return {
    rank: numberOf(fields, "rank"),
    id: textOr(fields, "id", ""),
    method: nameOr(fields, "method", textOr(fields, "name", "")),
    class: nameOr(fields, "class", ""),
    name: nameOr(fields, "name", ""),
    signature: nameOr(fields, "signature", ""),
    file: nameOr(fields, "file", ""),
    line: numberOr(fields, "line", -1),
    ...(fields["written"] === undefined ? {} : { written: nameOr(fields, "written", "") }),
    ...(fields["source_class"] === undefined
      ? {}
      : { sourceClass: nameOr(fields, "source_class", "") }),
    ...(fields["synthesized"] === true ? { isSynthesized: true } : {}),
    ...(fields["shares_whole_name"] === true ? { sharesWholeName: true } : {}),
    ...(fields["shares_name"] === true ? { sharesName: true } : {}),
  };
}

export function decodeMethods(value: unknown): Method[] {
  return listOf(fieldsOf(value, "methods")["methods"], "methods", decodeMethod);
}

// The methods that rows refer to by rank: an answer names each of them once.
export function namedMethods(fields: Fields): (rank: number) => Method {
  const methods = listOf(fields["methods"] ?? [], "methods", decodeMethod);
  const byRank = new Map(methods.map((method) => [method.rank, method]));
  return (rank) => {
    const method = byRank.get(rank);
    if (method === undefined) throw new BadAnswer(`the answer does not name method ${rank}`);
    return method;
  };
}

// How much of a time is the tracing itself.
function overheadOf(ns: number, least: unknown, most: unknown): Overhead {
  return typeof least === "number" && typeof most === "number" ? { ns, least, most } : { ns };
}

// What only some traces tell of themselves, and of each method.
export function toldOf(fields: Fields): Pick<TraceInfo, "overhead" | "isAllocatedTold"> {
  const told = fields["allocated"] === true ? { isAllocatedTold: true } : {};
  if (fields["overhead"] === undefined) return told;
  const whole = fieldsOf(fields["overhead"], "overhead");
  const overhead = overheadOf(numberOf(whole, "ns"), whole["least_ns"], whole["most_ns"]);
  return { ...told, overhead: { ...overhead, isPartial: flagOr(whole, "partial", false) } };
}

function rowOverheadOf(fields: Fields): Pick<ProfileRow, "overhead" | "isMostlyOverhead"> {
  if (fields["overhead_ns"] === undefined) return {};
  const ns = numberOf(fields, "overhead_ns");
  return {
    overhead: overheadOf(ns, fields["overhead_least_ns"], fields["overhead_most_ns"]),
    isMostlyOverhead: flagOr(fields, "mostly_overhead", false),
  };
}

function rowAllocatedOf(fields: Fields): Pick<ProfileRow, "allocated"> {
  if (fields["allocated_bytes"] === undefined) return {};
  return {
    allocated: {
      own: numberOf(fields, "allocated_bytes"),
      all: numberOf(fields, "allocated_bytes_with_callees"),
    },
  };
}

export function rowToldOf(
  fields: Fields,
): Pick<ProfileRow, "overhead" | "isMostlyOverhead" | "allocated"> {
  return { ...rowOverheadOf(fields), ...rowAllocatedOf(fields) };
}
