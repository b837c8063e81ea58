// What is said of two calls that are compared: where they stand to each other, how they were cut, and all of it as text.

import { formatCount, formatDuration } from "../../base/format";
import type { Range } from "../../base/time";
import { changeText, signedTime, type Changes, type Sentence } from "../changes/changes";
import { shortName } from "../changes/callers";
import { fullName } from "../names";
import type { CallDetail, Measure } from "../trace";
import { callWords, MEASURE_WORDS } from "../words";
import { pairTime, type PairRow, type PairSide } from "./pair-tree";

export interface CallPairDetail {
  readonly old: CallDetail;
  readonly new: CallDetail;
}

// Both from their own start, as far as the longer one goes.
export function pairSpan({ old, new: own }: CallPairDetail): Range {
  return { from: 0, to: Math.max(1, own.end - own.start, old.end - old.start) };
}

function isWithin(inner: CallDetail, outer: CallDetail): boolean {
  // Of a deep stack only the innermost are told; then times decide.
  const there = inner.stack[outer.depth - inner.depth + inner.stack.length - 1] ?? outer.rank;
  return (
    inner.thread === outer.thread &&
    inner.depth > outer.depth &&
    inner.start >= outer.start &&
    inner.end <= outer.end &&
    there === outer.rank
  );
}

// What should be known before the numbers are read.
export function pairNotes(pair: CallPairDetail, isSampled: boolean): string[] {
  const { old, new: own } = pair;
  const words = callWords(isSampled);
  return [
    ...(own.rank !== old.rank ? [`They are ${words.many} of two methods.`] : []),
    ...(isWithin(own, old)
      ? [`This ${words.one} lies within the other one, whose numbers have it, too.`]
      : []),
    ...(isWithin(old, own)
      ? [`The other ${words.one} lies within this one, whose numbers have it, too.`]
      : []),
    ...cutNotes("This", own, words.one),
    ...cutNotes("The other", old, words.one),
    ...(isSampled
      ? ["The trace is one of samples: what is shorter than they lie apart is missing."]
      : []),
  ];
}

function cutNotes(who: string, call: CallDetail, one: string): string[] {
  const { isAdopted, isOpenAtEnd } = call;
  if (!isAdopted && !isOpenAtEnd) return [];
  const when =
    isAdopted && isOpenAtEnd
      ? "began before the trace and was open at its end"
      : isAdopted
        ? "began before the trace"
        : "was open at the end of the trace";
  return [`${who} ${one} ${when}: it is longer than is told.`];
}

export interface Waiting {
  readonly text: string;
  // What ran while the longest of its waits lasted; empty where nothing can be told.
  readonly meanwhile: string;
}

// "call 3 of 14"
export function callNumber(call: CallDetail, isSampled: boolean): string {
  const { one } = callWords(isSampled);
  return `${one} ${formatCount(call.ordinal + 1)} of ${formatCount(call.of)}`;
}

function rowLine(row: PairRow, measure: Measure): string[] {
  if (row.kind !== "node") return [];
  const own = pairTime(row.node, "this", "inclusive", measure);
  const other = pairTime(row.node, "other", "inclusive", measure);
  if (own === undefined || other === undefined) return [];
  return [
    `${"  ".repeat(row.depth + 1)}${signedTime(own - other)} (${formatDuration(own)}, other ${formatDuration(other)}) ${shortName(row.node.method.method)}`,
  ];
}

// The most rows of the tree that are copied.
const COPIED_ROWS = 40;

interface PairTold {
  readonly pair: CallPairDetail;
  readonly changes: Changes;
  readonly sentences: readonly Sentence[];
  readonly notes: readonly string[];
  readonly waits: Readonly<Record<PairSide, Waiting>> | null;
  readonly rows: readonly PairRow[];
  readonly measure: Measure;
  readonly isSampled: boolean;
  readonly nameOf: (thread: number) => string;
}

// All that is said of both calls, for a bug report.
export function pairText(of: PairTold): string {
  const { pair, changes, measure } = of;
  const { word } = MEASURE_WORDS[changes.clock];
  const lines = of.sentences.map(
    (one) => `- ${signedTime(one.difference)} ${shortName(one.method)} ${one.text}.`,
  );
  const rows = of.rows.flatMap((row) => rowLine(row, measure)).slice(0, COPIED_ROWS);
  const callLine = (who: string, call: CallDetail, time: number): string =>
    `${who}: ${fullName(call.method)}, ${callNumber(call, of.isSampled)}, on ${of.nameOf(call.thread)}, ${formatDuration(time)}`;
  return [
    callLine("This", pair.new, changes.new.total),
    callLine("Other", pair.old, changes.old.total),
    `${changeText(changes.new.total, changes.old.total)} of ${word}.`,
    ...of.notes,
    ...lines,
    ...(of.waits === null ? [] : waitLines(of.waits)),
    ...(rows.length > 0
      ? [`Inclusive ${MEASURE_WORDS[measure].word}, along each path:`, ...rows]
      : []),
  ].join("\n");
}

function waitLines(waits: Readonly<Record<PairSide, Waiting>>): string[] {
  return (["this", "other"] as const).flatMap((side) => {
    const { text, meanwhile } = waits[side];
    const who = side === "this" ? "This call" : "The other call";
    return text === ""
      ? []
      : [`${who}: ${[text, meanwhile].filter((one) => one !== "").join(" ")}`];
  });
}
