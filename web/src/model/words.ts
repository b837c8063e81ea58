// What the page says in words about a trace as a whole: calls or runs, clocks, findings, a full buffer, and the list of
// facts. Sentences that belong to one place stand there; here is what several places say alike.

import { formatBytes, formatCount, formatDuration, formatShare, percentText } from "../base/format";
import { knownText } from "./mapping";
import {
  type Finding,
  type Measure,
  type Overhead,
  type Overflow,
  type Severity,
  type Times,
  type TraceInfo,
} from "./trace";

// What a trace counts. A sampled trace has no calls, only runs of samples in which a method was seen.
export interface CallWords {
  readonly one: string;
  readonly many: string;
  readonly heading: string;
}

export function callWords(isSampled: boolean): CallWords {
  return isSampled
    ? { one: "run", many: "runs", heading: "Runs" }
    : { one: "call", many: "calls", heading: "Calls" };
}

// "this call", "these calls"
export function theseCalls(isOne: boolean, words: CallWords): string {
  return isOne ? `this ${words.one}` : `these ${words.many}`;
}

// A label that says "call", with the word "run" in its place where the trace is sampled.
export function inWords(label: string, isSampled: boolean): string {
  return isSampled
    ? label.replace(/\b([Cc])all(s?)\b/g, (_, first, s) => `${first === "C" ? "R" : "r"}un${s}`)
    : label;
}

export const MEASURE_WORDS: Record<Measure, { readonly label: string; readonly word: string }> = {
  wall: { label: "Wall", word: "wall time" },
  cpu: { label: "CPU", word: "CPU time" },
  wait: { label: "Wait", word: "waiting time" },
};

// A number on a card that stands over a picture.
export interface CardLine {
  readonly name: string;
  readonly text: string;
  readonly note?: string;
}

// How long the trace is. Without a wall clock that is the CPU time of the thread with the most, whatever time passed.
export function spanText({ span, axis }: Pick<TraceInfo, "span" | "axis">): string {
  return `${formatDuration(span)}${axis === "cpu" ? " CPU" : ""}`;
}

// What the row of a thread says of its time. Only both clocks tell how much of the time that passed it was at work: calls that wall
// time covers may have slept, and CPU time alone says nothing of the time that passed.
export function busyText(
  { wall = 0, cpu = 0 }: Times,
  { clocks, span, hasCommonAxis }: Pick<TraceInfo, "clocks" | "span" | "hasCommonAxis">,
): string {
  const hasWall = clocks.includes("wall");
  if (!clocks.includes("cpu"))
    return `in calls ${hasCommonAxis ? formatShare(wall, span) : formatDuration(wall)}`;
  if (cpu === 0) return "idle";
  return hasWall ? `${formatShare(cpu, span)} busy` : `${formatDuration(cpu)} CPU`;
}

// Severities of findings; the gravest has rank 0.
export const SEVERITIES: Record<Severity, { readonly label: string; readonly rank: number }> = {
  lost: { label: "data lost", rank: 0 },
  affected: { label: "numbers affected", rank: 1 },
  note: { label: "note", rank: 2 },
};

export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => SEVERITIES[a.severity].rank - SEVERITIES[b.severity].rank);
}

export function overflowText({ run, missing, bufferBytes }: Overflow): string {
  const share = run > 0 ? Math.min(100, (missing / run) * 100) : 0;
  const part = share >= 1 ? `${Math.round(share)} %` : share > 0 ? "less than 1 %" : "";
  const lost =
    part === ""
      ? "The buffer was full: calls after that moment are missing."
      : `The buffer was full: about ${part} of the run is missing, the last ${formatDuration(missing)} of ${formatDuration(run)}.`;
  return bufferBytes > 0
    ? `${lost} At its average rate until then, a buffer of ${formatBytes(bufferBytes)} would have held it.`
    : lost;
}

// What the numbers of a sampled trace lack. CPU time that is booked to what ran before makes a sleep look busy.
export function sampledText(info: Pick<TraceInfo, "isCpuOfBefore">): string {
  return (
    "Counts are of runs of samples, not of calls; what is shorter than the interval is missing." +
    (info.isCpuOfBefore
      ? " CPU time is booked to what ran before a look, so a sleep has that of the work after it; wall time is true to a look."
      : "")
  );
}

// How much of the flame graph on the screen a search found: "matched 12.3 % of what is shown (61.2 ms)". It may be more
// where boxes were too thin to be told.
export function matchedText(matched: number, whole: number, isLeast: boolean): string {
  const share = whole > 0 ? percentText(matched, whole) : "0.0";
  return `matched ${isLeast ? "at least " : ""}${share} % of what is shown (${formatDuration(matched)})`;
}

// An estimate with its margin: "12.0 ms (11.0 ms to 14.0 ms)".
export function overheadText(overhead: Overhead, isPartial: boolean): string {
  const { ns, least, most } = overhead;
  const margin =
    least === undefined || most === undefined || least === most
      ? ""
      : ` (${formatDuration(least)} to ${formatDuration(most)})`;
  return `${isPartial ? "at least " : ""}${formatDuration(ns)}${margin}`;
}

export const DATE_STYLE = { dateStyle: "medium", timeStyle: "short" } as const;

// Some recorders write the time since the device started where a date belongs: a date before this is none.
const FIRST_DATE_NS = Date.UTC(2000, 0) * 1e6;

// The first lines of the Trace tab's properties, by name.
export function factsOf(info: TraceInfo): [string, string][] {
  const vm = info.vm === "" ? "" : `, ${info.vm}`;
  const idle = info.threads.filter((thread) => thread.records === 0).length;
  const facts: ([string, string] | null)[] = [
    ["File", info.file],
    ["Format", `${info.format}${vm}${info.sampled ? ", sampled" : ""}`],
    [
      "Clocks",
      info.clocks.map((clock) => (clock === "cpu" ? "CPU" : "wall")).join(", ") +
        (info.hasIdleCpu ? ", CPU that never moves" : ""),
    ],
    info.hasCommonAxis ? null : ["Time axis", "each thread runs on its own clock from 0"],
    ["Duration", spanText(info)],
    info.startTime > FIRST_DATE_NS
      ? ["Recorded", new Date(info.startTime / 1e6).toLocaleString(undefined, DATE_STYLE)]
      : null,
    ["Records", formatCount(info.records)],
    [callWords(info.sampled).heading, formatCount(info.calls)],
    ["Methods", formatCount(info.methods)],
    info.names === undefined ? null : ["Names", `by ${info.names.mapping}${knownText(info.names)}`],
    [
      "Threads",
      formatCount(info.threads.length) + (idle > 0 ? `, ${formatCount(idle)} without records` : ""),
    ],
    info.overhead === undefined
      ? null
      : ["Tracing (estimate)", overheadText(info.overhead, info.overhead.isPartial === true)],
  ];
  return facts.flatMap((fact) => (fact === null ? [] : [fact]));
}
