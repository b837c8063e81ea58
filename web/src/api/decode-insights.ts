// The answer of the route insights.

import type { Insight, InsightKind, InsightOther, Insights } from "../model/insights/insights";
import type { Method } from "../model/trace";
import { BadAnswer, fieldsOf, listOf, numberOf, numberOr, textOf } from "./check";
import { visibleText } from "../base/text";
import { placedCallOf } from "./decode-calls";
import { namedMethods } from "./decode-methods";

const KINDS: readonly InsightKind[] = [
  "overflow",
  "slow",
  "wait",
  "open",
  "often",
  "overhead",
  "frames",
  "own",
  "package",
  "spent",
];

function otherOf(value: unknown, path: string, named: (rank: number) => Method): InsightOther {
  const fields = fieldsOf(value, path);
  return {
    thread: fields["thread"] === undefined ? null : numberOf(fields, "thread"),
    method: named(numberOf(fields, "rank")),
    ns: numberOr(fields, "ns", 0),
    calls: numberOr(fields, "calls", 0),
  };
}

export function decodeInsights(value: unknown): Insights {
  const fields = fieldsOf(value, "insights");
  const named = namedMethods(fields);
  const list = listOf(fields["insights"], "insights", (item, path): Insight => {
    const own = fieldsOf(item, path);
    const kind = KINDS.find((known) => known === textOf(own, "kind"));
    if (kind === undefined)
      throw new BadAnswer(`the program's answer has an unknown kind at ${path}`);
    return {
      kind,
      atStake: numberOf(own, "at_stake_ns"),
      method: own["rank"] === undefined ? null : named(numberOf(own, "rank")),
      calls: numberOr(own, "calls", 0),
      waitedCalls: numberOr(own, "waited_calls", 0),
      ofCalls: numberOr(own, "of_calls", 0),
      median: numberOr(own, "median_ns", 0),
      call: own["call"] === undefined ? null : placedCallOf(own["call"], `${path}.call`),
      other: own["other"] === undefined ? null : otherOf(own["other"], `${path}.other`, named),
      of: numberOr(own, "of_ns", 0),
      margin: numberOr(own, "margin_ns", 0),
      package: own["package"] === undefined ? "" : visibleText(textOf(own, "package")),
    };
  });
  return {
    least: numberOr(fields, "least_ns", 0),
    mainThread: fields["main_thread"] === undefined ? null : numberOf(fields, "main_thread"),
    list,
  };
}
