// The kinds of columns that tables are made of.

import { formatCount, formatMs, formatPercent } from "../../base/format";
import type { TableColumn } from "./table";
import { shownTime, type Measure } from "../trace";

interface Spec<R, V> {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly csv?: string;
  readonly width?: number;
  readonly isUsual?: boolean;
  get(row: R): V | undefined;
}

export function textColumn<R>(spec: Spec<R, string>): TableColumn<R> {
  const { id, label, title, csv = id, width = 0, isUsual = true, get } = spec;
  const text = (row: R): string => get(row) ?? "";
  return { id, label, title, csv, width, isUsual, isText: true, value: get, text };
}

export function countColumn<R>(spec: Spec<R, number>): TableColumn<R> {
  const { id, label, title, csv = id, width = 84, isUsual = true, get } = spec;
  const text = (row: R): string => {
    const count = get(row);
    return count === undefined ? "" : formatCount(count);
  };
  return { id, label, title, csv, width, isUsual, value: get, text };
}

// A column of times: in milliseconds on the screen, in nanoseconds in a file.
export function timeColumn<R>(
  spec: Spec<R, number> & { readonly measure?: Measure },
): TableColumn<R> {
  const { id, label, title, csv = `${id.replaceAll("-", "_")}_ns`, width = 100, get } = spec;
  const { measure = "wall" } = spec;
  const text = (row: R): string => {
    const time = get(row);
    return time === undefined ? "" : formatMs(shownTime(time, measure));
  };
  return { id, label, title, csv, width, isUsual: spec.isUsual ?? true, value: get, text };
}

export function percentColumn<R>(spec: Spec<R, number>, whole: number): TableColumn<R> {
  const { id, label, title, csv = `${id.replaceAll("-", "_")}`, width = 84, get } = spec;
  const share = (row: R): number | undefined => {
    const part = get(row);
    return part === undefined || whole <= 0 ? undefined : Math.round((part / whole) * 1e6) / 1e4;
  };
  const text = (row: R): string => {
    const part = get(row);
    return part === undefined ? "" : formatPercent(part, whole);
  };
  return { id, label, title, csv, width, isUsual: spec.isUsual ?? true, value: share, text };
}

// The measures of a trace with these clocks, the one in use first.
export function measuresOf(clocks: readonly Measure[], first: Measure): Measure[] {
  const all: Measure[] = clocks.length > 1 ? ["wall", "cpu", "wait"] : [...clocks];
  return [...all.filter((one) => one === first), ...all.filter((one) => one !== first)];
}

// The times of a column that is called `incl-CLOCK` or `excl-CLOCK`; `isOfMethod`: `method-incl-CLOCK`.
export function timesOf(column: string): {
  readonly side: "inclusive" | "exclusive";
  readonly isOfMethod: boolean;
  readonly measure: Measure;
} {
  const isOfMethod = column.startsWith("method-");
  const [side, clock] = column.replace("method-", "").split("-");
  return {
    side: side === "excl" ? "exclusive" : "inclusive",
    isOfMethod,
    measure: clock === "cpu" || clock === "wait" ? clock : "wall",
  };
}
