// What the sentences about a part of the trace are made of (model/scope-text.ts), from what is chosen.

import { isInCall, type Lens } from "../../model/lens";
import type { ScopeFacts } from "../../model/scope-text";
import { toldUnrecorded, type WaitFacts } from "../../model/waits";
import { callWords } from "../../model/words";
import type { Store } from "../store";

function lensOf(lens: Lens | null): ScopeFacts["lens"] {
  if (lens === null) return null;
  return lens.kind === "within" ? "one" : isInCall(lens) ? "in one" : "path";
}

// `idle`: how many threads the numbers leave out because they only waited.
export function scopeFacts(store: Store, idle: number, lens = store.lens.value): ScopeFacts {
  const info = store.info.value;
  const chosen = store.threads.value;
  const used = (info?.threads ?? []).filter((thread) => thread.records > 0);
  return {
    words: callWords(info?.sampled === true),
    records: info?.records ?? 0,
    threads: used.length,
    chosen: chosen === null ? null : used.filter((thread) => chosen.has(thread.id)).length,
    idle,
    unrecorded: 0,
    range: store.range.value,
    mine: store.mine.value,
    without: store.without.value,
    filter: store.filter.value,
    lens: lensOf(lens),
  };
}

// The same for what lists of waits are of: without the threads that only waited.
export function listedFacts(
  store: Store,
  facts: { readonly value: { readonly value: WaitFacts | null } },
  lens = store.lens.value,
): ScopeFacts {
  const waits = store.measure.value === "wait" ? facts.value.value : null;
  const { idle = [], wait = 0, unrecorded = 0 } = waits ?? {};
  const isApart = store.listed.value["idle"] === "apart";
  const counted = isApart ? [] : idle;
  return {
    ...scopeFacts(store, isApart ? idle.length : 0, lens),
    unrecorded: toldUnrecorded(
      counted.reduce((sum, thread) => sum + thread.unrecorded, unrecorded),
      counted.reduce((sum, thread) => sum + thread.wait, wait),
    ),
  };
}
