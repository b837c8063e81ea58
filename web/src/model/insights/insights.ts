// What of a trace is worth a look, as the program found it (docs/numbers.md, "Insights"), and the
// sentences that say so.

import { decimal, formatCount, formatDuration } from "../../base/format";
import { isolated } from "../../base/text";
import { parametersOf, shortClass } from "../names";
import type { Clock, Method, PlacedCall, Thread, TraceInfo } from "../trace";
import { MEASURE_WORDS } from "../words";

export type InsightKind =
  | "overflow"
  | "slow"
  | "wait"
  | "open"
  | "often"
  | "overhead"
  // Of sampled traces.
  | "frames"
  | "own"
  | "package"
  | "spent";

// A callee, what another thread did meanwhile, or a caller.
export interface InsightOther {
  readonly thread: number | null;
  readonly method: Method;
  readonly ns: number;
  readonly calls: number;
}

export interface Insight {
  readonly kind: InsightKind;
  // On which its times are told; null: that of the axis.
  readonly clock: Clock | null;
  readonly atStake: number;
  readonly method: Method | null;
  readonly calls: number;
  // As long as slow calls, but only because they waited.
  readonly waitedCalls: number;
  readonly ofCalls: number;
  readonly median: number;
  // The longest call that is meant.
  readonly call: PlacedCall | null;
  // By that call, on the clock that is told.
  readonly took: number;
  readonly other: InsightOther | null;
  readonly of: number;
  // Two standard errors of what is at stake, by the number of samples.
  readonly margin: number;
  // The package that is meant; empty: none is.
  readonly package: string;
}

export interface Insights {
  readonly least: number;
  readonly mainThread: number | null;
  // The clocks that a finding says are wrong, with the finding's name.
  readonly wrong: ReadonlyMap<Clock, string>;
  // Where one is: on which times are told; null: on none.
  readonly told: Clock | null;
  readonly list: readonly Insight[];
}

// A piece of a sentence: words, or a method.
type Piece = string | Method;

function percent(part: number, whole: number): string {
  return whole > 0 ? `${decimal((part / whole) * 100, 0, 1)} %` : "-";
}

// `axis`: the clock of the times that are told; tables may be on another one.
function slow(insight: Insight, axis: Clock): Piece[] {
  const { calls, waitedCalls, ofCalls, method, call, took, median, other } = insight;
  if (method === null || call === null) return [];
  const longest = `${formatDuration(took)} of ${MEASURE_WORDS[axis].word}`;
  const why = waitedCalls > 1 ? "they waited" : "it waited";
  return [
    `${calls > 1 ? formatCount(calls) : "One"} of ${formatCount(ofCalls)} calls of `,
    method,
    calls > 1
      ? ` were slow: the longest of these took ${longest}`
      : ` was slow: it took ${longest}`,
    `; the median is ${formatDuration(median)}`,
    waitedCalls > 0 ? `; ${formatCount(waitedCalls)} more took long because ${why}.` : ".",
    ...(other === null
      ? []
      : [
          ` Of ${calls > 1 ? "the longest" : "it"} ${formatDuration(other.ns)} were in `,
          other.method,
          ".",
        ]),
  ];
}

function wait(
  { atStake, calls, ofCalls, method, other }: Insight,
  main: string,
  nameOf: (thread: number) => string,
): Piece[] {
  if (method === null) return [];
  const some = calls > 1 ? `${formatCount(calls)} calls` : "one call";
  const of = ofCalls > calls ? ` of ${formatCount(ofCalls)}` : "";
  return [
    `${main} waited ${formatDuration(atStake)} in ${some}${of} of `,
    method,
    ".",
    ...(other === null || other.thread === null
      ? []
      : [
          ` ${calls > 1 ? "During the longest wait" : "Meanwhile"} ${nameOf(other.thread)} was busiest, ` +
            `${formatDuration(other.ns)} of that in `,
          other.method,
          ".",
        ]),
  ];
}

