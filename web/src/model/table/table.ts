// What all tables have in common: columns that know their values, sorting, filtering, and the rows as
// text for a clipboard or a file.

import { matcherOf } from "../text-pattern";
import { csvLine } from "./csv";

export type TableId =
  | "profile"
  | "groups"
  | "tree"
  | "callers"
  | "calls"
  | "threads"
  | "properties"
  | "findings"
  | "frames"
  | "changes"
  | "pair";

export type Order = "asc" | "desc";

export interface TableSort {
  readonly column: string;
  readonly order: Order;
}

// A value of a cell, times in nanoseconds; undefined where the trace does not tell it.
export type Value = number | string | undefined;

export interface TableColumn<R> {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  // The heading of the column in a CSV file.
  readonly csv: string;
  // In pixels; 0 for the column that takes the room that is left.
  readonly width: number;
  readonly isText?: boolean;
  // Set where the program cannot sort by the column.
  readonly isUnsorted?: boolean;
  // Whether the column shows as long as the user has not chosen columns.
  readonly isUsual: boolean;
  value(row: R): Value;
  // What rows are sorted by, where that is not the value.
  sortedBy?(row: R): Value;
  // The cell as it stands on the screen.
  text(row: R): string;
}

// The sort after a press on a heading: names begin at A, numbers at the largest, and a second press
// turns the order round.
export function nextTableSort<R>(sort: TableSort | null, column: TableColumn<R>): TableSort {
  if (sort?.column === column.id)
    return { column: column.id, order: sort.order === "asc" ? "desc" : "asc" };
  return {
    column: column.id,
    order: column.isText === true && column.sortedBy === undefined ? "asc" : "desc",
  };
}

function compareValues(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const left = String(a);
  const right = String(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

// Sorts rows; equal rows keep their order, and unknown values come last in either direction.
export function sortRows<R>(
  rows: readonly R[],
  columns: readonly Pick<TableColumn<R>, "id" | "value" | "sortedBy">[],
  sort: TableSort | null,
): readonly R[] {
  const column = columns.find((one) => one.id === sort?.column);
  if (column === undefined || sort === null) return rows;
  const sign = sort.order === "asc" ? 1 : -1;
  const keyed = rows.map((row) => ({
    row,
    value: column.sortedBy === undefined ? column.value(row) : column.sortedBy(row),
  }));
  keyed.sort((a, b) => {
    if (a.value === undefined || b.value === undefined)
      return Number(a.value === undefined) - Number(b.value === undefined);
    return sign * compareValues(a.value, b.value);
  });
  return keyed.map(({ row }) => row);
}

// The rows that hold the text in any column; an upper-case letter in the text makes case matter.
export function filterRows<R>(
  rows: readonly R[],
  columns: readonly TableColumn<R>[],
  text: string,
): readonly R[] {
  if (text === "") return rows;
  const has = matcherOf(text);
  return rows.filter((row) => columns.some((column) => has(column.text(row))));
}

// Whether a search fades the row: it matches other rows of the table and not this one.
export function fader<R>(
  rows: readonly R[],
  columns: readonly TableColumn<R>[],
  text: string,
): (row: R) => boolean {
  const found = text === "" ? [] : filterRows(rows, columns, text);
  if (found.length === 0) return () => false;
  const shown = new Set(found);
  return (row) => !shown.has(row);
}

// The columns to show: the user's choice where there is one, always with the first in front.
export function shownTableColumns<R>(
  all: readonly TableColumn<R>[],
  choice: readonly string[] | undefined,
): TableColumn<R>[] {
  const [first, ...rest] = all;
  if (first === undefined) return [];
  const chosen = rest.filter((column) =>
    choice === undefined ? column.isUsual : choice.includes(column.id),
  );
  return [first, ...chosen];
}

// The column with the bars of a table whose columns of times are called `incl-CLOCK`, `excl-CLOCK` and, in Callers,
// `method-incl-CLOCK`: the one that it is sorted by, where it is sorted by a share the time beside it; else `usual`.
export function barredColumn(
  columns: readonly { readonly id: string }[],
  sort: TableSort | null,
  usual: string,
): string {
  const [sorted, time] =
    /^((?:method-)?(?:incl|excl)-\w+)(?:-percent)?$/.exec(sort?.column ?? "") ?? [];
  return [time, sorted].find((one) => columns.some(({ id }) => id === one)) ?? usual;
}

// Replaces tabs and line ends, which would break the table that is pasted.
function cellText(text: string): string {
  return text.replace(/[\t\r\n]+/g, " ");
}

export function tableText<R>(
  rows: readonly R[],
  columns: readonly TableColumn<R>[],
  withHead: boolean,
): string {
  const lines = rows.map((row) => columns.map((column) => cellText(column.text(row))).join("\t"));
  const head = withHead ? [columns.map((column) => column.label).join("\t")] : [];
  return [...head, ...lines].join("\n");
}

export function tableCsv<R>(rows: readonly R[], columns: readonly TableColumn<R>[]): string {
  const head = csvLine(columns.map((column) => column.csv));
  return (
    head + rows.map((row) => csvLine(columns.map((column) => column.value(row) ?? ""))).join("")
  );
}

// The rows that are marked: from where Shift was first held to where the last key led.
export interface Cursor {
  readonly anchor: number;
  readonly at: number;
}

export const NO_CURSOR: Cursor = { anchor: -1, at: -1 };

export function isMarked(cursor: Cursor, index: number): boolean {
  return (
    cursor.at >= 0 &&
    index >= Math.min(cursor.anchor, cursor.at) &&
    index <= Math.max(cursor.anchor, cursor.at)
  );
}

const PAGE_ROWS = 10;

// The row to which a key leads in a table of `count` rows; null when the key leads nowhere.
export function cursorKey(
  cursor: Cursor,
  count: number,
  key: string,
  isShift: boolean,
): Cursor | null {
  const { at } = cursor;
  const to =
    key === "ArrowDown"
      ? at + 1
      : key === "ArrowUp"
        ? at - 1
        : key === "PageDown"
          ? at + PAGE_ROWS
          : key === "PageUp"
            ? at - PAGE_ROWS
            : key === "Home"
              ? 0
              : key === "End"
                ? count - 1
                : null;
  if (to === null || count === 0) return null;
  const next = Math.min(count - 1, Math.max(0, to));
  return { at: next, anchor: isShift && at >= 0 ? cursor.anchor : next };
}

// The order of columns after `dragged` was dropped on `onto`, whose place it takes.
export function moveColumn(ids: readonly string[], dragged: string, onto: string): string[] {
  const from = ids.indexOf(dragged);
  const to = ids.indexOf(onto);
  if (from < 0 || to < 0 || from === to) return [...ids];
  const rest = ids.filter((id) => id !== dragged);
  rest.splice(to, 0, dragged);
  return rest;
}
