// The methods that the search finds anywhere in the trace: what all panels mark. Null: nothing is
// searched for, or the expression is wrong.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api/client";
import type { TraceInfo } from "../model/trace";
import { createLoader } from "./loader";

const TYPING_MS = 120;
// More methods than a page can mark.
const MOST = 10_000;

export function createMatches(
  api: Api,
  info: ReadonlySignal<TraceInfo | null>,
  search: ReadonlySignal<string>,
): ReadonlySignal<ReadonlySet<number> | null> {
  const answer = createLoader(
    () => (info.value === null || search.value === "" ? null : { q: search.value, n: MOST }),
    (query, abort) => api.search(query, abort),
    TYPING_MS,
  );
  return computed(() => {
    const { value, error } = answer.value;
    return search.value === "" || value === null || error !== null ? null : new Set(value.ranks);
  });
}
