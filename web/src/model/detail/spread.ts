// How the calls of a method are spread over durations, and where one of them stands among them.

import { formatShare, formatTimes, plural } from "../../base/format";
import type { Range } from "../../base/time";
import type { HistogramBar, PlacedCall } from "../trace";
import type { CallWords } from "../words";

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

function selectedWords({ one, many, heading }: CallWords): CallWords {
  return { one: `selected ${one}`, many: `selected ${many}`, heading };
}

export interface Spread {
  readonly bars: readonly HistogramBar[];
  readonly words: CallWords;
  // What leaves out some of the method's calls.
  readonly hasRange: boolean;
  readonly hasThreads: boolean;
  // Whether these are the picked ones alone.
  readonly isPicked: boolean;
  // 0 where there is none.
  readonly median: number;
}

// "Longer than 92 % of 14 calls in the range, 3.1× the median": where a call stands among those that are counted. `own` is
// null where no call is looked at, or one that is not counted.
export function spreadText(spread: Spread, own: number | null): string {
  const { bars, hasRange, hasThreads, isPicked, median } = spread;
  const words = isPicked ? selectedWords(spread.words) : spread.words;
  if (own === null) return `How long its ${words.many} take`;
  const where = `${hasThreads ? " on the chosen threads" : ""}${hasRange ? " in the range" : ""}`;
  const all = bars.reduce((sum, bar) => sum + bar.count, 0);
  const counted = `${plural(all, words.one, words.many)}${where}`;
  const below = callsBelow(bars, own);
  const isInFew = bars.filter((bar) => bar.count > 0).length === 1;
  const times = formatTimes(own, median);
  const ratio = times === "" ? "" : `, ${times} the median`;
  if (all < 2) return `The only ${words.one}${where}`;
  if (below === all - 1) return `The longest of ${counted}${ratio}`;
  const share = formatShare(below, all);
  if (share === "100 %") return `Among the longest of ${counted}${ratio}`;
  if (below > 0) return `Longer than ${share} of ${counted}${ratio}`;
  return `${isInFew ? "About as long as all" : "Among the shortest of"} ${counted}${ratio}`;
}
