// What a link names of a trace, and finding it again: threads, methods, and the calls of the lens.

import { lensRank, type Lens, type NamedLens } from "../../model/lens";
import { linkName } from "../../model/ops";
import { readUrl, writeUrl, type ThreadName } from "../../model/page/url-state";
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
  if (lens === null) return null;
  if (lens.kind === "within") {
    const method = nameMethod(store, lensRank(lens));
    const thread = nameThread(store.info.value, lens.thread);
    return method === null
      ? null
      : { kind: lens.kind, call: { thread, method, ordinal: lens.ordinal + 1 } };
  }
  const methods = lens.ranks.flatMap((rank) => nameMethod(store, rank) ?? []);
  const isKnown = methods.length === lens.ranks.length;
  return isKnown ? { kind: lens.kind, methods, past: lens.past } : null;
}

// A path of which one method is not here is no path.
export async function lensByName(store: Store, named: NamedLens | null, signal: AbortSignal) {
  if (named === null) return;
  let lens: Lens;
  if (named.kind === "within") {
    const rank = await findMethod(store, named.call.method, signal);
    const query = { method: rank, ordinal: named.call.ordinal - 1 };
    const { thread, depth, call, ordinal } = await askCall(store, query, signal);
    lens = { kind: named.kind, thread, depth, call, ordinal, rank };
  } else {
    const names = [...new Set(named.methods)];
    const ranks = await Promise.all(names.map((name) => findMethod(store, name, signal)));
    const rankOf = new Map(names.map((name, ix) => [name, ranks[ix] ?? 0]));
    const path = named.methods.map((name) => rankOf.get(name) ?? 0);
    lens = { kind: named.kind, ranks: path, past: named.past };
  }
  signal.throwIfAborted();
  store.lens.value = lens;
}

// Has the link name the selected method as the file does: that name stays when a mapping comes or goes.
export function nameAsInFile(store: Store): void {
  const rank = store.method.peek();
  const method = rank === null ? undefined : store.names.get(rank);
  const state = readUrl(location.hash);
  if (method?.written === undefined || state.method !== method.method) return;
  history.replaceState(null, "", `#${writeUrl({ ...state, method: method.written })}`);
}
