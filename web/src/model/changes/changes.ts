// What changed from an older trace to the one that is shown: the answer of the route diff, and what of it is told in
// sentences. Of one recording a side counts are certain, and times are one sample that decides nothing.

import type { Median } from "./median";
import { formatCount, formatDuration, signOf } from "../../base/format";
import type { Clock } from "../trace";
import type { RunValues } from "../run-values";
import type { RunsTold } from "./runs";
import type { ThreadChange } from "./thread-change";

export type Verdict = "changed" | "same" | "undecided";
export const VERDICTS: readonly Verdict[] = ["changed", "same", "undecided"];

export interface ChangeSide {
  // Over the runs of the side, the least and the most.
  readonly calls: readonly [number, number];
  readonly time: number;
}

// What a test said of a method's time; numbers are shares.
export interface TimeTest {
  readonly change: number;
  readonly p: number;
  // How many runs a side would decide; null: it is decided, or that would be too many.
  readonly runsToDecide: number | null;
}

export interface Change {
  readonly method: string;
  // Null: the counts of a trace are not those of the program.
  readonly calls: Verdict | null;
  readonly time: Verdict;
  readonly old: ChangeSide;
  readonly new: ChangeSide;
  readonly byCalls: number;
  readonly byCost: number;
  // The time of each run; null where each side has one.
  readonly runs: RunValues | null;
  // Null: the time was not tested.
  readonly test: TimeTest | null;
}

export interface ChangesSide {
  readonly file: string;
  readonly runs: number;
  readonly calls: number;
  readonly total: number;
  // Of several runs; null: there is one.
  readonly told: RunsTold | null;
}

// A method by one path of callers in both traces, over all threads.
export interface CallerPath {
  // From the outermost that is told on; the method stands last.
  readonly path: readonly string[];
  // Callers that are above these.
  readonly above: number;
  readonly old: ChangeSide;
  readonly new: ChangeSide;
}

export interface MovedCalls {
  readonly method: string;
  readonly calls: number;
  // The path that lost most of them, and the one that got most.
  readonly from: CallerPath;
  readonly to: CallerPath;
  readonly fewerIn: number;
  readonly moreIn: number;
}

// What of the tree and of the threads is told; null where contexts are not compared.
export interface CallerChanges {
  // Paths on which the calls of a method of both sides changed, and not only as its caller's did.
  readonly changed: number;
  // Methods whose calls moved: the list may lack some.
  readonly moved: number;
  readonly movedList: readonly MovedCalls[];
  readonly paths: readonly CallerPath[];
  readonly threads: readonly ThreadChange[];
}

export interface Changes {
  readonly old: ChangesSide;
  readonly new: ChangesSide;
  readonly clock: Clock;
  readonly by: "inclusive" | "exclusive";
  readonly inBoth: number;
  readonly gone: number;
  readonly added: number;
  // Methods by verdict on their calls; null where calls are not compared, and then why.
  readonly callsVerdicts: Readonly<Record<Verdict, number>> | null;
  // Of the undecided ones: those that a mapping of names says one side inlined, or merged.
  readonly byMapping?: number;
  readonly noCounts: string;
  readonly isOneSample: boolean;
  // Methods whose time was tested, by verdict; null: none was. Why: what a trace has lost, or runs of different processors.
  readonly timeVerdicts: Readonly<Record<Verdict, number>> | null;
  readonly noTimes: string;
  readonly median: Median | null; // null: nothing was tested
  readonly hasOtherProcessors: boolean;
  readonly hasMixedKinds: boolean; // some traces are of samples, some of each call
  // A change of less than this share of a time is none.
  readonly least: number;
  // Those whose calls changed, then those whose time differs, each method once.
  readonly list: readonly Change[];
  readonly leftOut: number;
  // Null where the counts of a trace are not those of the program, or only a part was compared.
  readonly callers: CallerChanges | null;
}

// From this ratio on, a change is told as "times" and not in percent, which would be hard to read.
export const TIMES_FROM = 10;

export function differenceOf(change: Change): number {
  return change.new.time - change.old.time;
}

// "+38 ms"
export function signedTime(ns: number): string {
  return `${signOf(ns)}${formatDuration(Math.abs(ns))}`;
}

// How much more or less, as a share of what was: "+104.6 %". Empty where nothing was.
export function signedShare(now: number, before: number): string {
  if (before <= 0) return "";
  const share = (now - before) / before;
  return `${signOf(share)}${(Math.abs(share) * 100).toFixed(1)} %`;
}

// A change with what it is a change of: "+96.7 % of 10.1 ms", "103 times 1.96 ms". Empty where nothing was.
export function basedText(now: number, before: number): string {
  if (before <= 0) return "";
  if (now / before >= TIMES_FROM)
    return `${formatCount(Math.round(now / before))} times ${formatDuration(before)}`;
  return `${signedShare(now, before)} of ${formatDuration(before)}`;
}

// How much more or less in all, with what it is a change of: "+38 ms (+96.7 % of 10.1 ms)".
export function changeText(now: number, before: number): string {
  return `${signedTime(now - before)}${before > 0 ? ` (${basedText(now, before)})` : ""}`;
}

export function callsText([least, most]: readonly [number, number]): string {
  return least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
}

