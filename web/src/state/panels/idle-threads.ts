// What lists of waits are of: which threads they leave out since they only waited, and how much of the others' waits is not
// recorded.

import type { WaitFacts } from "../../model/waits";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import type { ReadonlySignal } from "@preact/signals";

export function createIdle(store: Store): ReadonlySignal<Loaded<WaitFacts>> {
  return createLoader(
    () => {
      if (store.measure.value !== "wait" || store.info.value === null || !store.isPictured.value)
        return null;
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, idle: "apart", n: 1 };
    },
    (query, abort) => store.api.waitFacts(query, abort),
  );
}
