// How many calls the lens has, in the range and the threads that are chosen.

import type { ReadonlySignal } from "@preact/signals";
import { lensRank } from "../../model/lens";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";

export function createLensCount(store: Store): ReadonlySignal<Loaded<number>> {
  return createLoader(
    () => {
      const lens = store.lens.value;
      if (lens === null) return null;
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, method: lensRank(lens), n: 1 };
    },
    async (query, abort) => (await store.api.calls(query, abort)).count,
  );
}
