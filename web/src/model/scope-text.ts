// What the page says about the part of the trace that its numbers are of: which range, which threads, and what is left out.
// All such sentences stand here, beside what they are made of; scope-text.test.ts holds each of them against every choice.

import { formatCount, formatDuration, formatRange, plural } from "../base/format";
import { isolated } from "../base/text";
import type { Range } from "../base/time";
import { MEASURE_WORDS, theseCalls, type CallWords } from "./words";
import type { Measure } from "./trace";
import { unrecordedNote } from "./waits";

export interface ScopeFacts {
  readonly words: CallWords;
  // Of the trace.
  readonly records: number;
  // The threads that have records, and how many of them are chosen; null: all.
  readonly threads: number;
  readonly chosen: number | null;
  // How many threads only waited, and are left out of lists of waits.
  readonly idle: number;
  // How much of the waits that lists tell is after the last records of threads, ns; 0 where it is not told.
  readonly unrecorded: number;
  readonly range: Range | null;
  // The packages that "my code only" hides, null where it is off; and those that a menu hid.
  readonly mine: readonly string[] | null;
  readonly without: readonly string[];
  // The text that listed methods match; empty for all.
  readonly filter: string;
  // Whether the lens limits all panels to a set of calls, and whether that is one call, or is in one, whose time and thread count
  // instead of those that are chosen.
  readonly lens: "one" | "in one" | "path" | null;
}

export const MINE_TEXT = "my code only";
const NO_RECORDS = "This trace holds no records.";

function isInCall({ lens }: ScopeFacts): boolean {
  return lens === "one" || lens === "in one";
}

function countedThreads(facts: ScopeFacts): number {
  const { threads, chosen, idle } = facts;
  if (isInCall(facts)) return threads;
  return Math.max(0, (chosen ?? threads) - idle);
}

// "5 threads", "2 of 5 threads"
export function threadsText(facts: ScopeFacts): string {
  const counted = countedThreads(facts);
  return counted === facts.threads
    ? plural(counted, "thread")
    : `${counted} of ${plural(facts.threads, "thread")}`;
}

// "All threads", "2 of 5 threads"
export function allThreadsText(facts: ScopeFacts): string {
  return countedThreads(facts) === facts.threads ? "All threads" : threadsText(facts);
}

// "this call", "these calls", "" without a lens.
function lensCalls({ lens, words }: ScopeFacts): string {
  return lens === null ? "" : theseCalls(lens === "one", words);
}

function lensPlace(facts: ScopeFacts): string {
  return facts.lens === null ? "" : `in ${lensCalls(facts)}`;
}

function rangeText(range: Range | null): string {
  return range === null ? "" : `in ${formatRange(range.from, range.to)}`;
}

// "whole trace · 5 threads", "in 100 ms – 150 ms · 2 of 5 threads · my code only"
export function whereText(facts: ScopeFacts): string {
  const { records, range, mine, unrecorded } = facts;
  const lens = lensPlace(facts);
  const behind = [
    ...(mine === null ? [] : [MINE_TEXT]),
    ...(unrecorded > 0 ? [`${formatDuration(unrecorded)} of the waits not recorded`] : []),
  ];
  if (records === 0) return "no records";
  if (isInCall(facts)) return [lens, ...behind].join(" · ");
  return [
    ...(lens === "" ? [] : [lens]),
    ...(range === null && lens !== "" ? [] : [range === null ? "whole trace" : rangeText(range)]),
    threadsText(facts),
    ...behind,
  ].join(" · ");
}

// The place of a method or of threads: "in the whole trace", "in 100 ms – 150 ms, on 2 of 5 threads"
export function placeText(facts: ScopeFacts): string {
  if (isInCall(facts)) return lensPlace(facts);
  const place = lensPlace(facts);
  const range =
    facts.range === null ? (place === "" ? "in the whole trace" : "") : rangeText(facts.range);
  const where = [place, range].filter((part) => part !== "").join(", ");
  return countedThreads(facts) === facts.threads ? where : `${where}, on ${threadsText(facts)}`;
}

// "Times are sums over 1 of 5 threads: 4 idle ones are left out."
export function sumsText(facts: ScopeFacts): string {
  const { records, idle } = facts;
  if (records === 0) return NO_RECORDS;
  if (isInCall(facts))
    return `Times are those of ${lensCalls(facts)} and what ${facts.lens === "one" ? "it" : "they"} made.`;
  const set = facts.lens === null ? "" : `${lensCalls(facts)} on `;
  const sums = `Times are sums over ${set}${threadsText(facts)}`;
  return idle === 0
    ? `${sums}.`
    : `${sums}: ${idle} idle ${idle === 1 ? "one is" : "ones are"} left out.`;
}

// Why nothing is 100 %. The clocks tick apart, so that CPU time may be longer than wall time.
function noWholeText(ns: number, measure: Measure): string {
  const { word } = MEASURE_WORDS[measure];
  if (measure !== "wait") return `no percentages, since there is no ${word}`;
  if (ns === 0) return "no percentages, since CPU time is as long as wall time";
  return `no percentages, since CPU time is ${formatDuration(-ns)} longer than wall time`;
}

// Of what shares are: "100 % is 788 ms CPU time, the root calls of all threads"
export function wholeText(facts: ScopeFacts, ns: number, measure: Measure): string {
  const isAll = countedThreads(facts) === facts.threads;
  const whole =
    ns > 0
      ? `100 % is ${formatDuration(ns)} ${MEASURE_WORDS[measure].word}, `
      : `${noWholeText(ns, measure)} in `;
  const behind = measure === "wait" ? unrecordedNote(facts.unrecorded) : "";
  if (isInCall(facts)) return `${whole}${lensCalls(facts)}${behind}`;
  const what = facts.lens === null ? `the root ${facts.words.many}` : lensCalls(facts);
  const of = isAll ? "all threads" : threadsText(facts);
  const within = facts.range === null ? "" : " in the range";
  return `${whole}${what} of ${of}${within}${behind}`;
}

// Why a list has no rows; `what` is what it lists. All that is chosen is named, for each may be the reason.
export function noneText(facts: ScopeFacts, what: string): string {
  const { records, range, mine, without, filter } = facts;
  if (records === 0) return NO_RECORDS;
  const hidden = [...(mine === null ? [] : [MINE_TEXT]), ...without.map(isolated)];
  const limits = [
    ...(facts.lens === null ? [] : [lensCalls(facts)]),
    ...(range === null || isInCall(facts) ? [] : ["this range"]),
    ...(countedThreads(facts) === facts.threads ? [] : ["these threads"]),
  ];
  if (hidden.length + limits.length === 0 && filter === "") return `No ${what} here.`;
  return (
    `No ${what}${limits.length === 0 ? "" : ` in ${limits.join(" and ")}`}` +
    `${filter === "" ? "" : " matches the filter"}` +
    `${hidden.length === 0 ? "" : ` while hidden packages are left out (${hidden.join(", ")})`}.`
  );
}

// What the chip "my code only" says to who asks: how much of the trace the numbers are of. `shown` is null until it is known.
export function mineTitle(mine: readonly string[], shown: number | null, all: string): string {
  const packages = mine.map(isolated).join(" ");
  const count = shown === null ? "" : `Shown are ${formatCount(shown)} of ${all}. `;
  return `${count}The time of methods in ${packages} is their callers'. Press to show them again`;
}
