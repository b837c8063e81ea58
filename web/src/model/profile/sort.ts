// What the Profile is sorted by, and the column whose bars show it.

import type { Measure } from "../trace";
import type { Column, Sort } from "./columns";

// What a profile is sorted by at first: whose own code took the time, as `traceview top` begins. By inclusive time the
// wrappers that every call goes through would come first, with nothing of their own.
export function firstSort(clock: Measure): Sort {
  return { key: "exclusive", clock, order: "desc" };
}

// The sort after a press on a heading: a second press on the same one turns the order round; names
// begin at A, numbers at the largest.
export function nextSort(sort: Sort, column: Column): Sort {
  const clock = column.clock ?? column.old ?? sort.clock;
  if (column.isUnsorted === true) return sort;
  const isSame = sort.key === column.key && (column.clock === null || sort.clock === clock);
  if (isSame) return { ...sort, order: sort.order === "asc" ? "desc" : "asc" };
  return { key: column.key, clock, order: column.key === "name" ? "asc" : "desc" };
}

export function isSortedBy(sort: Sort, column: Column): boolean {
  if (column.isUnsorted === true) return false;
  return sort.key === column.key && (column.clock === null || column.clock === sort.clock);
}

// The column with the bars: the time by which the rows are sorted; where they are sorted by something else, the
// inclusive time on the clock in use.
export function barColumn(columns: readonly Column[], sort: Sort, measure: Measure): Column | null {
  const isTime = ({ key }: Column): boolean => key === "inclusive" || key === "exclusive";
  const sorted = columns.filter((column) => isTime(column) && isSortedBy(sort, column));
  const usual = columns.filter(({ id }) => id === `incl-${measure}`);
  const [first] = [...sorted.filter(({ isPercent }) => !isPercent), ...sorted, ...usual];
  return first ?? null;
}
