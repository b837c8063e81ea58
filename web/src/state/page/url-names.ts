// What a link names of a trace, and finding it again: threads, ranges, methods, and the calls of the lens.

import type { Signal } from "@preact/signals";
import { formatRange } from "../../base/format";
import { fitRange, rangeWithin, type Range } from "../../base/time";
import { stepsOf, type Lens, type NamedLens } from "../../model/lens";
import { linkName } from "../../model/ops";
import { readUrl, writeUrl, type ThreadName, type UrlState } from "../../model/page/url-state";
import type { TraceInfo } from "../../model/trace";
import { findMethod } from "../actions/find-method";
import { askCall } from "../levels";
import type { Store } from "../store";

export function nameThread(info: TraceInfo | null, id: number): ThreadName {
  return { id, name: info?.threads.find((thread) => thread.id === id)?.name ?? "" };
}

// The name of a method; a name that is not known yet is asked for.
export function nameMethod(store: Store, rank: number): string | null {
  const method = store.names.get(rank);
  return method === undefined ? null : linkName(method);
}

// Null also while a name is not known yet.
export function nameLens(store: Store, lens: Lens | null): NamedLens | null {
  let named: NamedLens | null = null;
  for (const step of stepsOf(lens)) {
    const one = nameStep(store, step);
    if (one === null) return null;
    named = named === null ? one : { ...one, before: named };
  }
  return named;
}

function nameStep(store: Store, step: Lens): NamedLens | null {
  if (step.kind === "search") {
    const { before: _, ...rest } = step;
    return rest;
  }
  if (step.kind === "within") {
    const method = nameMethod(store, step.rank);
    const thread = nameThread(store.info.value, step.thread);
    return method === null
      ? null
      : { kind: step.kind, call: { thread, method, ordinal: step.ordinal + 1 } };
  }
  const methods = step.ranks.flatMap((rank) => nameMethod(store, rank) ?? []);
  if (methods.length !== step.ranks.length) return null;
  const lasting = step.lasting === undefined ? {} : { lasting: step.lasting };
  return step.kind === "methods"
    ? { kind: step.kind, methods, ...lasting }
    : { kind: step.kind, methods, past: step.past, ...lasting };
}

async function stepByName(store: Store, named: NamedLens, signal: AbortSignal): Promise<Lens> {
  if (named.kind === "search") {
    const { before: _, ...rest } = named;
    return rest;
  }
  if (named.kind === "within") {
    const rank = await findMethod(store, named.call.method, signal);
    const query = { method: rank, ordinal: named.call.ordinal - 1 };
    const { thread, depth, call, ordinal } = await askCall(store, query, signal);
    return { kind: named.kind, thread, depth, call, ordinal, rank };
  }
  const names = [...new Set(named.methods)];
  const found = await Promise.all(names.map((name) => findMethod(store, name, signal)));
  const rankOf = new Map(names.map((name, ix) => [name, found[ix] ?? 0]));
  const ranks = named.methods.map((name) => rankOf.get(name) ?? 0);
  const lasting = named.lasting === undefined ? {} : { lasting: named.lasting };
  return named.kind === "methods"
    ? { kind: named.kind, ranks, ...lasting }
    : { kind: named.kind, ranks, past: named.past, ...lasting };
}

// A lens of which one method is not here is none.
export async function lensByName(
  store: Store,
  named: NamedLens | null,
  found: Signal<Lens | null>,
  signal: AbortSignal,
): Promise<void> {
  if (named === null) return;
  let lens: Lens | null = null;
  for (const step of stepsOf(named)) {
    const one = await stepByName(store, step, signal);
    lens = lens === null ? one : { ...one, before: lens };
  }
  signal.throwIfAborted();
  found.value = lens;
}

// Has the link name the selected method as the file does: that name stays when a mapping comes or goes.
export function nameAsInFile(store: Store): void {
  const rank = store.method.peek();
  const method = rank === null ? undefined : store.names.get(rank);
  const state = readUrl(location.hash);
  if (method?.written === undefined || state.method !== method.method) return;
  history.replaceState(null, "", `#${writeUrl({ ...state, method: method.written })}`);
}

// A range of the link, as far as it is in the trace; null: it is not. Of a trace that is still read it may be in what comes.
function rangeHere({ part, span }: TraceInfo, range: Range): Range | null {
  const end = Math.max(1, span);
  return part === undefined ? rangeWithin(range, end) : fitRange(range, end);
}

// The ranges of a link that are in this trace; says what of the link is not of it.
export function takeRanges(
  store: Store,
  info: TraceInfo,
  { crumbs, picked, trace }: UrlState,
): { readonly crumbs: readonly Range[]; readonly picked: Range | null } {
  if (trace !== null && info.hash !== null && trace !== info.hash)
    store.notify(
      "error",
      `This link is of another trace than ${info.file}: what it names may not be here, or be something else.`,
    );
  const ranges = [...crumbs, ...(picked === null ? [] : [picked])];
  const outside = ranges.find((range) => rangeHere(info, range) === null);
  if (outside !== undefined)
    store.notify(
      "error",
      `The range ${formatRange(outside.from, outside.to)} of this link is not in this trace, and left out.`,
    );
  return {
    crumbs: crumbs.flatMap((crumb) => rangeHere(info, crumb) ?? []),
    picked: picked === null ? null : rangeHere(info, picked),
  };
}
