// What only some traces tell of methods beside their times: the cost of tracing, and what they allocated.

import { formatCount } from "../../base/format";
import type { ProfileRow, TraceInfo } from "../trace";

// Whether the program can estimate the overhead of each method.
export function hasOverhead(info: Pick<TraceInfo, "overhead"> | null): boolean {
  return info?.overhead !== undefined;
}

// These are sums of the whole recording, so a range does not change them.
function allocatedColumn<Id extends string>(id: Id, label: string, which: string) {
  return {
    id,
    label,
    title: `What calls of the method allocated ${which}, in the whole recording, also where a part is selected; by a sample, kB`,
    width: 108,
    clock: null,
    key: "name",
    isPercent: false,
    isUnsorted: true,
  } as const;
}

export const ALLOCATED_COLUMNS = [
  allocatedColumn("alloc", "Alloc, kB", "themselves"),
  allocatedColumn("alloc-incl", "Incl alloc, kB", "with what they called"),
] as const;

export function allocatedCell(row: ProfileRow, id: "alloc" | "alloc-incl"): string {
  const bytes = id === "alloc" ? row.allocated?.own : row.allocated?.all;
  return bytes === undefined ? "" : formatCount(Math.round(bytes / 1000));
}
