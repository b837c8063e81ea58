// Lines of CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets a leading quote.

export function csvCell(value: string | number): string {
  const text =
    typeof value === "number" ? String(value) : /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}