// Whether it worked or waited there is not claimed.
function open({ atStake, method }: Insight, thread: string): Piece[] {
  if (method === null) return [];
  return [
    `${thread} was still in `,
    method,
    ` when the recording ended: what it did in the last ${formatDuration(atStake)} is not recorded.`,
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

// "1.00 s (25.0 %, give or take 2.5 %) of the 4.00 s that main was busy"
function share({ atStake, margin, of }: Insight, main: string): string {
  return (
    `${formatDuration(atStake)} (${percent(atStake, of)}, give or take ${percent(margin, of)}) ` +
    `of the ${formatDuration(of)} that ${main} was busy`
  );
}

function frames({ calls, ofCalls, call }: Insight): Piece[] {
  if (call === null) return [];
  return [
    `${formatCount(calls)} of ${formatCount(ofCalls)} runs of frames took longer than 16.7 ms: ` +
      `the longest took ${formatDuration(call.end - call.start)}. Frames that no look came between are one run.`,
  ];
}

function partOfBusy(insight: Insight, subject: string, main: string): Piece[] {
  const { method } = insight;
  if (method === null) return [];
  return [`${subject} took ${share(insight, main)}, most of it in `, method, "."];
}

function spent({ atStake, margin, method, other }: Insight, main: string): Piece[] {
  if (method === null) return [];
  return [
    `${main} was ${formatDuration(atStake)}, give or take ${formatDuration(margin)}, in `,
    method,
    ...(other === null
      ? ["."]
      : [`; ${formatDuration(other.ns)} of that through `, other.method, "."]),
  ];
}

// What an insight says of a trace with this clock on its axis. `nameOf` names a thread by its id.
export function insightPieces(
  insight: Insight,
  axis: Clock,
  nameOf: (thread: number) => string,
  mainThread: number | null,
): Piece[] {
  const main = mainThread === null ? "main" : nameOf(mainThread);
  switch (insight.kind) {
    case "overflow":
      return [
        `The recording ended ${formatDuration(insight.atStake)} before the run did: its buffer was full.`,
      ];
    case "overhead":
      return [
        `Tracing itself took some ${formatDuration(insight.atStake)}, ` +
          `${percent(insight.atStake, insight.of)} of the calls' ${MEASURE_WORDS[insight.clock ?? axis].word}: short methods ` +
          "look longer than they are.",
      ];
    case "slow":
      return slow(insight, insight.clock ?? axis);
    case "wait":
      return wait(insight, insight.call === null ? "main" : nameOf(insight.call.thread), nameOf);
    case "open":
      return open(insight, insight.call === null ? main : nameOf(insight.call.thread));
    case "often":
      return often(insight);
    case "frames":
      return frames(insight);
    case "own":
      return partOfBusy(insight, "The code of the app itself", main);
    case "package":
      return partOfBusy(insight, isolated(insight.package), main);
    case "spent":
      return spent(insight, main);
  }
}

// Class and method: a sentence is for reading, and has room for parameters only where the name alone would be that of
// several methods.
export function insightName(method: Method): string {
  const name = method.name === "" ? method.method : method.name;
  const long = method.class === "" ? name : `${shortClass(method.class)}.${method.name}`;
  return method.sharesName === true ? long + parametersOf(method.signature) : long;
}

// The same as one text, for the clipboard and for who listens.
export function insightText(
  insight: Insight,
  axis: Clock,
  nameOf: (thread: number) => string,
  mainThread: number | null,
): string {
  return insightPieces(insight, axis, nameOf, mainThread)
    .map((piece) => (typeof piece === "string" ? piece : insightName(piece)))
    .join("");
}

// The clock whose being wrong leaves insights out. Of samples nothing is told by CPU time.
function wrongClock(
  { wrong }: Insights,
  sampled: boolean,
  axis: Clock,
): readonly [Clock, string] | undefined {
  return [...wrong].find(([clock]) => clock === "wall" || !sampled || axis === "cpu");
}

// What is not told because a clock is wrong; empty: none is.
export function clocksText(
  insights: Insights,
  { sampled, axis }: Pick<TraceInfo, "sampled" | "axis">,
): string {
  const found = wrongClock(insights, sampled, axis);
  if (found === undefined) return "";
  const [clock, finding] = found;
  const rest =
    insights.told === null
      ? "nothing is told by them."
      : insights.told !== axis
        ? "CPU times are told, and no waits."
        : "no waits are told.";
  return `${clock === "wall" ? "Wall" : "CPU"} times are wrong (${finding}), so ${rest}`;
}

// Nothing to tell is an answer, too, if it says what was looked for.
export function nothingText(
  insights: Insights,
  info: Pick<TraceInfo, "sampled" | "calls" | "axis"> & {
    readonly threads: readonly Pick<Thread, "name">[];
  },
): string {
  const { least, mainThread, wrong } = insights;
  const { sampled, calls, threads } = info;
  const clocks = clocksText(insights, info);
  if (clocks !== "" && insights.told === null) return clocks;
  if (sampled) return "A sampled trace has no exact calls to compare. What took long stands here:";
  if (least === 0)
    return calls === 0
      ? "This trace holds no calls."
      : "The calls of this trace have no times to compare.";
  const waits =
    mainThread === null
      ? `, waits of the main thread (${
          threads.filter(({ name }) => name === "main").length > 1
            ? "several threads are called main"
            : "which the trace does not name"
        })`
      : ", waits of the main thread";
  return (
    `Nothing stands out. Looked for, from ${formatDuration(least)} on: calls of five times their ` +
    `method's median${clocks === "" ? waits : ""}, methods with 10 % of all calls, overhead of tracing` +
    `${wrong.has("wall") ? "" : ", an overflow"}.${clocks === "" ? "" : ` ${clocks}`}`
  );
}
