// Threads that only waited: which the lists of waits leave out, and how long each waited.

import type { IdleThread } from "../../model/trace";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import type { ReadonlySignal } from "@preact/signals";

export function createIdle(store: Store): ReadonlySignal<Loaded<readonly IdleThread[]>> {
  return createLoader(
    () => {
      const isAsked = store.measure.value === "wait" && store.threads.value === null;
      if (!isAsked || store.info.value === null || !store.isPictured.value) return null;
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, idle: "apart", n: 1 };
    },
    (query, abort) => store.api.idle(query, abort),
  );
}
