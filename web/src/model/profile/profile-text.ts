// The Profile's rows as text: for a clipboard the cells that show, for a file calls and times.

import { insideCell, methodCell, type Column } from "./columns";
import { csvLine } from "../table/csv";
import type { InsideRow } from "./profile-rows";
import type { ProfileRow, Times } from "../trace";

export function methodText(row: ProfileRow, columns: readonly Column[], total: Times): string {
  return columns.map((column) => methodCell(row, column, total)).join("\t");
}

export function insideText(row: InsideRow, columns: readonly Column[]): string {
  switch (row.kind) {
    case "waiting":
      return "…";
    case "group":
      return `  ${row.label}`;
    case "self":
      return columns
        .map((column) =>
          column.id === "name" ? "    exclusive" : insideCell(row.times, null, column, row.context),
        )
        .join("\t");
    case "relation": {
      const calls = { calls: row.row.calls, of: row.row.ofCalls };
      return columns
        .map((column) =>
          column.id === "name"
            ? `    ${row.row.method}`
            : insideCell(row.row.inclusive, calls, column, row.context),
        )
        .join("\t");
    }
  }
}

export function headText(columns: readonly Column[]): string {
  return columns.map((column) => column.label).join("\t");
}

const HEADINGS = [
  "rank",
  "class",
  "method",
  "signature",
  "file",
  "line",
  "calls",
  "recursive_calls",
  "inclusive_wall_ns",
  "inclusive_cpu_ns",
  "exclusive_wall_ns",
  "exclusive_cpu_ns",
];

export function profileCsv(rows: readonly ProfileRow[]): string {
  const lines = rows.map((row) =>
    csvLine([
      row.rank,
      row.class,
      row.name,
      row.signature,
      row.file,
      row.line,
      row.calls,
      row.recursiveCalls,
      row.inclusive.wall ?? "",
      row.inclusive.cpu ?? "",
      row.exclusive.wall ?? "",
      row.exclusive.cpu ?? "",
    ]),
  );
  return csvLine(HEADINGS) + lines.join("");
}
