// What the rows that the Profile filters, or that are marked in it, took together.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../../api/source";
import { sliceRows } from "../../model/profile/profile-rows";
import type { SetTotals, Times } from "../../model/trace";
import type { Found } from "../actions/search-results";
import { createLoader } from "../loader";
import type { Profile } from "./profile";
import type { Store } from "../store";
import type { TableState } from "./tables";

interface Totals {
  readonly what: "marked" | "listed";
  readonly set: SetTotals;
  readonly total: Times;
}

// A run of rows is marked while Shift is held; the answer is for where it ends.
const REST_MS = 120;

// The marked run of methods, by their places in the order; null where it is shorter than two.
function markedRun(profile: Profile, table: TableState): { offset: number; n: number } | null {
  const { at, anchor } = table.cursor.value;
  const count = profile.sheet.value?.head.count ?? 0;
  if (at < 0 || at === anchor) return null;
  const low = Math.min(at, anchor);
  const high = Math.max(at, anchor) + 1;
  const places = sliceRows(count, profile.openings.value, low, high).flatMap((row) =>
    row.kind === "method" ? row.index : [],
  );
  const first = places[0];
  return first === undefined || places.length < 2 ? null : { offset: first, n: places.length };
}

export function createTotals(
  store: Store,
  profile: Profile,
  table: TableState,
  found: Found,
): ReadonlySignal<Totals | null> {
  const run = computed(() =>
    store.tab.value === "profile" && store.groupBy.value === "method"
      ? markedRun(profile, table)
      : null,
  );
  const marked = createLoader(
    (): Query | null => {
      const query = profile.current()?.query;
      return run.value === null || query === undefined
        ? null
        : { ...query, ...run.value, overhead: 0, allocated: 0, set: "page" };
    },
    (query, abort) => store.api.set(query, abort),
    REST_MS,
  );
  return computed((): Totals | null => {
    const total = profile.sheet.value?.head.total ?? {};
    if (run.value !== null) {
      const { value, isLoading } = marked.value;
      return value === null || isLoading ? null : { what: "marked", set: value, total };
    }
    const page = found.answer.value.value;
    if (store.filter.value === "" || page === null) return null;
    return { what: "listed", set: page.set, total: page.total };
  });
}
