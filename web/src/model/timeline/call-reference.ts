// What the card of a call compares its numbers with, and the words that say so.

import { formatShare, formatTimes } from "../../base/format";
import type { Range } from "../../base/time";
import { MEASURE_WORDS } from "../words";
import { timeOn, type CallDetail, type Clock, type Measure, type Times } from "../trace";

export interface CallReference {
  readonly rank: number;
  readonly thread: number;
  // The clock that is chosen, and the median on it of the calls that Calls lists; 0 where there is none.
  readonly measure: Measure;
  readonly median: number;
  // The range, the threads and the calls that are chosen; null and false: there is no such choice.
  readonly range: Range | null;
  readonly hasThreads: boolean;
  readonly hasLens: boolean;
  // What the call's thread took in the range.
  readonly ofThread: Times;
}

// "53× the median wall time": on the clock and among the calls of the tab Calls.
export function medianNote(call: CallDetail, reference: CallReference): string {
  const { measure, median, range, hasThreads, hasLens } = reference;
  const times = formatTimes(timeOn(call.times, measure) ?? 0, median);
  if (times === "") return "";
  const calls = hasLens ? " of these calls" : "";
  const threads = hasThreads ? " of the chosen threads" : "";
  return `${times} the median ${MEASURE_WORDS[measure].word}${calls}${threads}${range === null ? "" : " in the range"}`;
}

// "12 % of the thread". Of a call that reaches out of the range only the part inside counts, and that part is known on
// the clock of the axis alone: on the other clock such a call has no note.
export function shareNote(
  call: CallDetail,
  measure: Clock,
  axis: Clock,
  reference: CallReference,
): string {
  const { range } = reference;
  const whole = reference.ofThread[measure] ?? 0;
  const own = call.times[measure] ?? 0;
  if (whole <= 0) return "";
  if (range === null) return `${formatShare(own, whole)} of the thread`;
  const isWithin = call.start >= range.from && call.end <= range.to;
  const part = Math.min(call.end, range.to) - Math.max(call.start, range.from);
  if (part < 0 || (!isWithin && measure !== axis)) return "";
  return `${formatShare(isWithin ? own : part, whole)} of the thread in the range`;
}
