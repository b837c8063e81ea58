// How much the packages are that are hidden in this view.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../../api/source";
import { timeOn } from "../../model/trace";
import { createLoader } from "../loader";
import type { Store } from "../store";

export interface Weight {
  readonly methods: number;
  // Exclusive time on the clock that is chosen, of all time.
  readonly time: number;
  readonly of: number;
}

export function createWithout(store: Store): ReadonlySignal<ReadonlyMap<string, Weight>> {
  const answer = createLoader(
    (): Query | null => {
      if (store.info.value === null || store.without.value.length === 0) return null;
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, group: "package", n: 0 };
    },
    (query, abort) => store.api.groups(query, abort),
  );
  return computed(() => {
    const page = answer.value.value;
    const measure = store.measure.value;
    const weights = new Map<string, Weight>();
    for (const name of page === null ? [] : store.without.value) {
      const rows = (page?.rows ?? []).filter((row) => `${row.name}.`.startsWith(name));
      weights.set(name, {
        methods: rows.reduce((sum, row) => sum + row.methods, 0),
        time: rows.reduce((sum, row) => sum + (timeOn(row.exclusive, measure) ?? 0), 0),
        of: timeOn(page?.total ?? {}, measure) ?? 0,
      });
    }
    return weights;
  });
}
