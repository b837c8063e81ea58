// Tracing costs time. The file says what reading its clocks costs, all of them at once; every call
// reads them at its enter and at its exit. That is a lower bound, and only an estimate. What falls to
// each method the program tells.

import type { TraceInfo } from "./trace";

// Whether the file says what the program needs for an estimate a method.
export function hasOverhead(info: TraceInfo | null): boolean {
  return info !== null && overheadOf(info, 1) !== null;
}

export function overheadOf(info: TraceInfo, calls: number): number | null {
  const property = info.properties.find(([key]) => key === "clock-call-overhead-nsec");
  const cost = Number(property?.[1]);
  if (property === undefined || !(cost > 0) || info.sampled) return null;
  return calls * 2 * cost;
}
