// Tables as CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets a leading quote.

import type { ProfileRow } from "./trace";

export function csvCell(value: string | number): string {
  const text =
    typeof value === "number" ? String(value) : /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
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
