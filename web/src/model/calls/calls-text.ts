// What the head of the tab Calls says of the calls of a method; calls-text.test.ts holds each sentence.

import { formatCount, formatDuration, formatShare, formatTimes, plural } from "../../base/format";
import {
  timeOn,
  type CallsPage,
  type Clock,
  type Measure,
  type Overhead,
  type Times,
} from "../trace";
import { MEASURE_WORDS, overheadText, type CallWords } from "../words";
import { OUTLIER_TIMES } from "./calls-columns";
import type { SideBar } from "./histogram-sides";

type Head = Omit<CallsPage, "calls">;

// How much longer than usual the longest call is, and on which clock, for an insight says the same of wall time whatever clock is
// chosen; empty where it is not.
export function longestText(head: Head, measure: Measure, words: CallWords): string {
  const stats = measure === "wait" ? undefined : head.stats[measure];
  if (stats === undefined || head.count < 2) return "";
  const times = formatTimes(stats.max, stats.p50);
  return times === ""
    ? ""
    : `The longest ${words.one} takes ${formatDuration(stats.max)} of ${MEASURE_WORDS[measure].word}, ${times} the median of ${formatDuration(stats.p50)}.`;
}

// Names the distribution.
export function durationsText(head: Head, words: CallWords): string {
  const { label } = MEASURE_WORDS[head.histogram.clock];
  return `Durations of ${plural(head.count, words.one, words.many)}, ${label}`;
}

export function barText(bar: SideBar, words: CallWords): string {
  const before = bar.old === undefined ? "" : `, ${formatCount(bar.old)} in the old trace`;
  return `${formatDuration(bar.from)} to ${formatDuration(bar.to)}: ${plural(bar.count, words.one, words.many)}${before}`;
}

// Below a histogram of two traces.
export function oldCallsText(count: number, words: CallWords): string {
  return `Outlined: ${plural(count, words.one, words.many)} of the old trace`;
}

// What a press on a bar does, and what one on the choice.
export function pressText(words: CallWords): string {
  return `Press a bar to list its ${words.many}`;
}

export function againText(words: CallWords): string {
  return `List all ${words.many} again`;
}

export function countText(head: Pick<Head, "count" | "listed">, words: CallWords): string {
  const all = plural(head.count, words.one, words.many);
  return head.listed === head.count ? all : `${formatCount(head.listed)} of ${all}`;
}

// Beside a call that is marked.
export function outlierText(): string {
  return `${OUTLIER_TIMES} times the median or more`;
}

const WORTH_TELLING = 0.01;

// How much of a method's own time is the tracing: of the clock that is chosen, and of waits of that of the axis, for the
// estimate is at most that time. Empty where it is not worth telling.
export function tracingText(
  overhead: Overhead,
  exclusive: Times,
  measure: Measure,
  axis: Clock,
  isPartial: boolean,
): string {
  const clock = measure === "wait" ? axis : measure;
  const own = timeOn(exclusive, clock) ?? 0;
  if (own <= 0 || overhead.ns / own < WORTH_TELLING) return "";
  return (
    `Estimate: ${overheadText(overhead, isPartial)}, ${formatShare(overhead.ns, own)} of its exclusive ` +
    `${MEASURE_WORDS[clock].word}, is the tracing itself.`
  );
}
