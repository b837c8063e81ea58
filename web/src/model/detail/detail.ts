// Where the time of what is selected went, and what it waited for (docs/api.md, `detail`).

import { formatCount, formatDuration, formatShare, plural } from "../../base/format";
import { timeOn, type Measure, type Method, type PlacedCall, type Times } from "../trace";
import { toldUnrecorded, unrecordedNote } from "../waits";
import { MEASURE_WORDS, type CallWords } from "../words";

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
  // Of the wall time, after the last records of threads: nothing tells work from waiting there.
  readonly unrecorded: number;
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
  const { wait = 0, wall = 0, cpu = 0 } = detail.inclusive;
  return wait > 0
    ? `Waited ${formatDuration(wait)}${unrecordedNote(toldUnrecorded(detail.unrecorded, wait))}`
    : `No wait in sum: CPU time is ${cpu > wall ? "longer than" : "as long as"} wall time`;
}

// What waited besides the methods that have a row, each with what is known of it. Small ones are the ticks of clocks where all of
// the wait is told without them. CPU time that is longer than wall time makes the whole less than its parts, and has no part.
export function waitRests(detail: Detail): string[] {
  const { waits, moreWaits, smallWaits, hiddenWait } = detail;
  const wait = detail.inclusive.wait ?? 0;
  const large = waits.reduce((sum, row) => sum + row.wait, moreWaits.ns + hiddenWait);
  const hasSmall = smallWaits.methods > 0 && wait - large > wait / 100;
  const told = hasSmall ? large + smallWaits.ns : large;
  const isMore = told > wait && formatDuration(told) !== formatDuration(wait);
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
    ...(isMore ? ["less elsewhere, where CPU time is longer than wall time"] : []),
  ];
}

// "Waited 26.1 ms: Thread.sleep 26.1 ms."
export function waitText(detail: Detail, nameOf: (method: Method) => string): string {
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
export function selfText(
  detail: Detail,
  subject: SubjectKind,
  measure: Measure,
  words: CallWords,
): string {
  const self = selfOn(detail, measure);
  if (self === 0) return "";
  if (!isOfCode(subject)) return "hidden packages";
  const isRecursive = measure !== "wait" && self < (ownTimes(detail, subject)[measure] ?? 0);
  return `its own code${isRecursive ? `, outermost ${words.many}` : ""}`;
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

// Parts for which there is no row; empty where there are none.
export function morePartsText({ moreParts }: Pick<Detail, "moreParts">): string {
  return moreParts === 0 ? "" : `and ${plural(moreParts, "more method")}`;
}

// How much of the wall time was CPU time; empty where the subject has not both. The clocks tick apart.
export function processorText({
  inclusive: { wall, cpu },
  unrecorded,
}: Pick<Detail, "inclusive" | "unrecorded">): string {
  if (wall === undefined || cpu === undefined || wall <= unrecorded) return "";
  const known = wall - unrecorded;
  const recorded = unrecorded > 0 ? "recorded " : "";
  return `${formatShare(Math.min(cpu, known), known)} of the ${recorded}wall time on a processor`;
}

// What else there is to say of a row: how often it was called, and on the path its own time.
export function rowNotes(
  row: DetailRow,
  words: CallWords,
  ownOn: Measure | null,
): readonly string[] {
  return [
    ...(row.calls > 1 && row.longest !== null
      ? [`${formatCount(row.calls)} ${words.many}, the longest shown by a press`]
      : []),
    ...(ownOn === null
      ? []
      : [`its own code ${formatDuration(timeOn(row.exclusive, ownOn) ?? 0)}`]),
  ];
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

// The one of two clocks that a time is told on where both are known.
export function toldOn(times: Times): "wall" | "cpu" {
  return times.wall === undefined && times.cpu !== undefined ? "cpu" : "wall";
}

// The numbers as lines of text, for a bug report. The lists are those of the clock that they were asked for on.
export function detailText(
  title: string,
  detail: Detail,
  subject: SubjectKind,
  measure: Measure,
  nameOf: (method: Method) => string,
): string {
  const times = MEASURES.flatMap(([measure, word]) => {
    const ns = detail.inclusive[measure];
    return ns === undefined ? [] : [`${word} ${formatDuration(ns)}`];
  });
  const own = ownTimes(detail, subject);
  const isOwnTold = isOfCode(subject) || (own[toldOn(own)] ?? 0) > 0;
  const ownParts = MEASURES.flatMap(([measure, word]) => {
    const ns = measure === "wait" ? undefined : own[measure];
    return ns === undefined ? [] : [`${word} ${formatDuration(ns)}`];
  });
  const ownText =
    isOwnTold && ownParts.length > 0
      ? `; ${isOfCode(subject) ? "exclusive" : "hidden packages"} ${ownParts.join(", ")}`
      : "";
  const lines = (heading: string, rows: readonly DetailRow[]): string[] =>
    rows.length === 0
      ? []
      : [
          `${heading}, ${MEASURE_WORDS[measure].word}:`,
          ...rows.map(
            (row) =>
              `  ${formatDuration(timeOn(row.inclusive, measure) ?? 0)} ${nameOf(row.method)}`,
          ),
        ];
  const wait = waitText(detail, nameOf);
  return [
    title,
    `${times.join(", ")}${ownText}`,
    ...(wait === "" ? [] : [wait]),
    ...lines("Inside", detail.parts),
    ...lines("Along the longest path", detail.path),
  ].join("\n");
}
