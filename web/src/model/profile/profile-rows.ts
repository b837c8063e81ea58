// The Profile's rows on the screen: methods in sorted order, and inside an opened method its groups.

import type { ProfileRow, RelationRow, Relations, Times } from "../trace";

export type GroupId = "callers" | "callees" | "callersRecursive" | "calleesRecursive";

const GROUPS: readonly {
  readonly id: GroupId;
  readonly label: string;
  readonly isParents: boolean;
}[] = [
  { id: "callers", label: "Callers", isParents: true },
  { id: "callees", label: "Callees", isParents: false },
  { id: "callersRecursive", label: "Callers while recursive", isParents: true },
  { id: "calleesRecursive", label: "Callees while recursive", isParents: false },
];

// The groups that open with their method, as in the old viewer.
export const FIRST_GROUPS: readonly GroupId[] = ["callers", "callees"];

export interface OpenMethod {
  readonly rank: number;
  readonly groups: ReadonlySet<GroupId>;
}

export type InsideRow =
  | { readonly kind: "waiting"; readonly of: number }
  | {
      readonly kind: "group";
      readonly of: number;
      readonly group: GroupId;
      readonly label: string;
      readonly isParents: boolean;
      readonly isOpen: boolean;
      readonly count: number;
    }
  | { readonly kind: "self"; readonly of: number; readonly times: Times; readonly context: Times }
  | {
      readonly kind: "relation";
      readonly of: number;
      readonly group: GroupId;
      readonly isParents: boolean;
      readonly row: RelationRow;
      readonly context: Times;
    };

export type VisualRow = { readonly kind: "method"; readonly index: number } | InsideRow;

// The rows below an opened method; `null` relations are still on their way.
export function insideRows(open: OpenMethod, relations: Relations | null): InsideRow[] {
  if (relations === null) return [{ kind: "waiting", of: open.rank }];
  const rows: InsideRow[] = [];
  const context = relations.method.inclusive;
  for (const { id, label, isParents } of GROUPS) {
    const members = relations[id];
    const hasSelf = id === "callees";
    if (members.length === 0 && !(hasSelf && relations.callers.length > 0)) continue;
    const isOpen = open.groups.has(id);
    rows.push({
      kind: "group",
      of: open.rank,
      group: id,
      label,
      isParents,
      isOpen,
      count: members.length,
    });
    if (!isOpen) continue;
    if (hasSelf) rows.push({ kind: "self", of: open.rank, times: relations.self, context });
    for (const row of members)
      rows.push({ kind: "relation", of: open.rank, group: id, isParents, row, context });
  }
  return rows;
}

// An opened method's place: its index among the methods, and the rows that follow it.
export interface Opening {
  readonly index: number;
  readonly rows: readonly InsideRow[];
}

export function totalRows(count: number, openings: readonly Opening[]): number {
  return openings.reduce((total, opening) => total + opening.rows.length, count);
}

// The rows [first, last) on the screen. `openings` are sorted by index.
export function sliceRows(
  count: number,
  openings: readonly Opening[],
  first: number,
  last: number,
): VisualRow[] {
  const rows: VisualRow[] = [];
  let place = 0;
  let index = 0;
  const emitMethods = (until: number): void => {
    const skip = Math.min(until - index, Math.max(0, first - place));
    index += skip;
    place += skip;
    while (index < until && place < last) {
      rows.push({ kind: "method", index });
      index += 1;
      place += 1;
    }
  };
  for (const opening of openings) {
    emitMethods(Math.min(count, opening.index + 1));
    if (place >= last) return rows;
    for (const row of opening.rows) {
      if (place >= first && place < last) rows.push(row);
      place += 1;
    }
  }
  emitMethods(count);
  return rows;
}

// Where the method with this index is on the screen, in rows from the top.
export function placeOf(index: number, openings: readonly Opening[]): number {
  return openings.reduce(
    (place, opening) => place + (opening.index < index ? opening.rows.length : 0),
    index,
  );
}

// How long the bar of a row is, as a share of the longest possible.
export function barShare(part: number | undefined, whole: number | undefined): number {
  if (part === undefined || whole === undefined || whole <= 0 || part <= 0) return 0;
  return Math.min(1, part / whole);
}

export function rowKey(row: VisualRow, methods: (index: number) => ProfileRow | undefined): string {
  switch (row.kind) {
    case "method":
      return `m${methods(row.index)?.rank ?? `?${row.index}`}`;
    case "group":
      return `g${row.of}/${row.group}`;
    case "self":
      return `s${row.of}`;
    case "waiting":
      return `w${row.of}`;
    case "relation":
      return `r${row.of}/${row.group}/${row.row.rank}`;
  }
}
