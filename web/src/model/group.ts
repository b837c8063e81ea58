// The Profile by class or by package. Only exclusive times and counts can be added up: inclusive
// times of methods that call each other would count twice.

import { packageOf } from "./names";
import type { ProfileRow, Times } from "./trace";

export type GroupBy = "method" | "class" | "package";

export interface GroupRow {
  readonly name: string;
  readonly methods: number;
  readonly calls: number;
  readonly exclusive: Times;
}

function add(a: Times, b: Times): Times {
  return {
    ...(a.wall === undefined && b.wall === undefined
      ? {}
      : { wall: (a.wall ?? 0) + (b.wall ?? 0) }),
    ...(a.cpu === undefined && b.cpu === undefined ? {} : { cpu: (a.cpu ?? 0) + (b.cpu ?? 0) }),
  };
}

export function groupRows(
  rows: readonly ProfileRow[],
  by: "class" | "package",
  sizeOf: (times: Times) => number,
): GroupRow[] {
  const groups = new Map<string, GroupRow>();
  for (const row of rows) {
    const name = by === "class" ? row.class : packageOf(row.class);
    const old = groups.get(name) ?? { name, methods: 0, calls: 0, exclusive: {} };
    groups.set(name, {
      name,
      methods: old.methods + 1,
      calls: old.calls + row.calls + row.recursiveCalls,
      exclusive: add(old.exclusive, row.exclusive),
    });
  }
  return [...groups.values()].sort(
    (a, b) => sizeOf(b.exclusive) - sizeOf(a.exclusive) || (a.name < b.name ? -1 : 1),
  );
}
