// What the steps of a story say besides the insight: where the time of the call went, and what ran meanwhile.

import { formatDuration, plural } from "../../base/format";
import { timeOn, type Measure, type Method, type Times } from "../trace";
import { MEASURE_WORDS } from "../words";
import { selfOn, waitText, type Detail } from "./detail";

// The most callees that a step names.
const NAMED = 3;

// "Of 201 ms CPU time, 200 ms were in Database.query, 2 ms its own code. Waited 26.1 ms: Thread.sleep 26.1 ms."
export function whyText(
  detail: Detail,
  measure: Measure,
  nameOf: (method: Method) => string,
): string {
  const all = timeOn(detail.inclusive, measure) ?? 0;
  const own = selfOn(detail, measure);
  const parts = detail.parts
    .map((row) => ({ name: nameOf(row.method), ns: timeOn(row.inclusive, measure) ?? 0 }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => b.ns - a.ns)
    .slice(0, NAMED);
  const told = [
    ...parts.map(({ name, ns }) => `${formatDuration(ns)} in ${name}`),
    ...(own > 0 ? [`${formatDuration(own)} in its own code`] : []),
  ];
  const wait = waitText(detail, nameOf);
  const where =
    told.length === 0
      ? `It had no ${MEASURE_WORDS[measure].word}.`
      : `Of ${formatDuration(all)} ${MEASURE_WORDS[measure].word}: ${told.join(", ")}.`;
  return wait === "" ? where : `${where} ${wait}`;
}

interface Meanwhile {
  // How many other threads have calls at all.
  readonly threads: number;
  // Whether their times are those of the call's thread, and not each from its own 0.
  readonly isCommon: boolean;
  readonly measure: Measure;
  // Of these while the call ran.
  readonly total: Times;
  readonly busiest: (Method & { readonly exclusive: Times }) | null;
}

// "3 other threads had 12.3 ms CPU time meanwhile, 3.2 ms of it in String.hashCode."
export function meanwhileText(
  { threads, isCommon, measure, total, busiest }: Meanwhile,
  nameOf: (method: Method) => string,
): string {
  const { word } = MEASURE_WORDS[measure];
  const ns = timeOn(total, measure) ?? 0;
  if (threads === 0) return "No other thread made calls.";
  if (!isCommon) return "Each thread has a clock of its own: what ran meanwhile is not known.";
  const who = threads === 1 ? "The other thread" : `The ${plural(threads, "other thread")}`;
  if (ns <= 0) return `${who} had no ${word} meanwhile.`;
  const most = busiest === null ? 0 : (timeOn(busiest.exclusive, measure) ?? 0);
  const of =
    busiest === null || most <= 0 ? "" : `, ${formatDuration(most)} of it in ${nameOf(busiest)}`;
  return `${who} had ${formatDuration(ns)} ${word} meanwhile${of}.`;
}
