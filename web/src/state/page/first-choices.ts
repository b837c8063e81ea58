// What is chosen of a trace that is shown first: the thread whose calls are unfolded, and the range.

import type { Range } from "../../base/time";
import type { TraceInfo } from "../../model/trace";
import type { Defaults } from "./url";

export function firstChoices(info: TraceInfo): Defaults {
  const called = info.threads.filter((thread) => thread.calls > 0);
  const busiest = [...called].sort((a, b) => b.calls - a.calls)[0];
  const main = called.filter((thread) => thread.name === "main");
  const first = main.length === 1 ? main[0] : busiest;
  const unfolded = new Set(first === undefined ? [] : [first.id]);
  return { unfolded, view: busyRange(info) };
}

const MOSTLY_EMPTY = 0.2;

// The range that holds all records, if it is a small part of the time axis; else null.
function busyRange(info: TraceInfo): Range | null {
  const threads = info.threads.filter((thread) => thread.records > 0);
  if (threads.length === 0 || !info.hasCommonAxis) return null;
  const from = Math.min(...threads.map((thread) => thread.first));
  const to = Math.max(...threads.map((thread) => thread.last));
  const air = (to - from) * 0.02;
  return to - from < info.span * MOSTLY_EMPTY ? { from: from - air, to: to + air } : null;
}
