// Which threads have a row of their own, and in what order.

import type { Signal } from "@preact/signals";
import type { Settings } from "../model/page/settings";
import { orderThreads } from "../model/timeline/rows";
import { timeOn, type CallDetail, type Thread, type TraceInfo } from "../model/trace";

interface RowChoices {
  readonly threads: Signal<ReadonlySet<number> | null>;
  readonly pinned: Signal<ReadonlySet<number>>;
  readonly hidden: Signal<ReadonlySet<number>>;
  readonly order: Signal<readonly number[]>;
}

// Threads that have no row of their own, and why.
export interface Aside {
  readonly hidden: readonly Thread[];
  readonly idle: readonly Thread[];
}

export function threadsAside(choices: RowChoices, info: TraceInfo | null): Aside {
  const threads = info?.threads ?? [];
  const chosen = choices.threads.value;
  return {
    hidden: threads.filter((thread) => choices.hidden.value.has(thread.id)),
    idle: chosen !== null ? [] : threads.filter((thread) => thread.records === 0),
  };
}

// The threads with a row of their own, in the order of their rows.
export function visibleThreads(
  choices: RowChoices,
  info: TraceInfo | null,
  settings: Settings,
): Thread[] {
  if (info === null) return [];
  const chosen = choices.threads.value;
  const shown = info.threads.filter(
    (thread) =>
      !choices.hidden.value.has(thread.id) &&
      (chosen === null || chosen.has(thread.id)) &&
      (thread.records > 0 || chosen !== null),
  );
  return inRowOrder(choices, info, settings, shown);
}

// Threads in the order that their rows have, or would have.
export function inRowOrder(
  choices: Pick<RowChoices, "pinned" | "order">,
  info: TraceInfo,
  { isMainFirst }: Settings,
  threads: readonly Thread[],
): Thread[] {
  const busy = (thread: Thread): number =>
    timeOn(thread.times, info.defaultClock) ?? timeOn(thread.times, info.axis) ?? 0;
  return orderThreads(threads, busy, choices.pinned.value, choices.order.value, isMainFirst);
}

// How many levels of each thread are one line: none where the user opened it, and none that hides
// the selected call.
export function shownLeads(
  leads: ReadonlyMap<number, number>,
  plain: ReadonlySet<number>,
  call: Pick<CallDetail, "thread" | "level"> | null,
): ReadonlyMap<number, number> {
  const shown = new Map([...leads].filter(([id]) => !plain.has(id)));
  const lead = call === null ? undefined : shown.get(call.thread);
  if (call !== null && call.level !== null && lead !== undefined)
    shown.set(call.thread, Math.min(lead, call.level));
  return shown;
}
