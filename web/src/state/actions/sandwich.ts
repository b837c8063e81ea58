// The graph of one method between its callers and its callees.

import { batch } from "@preact/signals";
import type { Store } from "../store";

export function showBetween(store: Store, rank: number): void {
  batch(() => {
    store.flameView.value = { ...store.flameView.peek(), isSandwich: true, middle: rank };
    store.flameChoice.value = null;
    store.tab.value = "flame";
  });
}
