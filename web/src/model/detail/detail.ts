// Where the time of what is selected went, and what it waited for (docs/api.md, `detail`).

import { formatDuration, formatShare, plural } from "../../base/format";
import type { HistogramBar, Measure, Method, PlacedCall, Times } from "../trace";

export type SubjectKind = "call" | "method" | "range" | "thread" | "trace";

export interface DetailRow {
  readonly method: Method;
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
  // Of a wait: how long the method's own code waited.
  readonly wait: number;
  // Of a step of the path: how many calls before it only pass the time on.
  readonly passedOn: number;
  readonly longest: PlacedCall | null;
}

export interface Detail {
  readonly total: Times;
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
  // What no part has.
  readonly self: Times;
  readonly parts: readonly DetailRow[];
  readonly moreParts: number;
  readonly path: readonly DetailRow[];
  readonly waits: readonly DetailRow[];
}

// What may be looked at, the most exact first; the last is always there.
export function subjectsOf(chosen: {
  readonly hasCall: boolean;
  readonly hasMethod: boolean;
  readonly hasRange: boolean;
  readonly hasThread: boolean;
}): SubjectKind[] {
  return [
    ...(chosen.hasCall ? (["call"] as const) : []),
    ...(chosen.hasMethod ? (["method"] as const) : []),
    ...(chosen.hasRange ? (["range"] as const) : []),
    ...(chosen.hasThread ? (["thread"] as const) : []),
    ...(chosen.hasRange ? [] : (["trace"] as const)),
  ];
}

// "Waited 26.1 ms of 104 ms: Thread.sleep 26.1 ms"
function waitText(detail: Detail, nameOf: (method: Method) => string): string {
  const wait = detail.inclusive.wait;
  if (wait === undefined) return "";
  if (wait === 0 || detail.waits.length === 0) return "Did not wait.";
  const named = detail.waits.map((row) => `${nameOf(row.method)} ${formatDuration(row.wait)}`);
  return `Waited ${formatDuration(wait)}: ${named.join(", ")}.`;
}

// How many calls took less than a time: those of the bars below that of the time.
function callsBelow(bars: readonly HistogramBar[], ns: number): number {
  return bars.reduce((sum, bar) => (bar.to <= ns ? sum + bar.count : sum), 0);
}

// Where a time stands among the bars, as a share of their width; null: in none of them.
export function placeIn(bars: readonly HistogramBar[], ns: number): number | null {
  const ix = bars.findIndex((bar) => ns >= bar.from && ns < bar.to);
  const bar = bars[ix];
  if (bar === undefined) return null;
  const inside = bar.to > bar.from ? (ns - bar.from) / (bar.to - bar.from) : 0;
  return (ix + inside) / bars.length;
}

// "longer than 92 % of its 14 calls"
export function placeText(
  bars: readonly HistogramBar[],
  ns: number,
  words: { readonly one: string; readonly many: string },
): string {
  const all = bars.reduce((sum, bar) => sum + bar.count, 0);
  if (all < 2) return `the only ${words.one}`;
  const below = callsBelow(bars, ns);
  if (below === 0) return `among the shortest of ${plural(all, words.one, words.many)}`;
  return `longer than ${formatShare(below, all)} of ${plural(all, words.one, words.many)}`;
}

const MEASURES: readonly (readonly [Measure, string])[] = [
  ["wall", "wall"],
  ["cpu", "CPU"],
  ["wait", "wait"],
];

// What the subject's own code took: of a method that of all its calls, as in the Profile, for recursive calls are a part of
// the outermost ones.
export function ownTimes(detail: Detail, subject: SubjectKind): Times {
  return subject === "method" ? detail.exclusive : detail.self;
}

// The numbers as lines of text, for a bug report.
export function detailText(
  title: string,
  detail: Detail,
  subject: SubjectKind,
  nameOf: (method: Method) => string,
): string {
  const times = MEASURES.flatMap(([measure, word]) => {
    const ns = detail.inclusive[measure];
    return ns === undefined ? [] : [`${word} ${formatDuration(ns)}`];
  });
  const { wall, cpu } = ownTimes(detail, subject);
  const lines = (heading: string, rows: readonly DetailRow[]): string[] =>
    rows.length === 0
      ? []
      : [
          heading,
          ...rows.map(
            (row) =>
              `  ${formatDuration(row.inclusive.wall ?? row.inclusive.cpu ?? 0)} ${nameOf(row.method)}`,
          ),
        ];
  const wait = waitText(detail, nameOf);
  return [
    title,
    `${times.join(", ")}; self ${formatDuration(wall ?? cpu ?? 0)}`,
    ...(wait === "" ? [] : [wait]),
    ...lines("Inside:", detail.parts),
    ...lines("Along the longest path:", detail.path),
  ].join("\n");
}
