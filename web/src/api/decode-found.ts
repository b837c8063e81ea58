// What a search found in the range and the threads chosen: rows, their order, and what all of them
// took together.

import { timeOn, type FoundPage, type SetTotals } from "../model/trace";
import type { IdleThread, WaitFacts } from "../model/waits";
import { fieldsOf, listOf, numberOf, numberOr } from "./check";
import { decodeOrder, decodeProfile, rowTimesOf, timesOf } from "./decode";

function decodeSet(value: unknown): SetTotals {
  const fields = fieldsOf(value ?? {}, "set");
  return {
    methods: numberOr(fields, "methods", 0),
    calls: numberOr(fields, "calls", 0),
    ...rowTimesOf({ inclusive: {}, exclusive: {}, ...fields }, "set"),
  };
}

export function decodeFound(value: unknown): FoundPage {
  const fields = fieldsOf(value, "top");
  return { ...decodeProfile(value), ranks: decodeOrder(value), set: decodeSet(fields["set"]) };
}

export function decodeTotals(value: unknown): SetTotals {
  return decodeSet(fieldsOf(value, "top")["set"]);
}

export function decodeWaitFacts(value: unknown): WaitFacts {
  const top = fieldsOf(value, "top");
  const total = timesOf(top["total"], "top.total");
  const idle = listOf(top["idle"] ?? [], "idle", (item, path): IdleThread => {
    const fields = fieldsOf(item, path);
    return {
      id: numberOf(fields, "id"),
      wait: numberOf(fields, "wait_ns"),
      unrecorded: numberOr(fields, "unrecorded_ns", 0),
    };
  });
  return { idle, wait: timeOn(total, "wait") ?? 0, unrecorded: numberOr(top, "unrecorded_ns", 0) };
}
