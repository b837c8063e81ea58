// A range of time as people type it: "600-650 ms", "600 ms + 50 ms", or "+50 ms", which begins where
// the view begins. A number without a unit has that of the other, else milliseconds.

import { rangeWithin, type Range } from "../../base/time";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3],
  ["μs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
]);

const TIME = String.raw`(\d+(?:[.,]\d+)?)\s*(ns|us|µs|μs|ms|s)?`;
const RANGE = new RegExp(`^\\s*(?:${TIME})?\\s*(-|–|\\.\\.|\\+)\\s*${TIME}\\s*$`, "u");

function timeOf(number: string, unit: string): number {
  return Number(number.replace(",", ".")) * (UNITS.get(unit) ?? 1e6);
}

// Null: the text is no range, or none of this trace.
export function typedRange(text: string, view: Range, end: number): Range | null {
  const parts = RANGE.exec(text);
  if (parts === null) return null;
  const [, first, firstUnit, sign, second = "", secondUnit] = parts;
  const unit = secondUnit ?? firstUnit ?? "ms";
  if (first === undefined && sign !== "+") return null;
  const from = first === undefined ? view.from : timeOf(first, firstUnit ?? unit);
  const to = timeOf(second, unit) + (sign === "+" ? from : 0);
  return rangeWithin({ from, to }, end);
}
