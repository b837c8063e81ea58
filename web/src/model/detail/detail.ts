// Where the time of what is selected went, and what it waited for (docs/api.md, `detail`).

import { formatCount, formatDuration, formatShare, plural } from "../../base/format";
import type { Range } from "../../base/time";
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
  // How many threads that only waited the numbers leave out.
  readonly idle: number;
  // Waits without a row: of methods for which there was no room, of methods with less than a hundredth of the wait, and of
  // hidden packages that no shown method called.
  readonly moreWaits: Rest;
  readonly smallWaits: Rest;
  readonly hiddenWait: number;
}

export interface Rest {
  readonly methods: number;
  readonly ns: number;
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

// "Waited 26.1 ms". Calls may have waited where CPU time is as long as wall time in sum: the clocks tick apart.
export function waitHeading(detail: Detail): string {
  const wait = detail.inclusive.wait ?? 0;
  return wait > 0
    ? `Waited ${formatDuration(wait)}`
    : "No wait in sum: CPU time is as long as wall time";
}

// What waited besides the methods that have a row, each with what is known of it.
// Small ones are the ticks of clocks where all of the wait is told without them.
export function waitRests({
  inclusive,
  waits,
  moreWaits,
  smallWaits,
  hiddenWait,
}: Detail): string[] {
  const wait = inclusive.wait ?? 0;
  const told = waits.reduce((sum, row) => sum + row.wait, moreWaits.ns + hiddenWait);
  const hasSmall = smallWaits.methods > 0 && wait - told > wait / 100;
  return [
    ...(moreWaits.methods > 0
      ? [`${formatDuration(moreWaits.ns)} in ${plural(moreWaits.methods, "more method")}`]
      : []),
    ...(hasSmall
      ? [
          `${formatDuration(smallWaits.ns)} in ${plural(smallWaits.methods, "method")} of less than 1 %` +
            (smallWaits.methods > 1 ? " each" : ""),
        ]
      : []),
    ...(hiddenWait > 0 ? [`${formatDuration(hiddenWait)} in hidden packages`] : []),
  ];
}

// "Waited 26.1 ms: Thread.sleep 26.1 ms."
function waitText(detail: Detail, nameOf: (method: Method) => string): string {
  if (detail.inclusive.wait === undefined) return "";
  const parts = [
    ...detail.waits.map((row) => `${nameOf(row.method)} ${formatDuration(row.wait)}`),
    ...waitRests(detail),
  ];
  return `${waitHeading(detail)}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}

// Inclusive time that no part has, on a clock: of a method or a call its own code, of a range or threads hidden packages.
export function selfOn(detail: Detail, measure: Measure): number {
  const { wall, cpu } = detail.self;
  if (measure !== "wait") return detail.self[measure] ?? 0;
  if (wall === undefined || cpu === undefined) return 0;
  return Math.max(0, Math.min(wall - cpu, detail.inclusive.wait ?? 0));
}

export function isOfCode(subject: SubjectKind): boolean {
  return subject === "call" || subject === "method";
}

// What has the time that no part has; empty where the subject has no such time.
export function selfText(detail: Detail, subject: SubjectKind, measure: Measure): string {
  const self = selfOn(detail, measure);
  if (self === 0) return "";
  if (!isOfCode(subject)) return "hidden packages";
  const isRecursive = measure !== "wait" && self < (ownTimes(detail, subject)[measure] ?? 0);
  return `its own code${isRecursive ? ", outermost calls" : ""}`;
}

const NOTHING: Record<Measure, string> = {
  wall: "took wall time",
  cpu: "took CPU time",
  wait: "waited",
};

// Why the list of parts is empty; empty where it is not.
export function noPartsText(detail: Detail, subject: SubjectKind, measure: Measure): string {
  if (detail.parts.length > 0 || selfOn(detail, measure) > 0) return "";
  return isOfCode(subject)
    ? `It called nothing that ${NOTHING[measure]}.`
    : `Nothing ${NOTHING[measure]}.`;
}

// "10 levels that pass it on": a level may stand for many calls.
export function passedOnText(levels: number): string {
  return levels === 1
    ? "1 level that passes it on"
    : `${formatCount(levels)} levels that pass it on`;
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

// Whether the call is one of those that a range and chosen threads leave.
export function isAmong(
  call: Pick<PlacedCall, "thread" | "start" | "end">,
  range: Range | null,
  threads: ReadonlySet<number> | null,
): boolean {
  const isInRange = range === null || (call.start < range.to && call.end >= range.from);
  return isInRange && (threads === null || threads.has(call.thread));
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
  const isInFew = bars.filter((bar) => bar.count > 0).length === 1;
  if (below === 0 && isInFew) return `about as long as all ${plural(all, words.one, words.many)}`;
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
  const own = wall ?? cpu ?? 0;
  const ownText = isOfCode(subject)
    ? `; self ${formatDuration(own)}`
    : own > 0
      ? `; hidden packages ${formatDuration(own)}`
      : "";
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
    `${times.join(", ")}${ownText}`,
    ...(wait === "" ? [] : [wait]),
    ...lines("Inside:", detail.parts),
    ...lines("Along the longest path:", detail.path),
  ].join("\n");
}
