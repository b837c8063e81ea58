// What of a trace is worth a look, as the program found it (docs/numbers.md, "Insights"), and the
// sentences that say so.

import { decimal, formatCount, formatDuration } from "../../base/format";
import { shortClass } from "../names";
import type { Method, PlacedCall } from "../trace";

export type InsightKind = "overflow" | "slow" | "wait" | "often" | "overhead";

// A callee, what another thread did meanwhile, or a caller.
export interface InsightOther {
  readonly thread: number | null;
  readonly method: Method;
  readonly ns: number;
  readonly calls: number;
}

export interface Insight {
  readonly kind: InsightKind;
  readonly atStake: number;
  readonly method: Method | null;
  readonly calls: number;
  readonly ofCalls: number;
  readonly median: number;
  // The longest call that is meant.
  readonly call: PlacedCall | null;
  readonly other: InsightOther | null;
  readonly of: number;
}

export interface Insights {
  readonly least: number;
  readonly mainThread: number | null;
  readonly list: readonly Insight[];
}

// A piece of a sentence: words, or a method.
type Piece = string | Method;

function percent(part: number, whole: number): string {
  return whole > 0 ? `${decimal((part / whole) * 100, 0, 1)} %` : "-";
}

function slow({ calls, ofCalls, method, call, median, other }: Insight): Piece[] {
  if (method === null || call === null) return [];
  const longest = formatDuration(call.end - call.start);
  return [
    calls > 1
      ? `${formatCount(calls)} of ${formatCount(ofCalls)} calls of `
      : `One call of ${formatCount(ofCalls)} of `,
    method,
    calls > 1 ? ` were slow: the longest took ${longest}` : ` was slow: it took ${longest}`,
    `; the median is ${formatDuration(median)}.`,
    ...(other === null ? [] : [` Of it ${formatDuration(other.ns)} were in `, other.method, "."]),
  ];
}

function wait(
  { atStake, calls, method, other }: Insight,
  main: string,
  nameOf: (thread: number) => string,
): Piece[] {
  if (method === null) return [];
  return [
    `${main} waited ${formatDuration(atStake)} in `,
    method,
    calls > 1 ? `, in ${formatCount(calls)} calls.` : ".",
    ...(other === null || other.thread === null
      ? []
      : [
          ` Meanwhile ${nameOf(other.thread)} was busiest, for ${formatDuration(other.ns)} in `,
          other.method,
          ".",
        ]),
  ];
}

function often({ calls, ofCalls, method, other }: Insight): Piece[] {
  if (method === null) return [];
  return [
    method,
    ` was called ${formatCount(calls)} times, ${percent(calls, ofCalls)} of all calls`,
    ...(other === null ? ["."] : [`; ${formatCount(other.calls)} of them by `, other.method, "."]),
  ];
}

// What an insight says. `nameOf` names a thread by its id.
export function insightPieces(insight: Insight, nameOf: (thread: number) => string): Piece[] {
  switch (insight.kind) {
    case "overflow":
      return [
        `The recording ended ${formatDuration(insight.atStake)} before the run did: its buffer was full.`,
      ];
    case "overhead":
      return [
        `Tracing itself took some ${formatDuration(insight.atStake)}, ` +
          `${percent(insight.atStake, insight.of)} of the calls' time: short methods look longer ` +
          "than they are.",
      ];
    case "slow":
      return slow(insight);
    case "wait":
      return wait(insight, insight.call === null ? "main" : nameOf(insight.call.thread), nameOf);
    case "often":
      return often(insight);
  }
}

// Class and method: a sentence is for reading, and has no room for more.
export function insightName(method: Method): string {
  if (method.class === "") return method.name === "" ? method.method : method.name;
  return `${shortClass(method.class)}.${method.name}`;
}

// The same as one text, for the clipboard and for who listens.
export function insightText(insight: Insight, nameOf: (thread: number) => string): string {
  return insightPieces(insight, nameOf)
    .map((piece) => (typeof piece === "string" ? piece : insightName(piece)))
    .join("");
}

// Nothing to tell is an answer, too, if it says what was looked for.
export function nothingText({ least, mainThread }: Insights, isSampled: boolean): string {
  if (isSampled)
    return "A sampled trace has no exact calls to compare. What took long stands here:";
  const waits =
    mainThread === null
      ? "waits of the main thread (which the trace does not name)"
      : "waits of the main thread";
  return (
    `Nothing stands out. Looked for, from ${formatDuration(least)} on: calls of five times their ` +
    `method's median, ${waits}, methods with 10 % of all calls, overhead of tracing, an overflow.`
  );
}
