// How many calls the lens has, and how many of a method's are selected, in the range and the threads that are chosen.

import { computed, effect, type ReadonlySignal } from "@preact/signals";
import { Refused } from "../../api/request";
import type { Query } from "../../api/source";
import { sameLens, type ChosenPart } from "../../model/lens";
import { createLoader, settled, type Loaded } from "../loader";
import type { Store } from "../store";

// A walk through boxes by keys asks for the one that it ends at.
const WALK_MS = 60;

const NONE_TEXT =
  "This trace has no calls like the selected ones: all calls of the method are selected.";

// Calls count whatever is hidden.
function counted({ hide: _, ...scope }: Query): Query {
  return { ...scope, n: 1 };
}

export function createLensCount(store: Store): ReadonlySignal<Loaded<number>> {
  return createLoader(
    () => (store.lens.value === null ? null : counted(store.listed.value)),
    async (query, abort) => (await store.api.top(query, abort)).chosen,
  );
}

// The picked calls, once it is known how many they are; null until then, and where none are picked. Those that turn out to be all
// calls of the method, or none of this trace, are picked no longer.
export function createChosenPart(store: Store): ReadonlySignal<ChosenPart | null> {
  const counts = createLoader(
    () => {
      const method = store.method.value;
      const calls = store.chosenCalls.value;
      if (calls === null || method === null) return null;
      const [chosen, scope] = [counted(store.selected.value), counted(store.listed.value)];
      const { from, threads, idle } = store.listed.value;
      const isWhole = [from, threads, idle].every((limit) => limit === undefined);
      return { calls, isWhole, chosen: { ...chosen, method }, scope: { ...scope, method } };
    },
    async ({ calls, isWhole, chosen, scope }, abort) => {
      const [{ count }, { count: all }] = await Promise.all([
        store.api.calls(chosen, abort),
        store.api.calls(scope, abort),
      ]).catch((problem: unknown) => {
        const isNone = problem instanceof Refused && problem.status === 404;
        if (isNone && sameLens(store.chosenCalls.peek(), calls)) {
          store.pickedCalls.value = null;
          store.notify("error", NONE_TEXT);
        }
        throw problem;
      });
      return { calls, count, all, isAll: isWhole && count === all };
    },
    WALK_MS,
  );
  const known = computed(() => {
    const part = settled(counts.value);
    const calls = store.chosenCalls.value;
    return part !== null && calls !== null && sameLens(part.calls, calls) ? part : null;
  });
  // An answer holds for the same calls, too, when they are picked again.
  effect(() => {
    if (known.value?.isAll === true) store.pickedCalls.value = null;
  });
  return known;
}
