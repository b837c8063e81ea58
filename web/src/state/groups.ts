// The Profile by class or package: all rows at once, added up in the page.

import { computed, type ReadonlySignal } from "@preact/signals";
import { groupRows, type GroupRow } from "../model/group";
import { timeOn, type ProfilePage, type Times } from "../model/trace";
import { createLoader } from "./loader";
import type { Store } from "./store";

export interface Groups {
  readonly rows: ReadonlySignal<readonly GroupRow[]>;
  readonly total: ReadonlySignal<Times>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
}

export function createGroups(store: Store): Groups {
  const loaded = createLoader<object, ProfilePage>(
    () =>
      store.info.value === null || store.groupBy.value === "method" || store.tab.value !== "profile"
        ? null
        : { ...store.scope.value },
    (query, abort) => store.api.top({ ...query, n: 0, sort: "exclusive" }, abort),
  );
  return {
    rows: computed(() => {
      const by = store.groupBy.value;
      const measure = store.measure.value;
      if (by === "method") return [];
      return groupRows(loaded.value.value?.rows ?? [], by, (times) => timeOn(times, measure) ?? 0);
    }),
    total: computed(() => loaded.value.value?.total ?? {}),
    isLoading: computed(() => loaded.value.isLoading),
    error: computed(() => loaded.value.error),
  };
}
