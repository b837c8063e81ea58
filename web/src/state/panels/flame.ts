// The answers that the flame graph draws, for the present width, zoomed path and transforms: of this trace, of what changed
// since the one that it is compared with, or of what differs between two calls.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Query } from "../../api/source";
import {
  SIDES_OF_CALLS,
  SIDES_OF_TRACES,
  type ChangeFlame,
  type FlameChoice,
  type SideWords,
} from "../../model/changes/change-flame";
import type { FlameAnswer } from "../../model/flame/flame";
import { sandwichOf, type Sandwich } from "../../model/flame/sandwich";
import { opText, opsQuery } from "../../model/ops";
import { createLoader, type Loaded } from "../loader";
import { clockOfBoth, ofBoth } from "./before";
import type { Store } from "../store";

export interface Flame {
  // With the path that it is zoomed to.
  readonly answer: ReadonlySignal<Loaded<FlameAnswer & { readonly path: readonly number[] }>>;
  // What changed, as it is chosen to be shown; null: the graph is of this trace.
  readonly choice: ReadonlySignal<FlameChoice | null>;
  // What is compared: two calls go before two traces.
  readonly sides: ReadonlySignal<SideWords>;
  // A method between its callers and its callees; null: the graph is another one, or has no method yet.
  readonly middle: ReadonlySignal<number | null>;
  readonly sandwich: ReadonlySignal<Loaded<Sandwich>>;
  readonly change: ReadonlySignal<Loaded<ChangeFlame>>;
  // Whichever of them is shown.
  readonly shown: ReadonlySignal<Loaded<FlameAnswer | ChangeFlame>>;
  readonly width: Signal<number>;
}

const NOTHING: Loaded<Sandwich> = { value: null, isLoading: false, error: null };

// What a question of the change is about; null: nothing is compared. Of two calls all is told, whatever is hidden elsewhere.
function sidesOf(store: Store): Query | null {
  const calls = store.beside.value;
  const old = store.against.value;
  const measure = store.measure.value;
  if (calls !== null) return { old_call: calls.old, new_call: calls.new, clock: measure };
  if (old === null) return null;
  const { clock: _, ...scope } = ofBoth(store, store.filtered.value);
  return { ...scope, old, clock: clockOfBoth(store, measure) };
}

export function createFlame(store: Store): Flame {
  const width = signal(0);
  const choice = computed(() =>
    store.against.value === null && store.beside.value === null ? null : store.flameChoice.value,
  );
  const isShown = (): boolean =>
    store.tab.value === "flame" && width.value > 0 && store.info.value !== null;
  const isSandwich = computed(() => choice.value === null && store.flameView.value.isSandwich);
  const middle = computed(() =>
    isSandwich.value ? (store.flameView.value.middle ?? store.method.value) : null,
  );
  const inTime = (): Query => (store.flameView.value.isInTime ? { intime: 1 } : {});
  const sandwich = createLoader(
    () => {
      const rank = middle.value;
      if (!isShown() || rank === null) return null;
      const scope = { ...store.filtered.value, width: width.value, ...inTime() };
      const ops = (kind: string): string =>
        [...store.ops.value.map(opText), `${kind}:${rank}`].join(";");
      return {
        rank,
        above: { ...scope, ops: ops("end"), inverted: 1 },
        below: { ...scope, ops: ops("focus") },
      };
    },
    async ({ rank, above, below }, abort) => {
      const { api } = store;
      const both = [api.flame(above, abort), api.flame(below, abort)] as const;
      return sandwichOf(rank, ...(await Promise.all(both)));
    },
  );
  const answer = createLoader(
    () => {
      if (!isShown() || choice.value !== null || isSandwich.value) return null;
      const path = store.flamePath.value;
      const ops = store.ops.value;
      const query: Query = {
        ...store.filtered.value,
        width: width.value,
        ...(path.length === 0 ? {} : { path: path.join(".") }),
        ...(store.isInverted.value ? { inverted: 1 } : {}),
        ...inTime(),
        ...opsQuery(ops),
      };
      return { path, query };
    },
    async ({ path, query }, abort) => ({ ...(await store.api.flame(query, abort)), path }),
  );
  const change = createLoader(
    (): Query | null => {
      const chosen = choice.value;
      const compared = sidesOf(store);
      if (!isShown() || chosen === null || compared === null) return null;
      const path = store.changePath.value;
      return {
        ...compared,
        width: width.value,
        view: chosen.view,
        ...(chosen.isByShare ? { share: 1 } : {}),
        ...(path.length === 0 ? {} : { path: path.join("\n") }),
      };
    },
    (query, abort) => store.api.changeFlame(query, abort),
  );
  return {
    answer,
    choice,
    sides: computed(() => (store.beside.value === null ? SIDES_OF_TRACES : SIDES_OF_CALLS)),
    change,
    middle,
    sandwich,
    shown: computed(() => {
      if (choice.value !== null) return change.value;
      return isSandwich.value ? (middle.value === null ? NOTHING : sandwich.value) : answer.value;
    }),
    width,
  };
}