// What the sides are called: two traces, of which one is older, or two calls of one trace.
export interface SideWords {
  readonly old: string;
  readonly new: string;
  readonly before: string;
  readonly isNew: string;
  readonly isGone: string;
  readonly kinds: Readonly<Record<SentenceKind, string>>;
}

export const OF_TRACES: SideWords = {
  old: "Old",
  new: "New",
  before: "before",
  isNew: "is new: called",
  isGone: "is gone: it was called",
  kinds: { new: "new", gone: "gone", calls: "calls", cost: "cost", time: "time" },
};

export const OF_CALLS: SideWords = {
  old: "Other",
  new: "This",
  before: "in the other call",
  isNew: "is called in this call alone,",
  isGone: "is called in the other call alone,",
  kinds: { new: "here", gone: "there", calls: "calls", cost: "cost", time: "time" },
};

export type SentenceKind = "new" | "gone" | "calls" | "cost" | "time";

export interface Sentence {
  readonly kind: SentenceKind;
  readonly method: string;
  readonly text: string;
  // What the line is about, in nanoseconds.
  readonly difference: number;
}

const MOST_SENTENCES = 10;
const MOST_OF_CALLS = 6;
// Of the larger total; less is told by the table alone.
const LEAST_SHARE = 0.01;
const ALIKE = 0.02;

function timesWord(count: number): string {
  return count === 1 ? "once" : `${formatCount(count)} times`;
}

function calledText([least, most]: readonly [number, number]): string {
  return least === most ? timesWord(least) : `${callsText([least, most])} times`;
}

function callsSentence(change: Change, words: SideWords): Sentence {
  const { old, new: now, method } = change;
  const difference = differenceOf(change);
  if (old.calls[1] === 0)
    return {
      kind: "new",
      method,
      text: `${words.isNew} ${calledText(now.calls)}, ${formatDuration(now.time)} in all`,
      difference,
    };
  if (now.calls[1] === 0)
    return {
      kind: "gone",
      method,
      text: `${words.isGone} ${calledText(old.calls)}, ${formatDuration(old.time)} in all`,
      difference,
    };
  const parts =
    difference === 0
      ? ""
      : `; ${formatDuration(now.time)} in place of ${formatDuration(old.time)}: ` +
        `${signedTime(change.byCalls)} by calls, ${signedTime(change.byCost)} by cost`;
  return {
    kind: "calls",
    method,
    text: `is called ${calledText(now.calls)}, ${calledText(old.calls)} ${words.before}${parts}`,
    difference,
  };
}

// What is not by calls: all of it, where calls are not compared.
function costOf(change: Change): number {
  return change.calls === null ? differenceOf(change) : change.byCost;
}

function costSentence(change: Change, isOneSample: boolean, words: SideWords): Sentence {
  const { old, new: now } = change;
  return {
    kind: change.calls === null ? "time" : "cost",
    method: change.method,
    text:
      `took ${formatDuration(now.time)} in code of its own, ${formatDuration(old.time)} ${words.before} ` +
      `(${basedText(now.time, old.time)})${isOneSample && words === OF_TRACES ? "; one sample each" : ""}`,
    difference: costOf(change),
  };
}

// New methods that call one another took nearly the same time, and one sentence tells of all.
function isAlike(first: Sentence, next: Sentence): boolean {
  return (
    first.kind === next.kind &&
    (first.kind === "new" || first.kind === "gone") &&
    Math.abs(first.difference - next.difference) <= ALIKE * Math.abs(first.difference)
  );
}

function withMore(sentence: Sentence, count: number): Sentence {
  if (count === 0) return sentence;
  const more = count === 1 ? "so is one more" : `so are ${formatCount(count)} more`;
  return { ...sentence, text: `${sentence.text}; ${more}, within 2 % of that time` };
}

// At most ten sentences: methods whose calls changed, by the time that the calls brought; then those whose own code became
// dearer or cheaper without more or fewer calls. `own` is the same comparison by exclusive time.
export function sentencesOf(
  whole: Changes,
  own: Changes | null,
  words: SideWords = OF_TRACES,
): Sentence[] {
  const byCalls = whole.list
    .filter((change) => change.calls === "changed")
    .map((change) => callsSentence(change, words))
    .reduce<Sentence[][]>((groups, sentence) => {
      const last = groups[groups.length - 1];
      if (last?.[0] !== undefined && isAlike(last[0], sentence)) last.push(sentence);
      else groups.push([sentence]);
      return groups;
    }, [])
    .slice(0, MOST_OF_CALLS)
    .flatMap(([first, ...more]) => (first === undefined ? [] : [withMore(first, more.length)]));
  const least = LEAST_SHARE * Math.max(whole.old.total, whole.new.total);
  const byCost = (own?.list ?? [])
    .filter(
      (change) =>
        change.old.time > 0 &&
        change.calls !== "changed" &&
        (own?.isOneSample === true || change.time === "changed") &&
        Math.abs(costOf(change)) >= least,
    )
    .sort((a, b) => Math.abs(costOf(b)) - Math.abs(costOf(a)))
    .slice(0, MOST_SENTENCES - byCalls.length)
    .map((change) => costSentence(change, own?.isOneSample === true, words));
  return [...byCalls, ...byCost];
}

// A side as one line: the file, or how many there are.
export function sideText(side: ChangesSide): string {
  return side.runs > 1 ? `${side.file} and ${formatCount(side.runs - 1)} more` : side.file;
}
