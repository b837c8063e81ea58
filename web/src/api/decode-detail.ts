// The answer of the route detail.

import type { Detail, DetailRow, Rest } from "../model/detail/detail";
import type { Method, Times } from "../model/trace";
import { fieldsOf, listOf, numberOf, numberOr, type Fields } from "./check";
import { rowTimesOf, timesOf } from "./decode";
import { placedCallOf } from "./decode-calls";
import { namedMethods } from "./decode-methods";

function rowsOf(fields: Fields, key: string, named: (rank: number) => Method): DetailRow[] {
  return listOf(fields[key], key, (item, path): DetailRow => {
    const own = fieldsOf(item, path);
    return {
      method: named(numberOf(own, "rank")),
      calls: numberOr(own, "calls", 0),
      ...rowTimesOf(own, path),
      wait: numberOr(own, "wait_ns", 0),
      passedOn: numberOr(own, "passed_on", 0),
      longest:
        own["longest"] === undefined ? null : placedCallOf(own["longest"], `${path}.longest`),
    };
  });
}

function restOf(fields: Fields, key: string): Rest {
  const own = fieldsOf(fields[key] ?? {}, key);
  return { methods: numberOr(own, "methods", 0), ns: numberOr(own, "ns", 0) };
}

export function decodeDetail(value: unknown): Detail {
  const fields = fieldsOf(value, "detail");
  const named = namedMethods(fields);
  const self: Times = timesOf(fields["self"], "detail.self");
  return {
    total: timesOf(fields["total"], "detail.total"),
    calls: numberOr(fields, "calls", 0),
    ...rowTimesOf(fields, "detail"),
    self,
    parts: rowsOf(fields, "parts", named),
    moreParts: numberOr(fields, "more_parts", 0),
    path: rowsOf(fields, "path", named),
    waits: rowsOf(fields, "waits", named),
    moreWaits: restOf(fields, "more_waits"),
    smallWaits: restOf(fields, "small_waits"),
    hiddenWait: numberOr(fields, "hidden_wait_ns", 0),
    unrecorded: numberOr(fields, "unrecorded_ns", 0),
    idle: listOf(fields["idle"] ?? [], "idle", (item) => item).length,
  };
}
