// The sort of each table and the rows marked in it. The main table of the tab on the screen is held
// here too, for the Share menu to copy.

import { signal, type Signal } from "@preact/signals";
import { NO_CURSOR, type Cursor, type TableId, type TableSort } from "../../model/table/table";

export interface TableState {
  readonly sort: Signal<TableSort | null>;
  readonly cursor: Signal<Cursor>;
}

export interface TableExport {
  readonly id: TableId;
  readonly label: string;
  // The marked rows, without a heading; null when none is marked.
  marked(): string | null;
  text(): Promise<string>;
  csv(): Promise<string>;
}

export interface Tables extends Readonly<Record<TableId, TableState>> {
  readonly shown: Signal<TableExport | null>;
}

function createState(): TableState {
  return { sort: signal<TableSort | null>(null), cursor: signal(NO_CURSOR) };
}

export function createTables(): Tables {
  return {
    profile: createState(),
    groups: createState(),
    tree: createState(),
    callers: createState(),
    calls: createState(),
    threads: createState(),
    properties: createState(),
    findings: createState(),
    frames: createState(),
    changes: createState(),
    pair: createState(),
    shown: signal<TableExport | null>(null),
  };
}
