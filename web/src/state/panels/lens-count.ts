// How many calls the lens has, in the range and the threads that are chosen.

import type { ReadonlySignal } from "@preact/signals";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";

export function createLensCount(store: Store): ReadonlySignal<Loaded<number>> {
  return createLoader(
    () => {
      if (store.lens.value === null) return null;
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, n: 1 };
    },
    async (query, abort) => (await store.api.top(query, abort)).chosen,
  );
}
