// The answer of the route insights.

import type { Insight, InsightKind, InsightOther, Insights } from "../model/insights/insights";
import type { Clock, Method } from "../model/trace";
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

const CLOCKS: readonly Clock[] = ["wall", "cpu"];

function otherOf(value: unknown, path: string, named: (rank: number) => Method): InsightOther {
  const fields = fieldsOf(value, path);
  return {
    thread: fields["thread"] === undefined ? null : numberOf(fields, "thread"),
    method: named(numberOf(fields, "rank")),
    ns: numberOr(fields, "ns", 0),
    calls: numberOr(fields, "calls", 0),
  };
}

// The clocks that a finding says are wrong, each with that finding.
function wrongOf(value: unknown): ReadonlyMap<Clock, string> {
  const fields = value === undefined ? {} : fieldsOf(value, "insights.wrong_clocks");
  return new Map(
    CLOCKS.filter((clock) => fields[clock] !== undefined).map((clock) => [
      clock,
      textOf(fields, clock),
    ]),
  );
}

export function decodeInsights(value: unknown): Insights {
  const fields = fieldsOf(value, "insights");
  const wrong = wrongOf(fields["wrong_clocks"]);
  const told = CLOCKS.find((clock) => clock === fields["told_clock"]) ?? null;
  const named = namedMethods(fields);
  const list = listOf(fields["insights"], "insights", (item, path): Insight => {
    const own = fieldsOf(item, path);
    const kind = KINDS.find((known) => known === textOf(own, "kind"));
    const call = own["call"] === undefined ? null : placedCallOf(own["call"], `${path}.call`);
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
      clock: told,
      call,
      took:
        call === null
          ? 0
          : told === null
            ? call.end - call.start
            : numberOf(fieldsOf(own["call"], `${path}.call`), `${told}_ns`),
      other: own["other"] === undefined ? null : otherOf(own["other"], `${path}.other`, named),
      of: numberOr(own, "of_ns", 0),
      margin: numberOr(own, "margin_ns", 0),
      package: own["package"] === undefined ? "" : visibleText(textOf(own, "package")),
    };
  });
  return {
    least: numberOr(fields, "least_ns", 0),
    mainThread: fields["main_thread"] === undefined ? null : numberOf(fields, "main_thread"),
    wrong,
    told,
    list,
  };
}
