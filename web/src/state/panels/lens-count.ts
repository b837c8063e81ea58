// How many calls the lens has, and how many of a method's are selected, in the range and the threads that are chosen.

import type { ReadonlySignal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { ChosenCount, Lens } from "../../model/lens";
import { createLoader, settled, type Loaded } from "../loader";
import type { Store } from "../store";

// A walk through boxes by keys asks for the one that it ends at.
const WALK_MS = 60;

// Calls count whatever is hidden.
function counted({ hide: _, ...scope }: Query): Query {
  return { ...scope, n: 1 };
}

export function createLensCount(store: Store): ReadonlySignal<Loaded<number>> {
  return createLoader(
    () => (store.lens.value === null ? null : counted(store.scope.value)),
    async (query, abort) => (await store.api.top(query, abort)).chosen,
  );
}

export function createChosenCount(store: Store): ReadonlySignal<Loaded<ChosenCount>> {
  return createLoader(
    () => {
      const method = store.method.value;
      if (store.chosenCalls.value === null || method === null) return null;
      const [chosen, scope] = [counted(store.selected.value), counted(store.scope.value)];
      return { chosen: { ...chosen, method }, scope: { ...scope, method } };
    },
    async ({ chosen, scope }, abort) => {
      const [{ count }, { count: all }] = await Promise.all([
        store.api.calls(chosen, abort),
        store.api.calls(scope, abort),
      ]);
      return { count, all };
    },
    WALK_MS,
  );
}

// The picked calls, once it is known that they are not all calls of the method: those are worth a word.
export function chosenPart(
  { chosenCalls }: Store,
  counted: ReadonlySignal<Loaded<ChosenCount>>,
): { readonly calls: Lens; readonly count: ChosenCount } | null {
  const calls = chosenCalls.value;
  const count = settled(counted.value);
  return calls === null || count === null || count.count === count.all ? null : { calls, count };
}
