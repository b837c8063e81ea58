// Which packages are hidden, and what that leaves of the threads' stacks: hidden calls take no level
// of the timeline.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api/client";
import type { Query } from "../api/source";
import type { CallDetail, Thread, ThreadLevels, TraceInfo } from "../model/trace";
import { createLoader } from "./loader";

interface Chosen {
  readonly without: ReadonlySignal<readonly string[]>;
  readonly mine: ReadonlySignal<readonly string[] | null>;
}

// What is hidden, as questions tell it: others' code while only one's own is wanted, and what a menu
// hid. Empty for nothing.
export function hiddenBy({ without, mine }: Chosen): ReadonlySignal<string> {
  return computed(() => [...new Set([...(mine.value ?? []), ...without.value])].join(","));
}

// The part of a question that says what is hidden.
export function hideOf(hide: string): Query {
  return hide === "" ? {} : { hide };
}

// What hiding leaves of each thread, by its id; null: nothing is hidden, or nothing is known yet.
export type Levels = ReadonlyMap<number, ThreadLevels> | null;

export function createLevels(
  api: Api,
  info: ReadonlySignal<TraceInfo | null>,
  hide: ReadonlySignal<string>,
): ReadonlySignal<Levels> {
  const answer = createLoader(
    () => (info.value === null || hide.value === "" ? null : { hide: hide.value }),
    (query, abort) => api.levels(query, abort),
  );
  return computed(() => (hide.value === "" ? null : answer.value.value));
}

// The threads as deep as they are shown.
export function asShown(threads: readonly Thread[], levels: Levels): readonly Thread[] {
  if (levels === null) return threads;
  return threads.map((thread) => {
    const maxDepth = levels.get(thread.id)?.levels ?? thread.maxDepth;
    return maxDepth === thread.maxDepth ? thread : { ...thread, maxDepth };
  });
}

// The threads with the calls and the depth that are shown, for tables.
export function countedAsShown(threads: readonly Thread[], levels: Levels): readonly Thread[] {
  return asShown(threads, levels).map((thread) => {
    const calls = levels?.get(thread.id)?.calls;
    return calls === undefined ? thread : { ...thread, calls };
  });
}

// Asks for a call with its level.
export function askCall(
  { api, hide }: { readonly api: Pick<Api, "call">; readonly hide: ReadonlySignal<string> },
  query: Query,
  signal: AbortSignal,
): Promise<CallDetail> {
  return api.call({ ...query, ...hideOf(hide.peek()) }, signal);
}
