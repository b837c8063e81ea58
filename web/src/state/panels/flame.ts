// The answers that the flame graph draws, for the present width, zoomed path and transforms: of this trace, or of what changed
// since the one that it is compared with.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { ChangeFlame, FlameChoice } from "../../model/changes/change-flame";
import type { FlameAnswer } from "../../model/flame/flame";
import { sandwichOf, type Sandwich } from "../../model/flame/sandwich";
import { opText, opsQuery } from "../../model/ops";
import { createLoader, type Loaded } from "../loader";
import { clockOfBoth, ofBoth } from "./before";
import type { Store } from "../store";

export interface Flame {
  readonly answer: ReadonlySignal<Loaded<FlameAnswer>>;
  // What changed, as it is chosen to be shown; null: the graph is of this trace.
  readonly choice: ReadonlySignal<FlameChoice | null>;
  // A method between its callers and its callees; null: the graph is another one, or has no method yet.
  readonly middle: ReadonlySignal<number | null>;
  readonly sandwich: ReadonlySignal<Loaded<Sandwich>>;
  readonly change: ReadonlySignal<Loaded<ChangeFlame>>;
  // Whichever of them is shown.
  readonly shown: ReadonlySignal<Loaded<FlameAnswer | ChangeFlame>>;
  readonly width: Signal<number>;
}

const NOTHING: Loaded<Sandwich> = { value: null, isLoading: false, error: null };

export function createFlame(store: Store): Flame {
  const width = signal(0);
  const choice = computed(() => (store.against.value === null ? null : store.flameChoice.value));
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
      return {
        ...store.filtered.value,
        width: width.value,
        ...(path.length === 0 ? {} : { path: path.join(".") }),
        ...(store.isInverted.value ? { inverted: 1 } : {}),
        ...inTime(),
        ...opsQuery(ops),
      };
    },
    (query, abort) => store.api.flame(query, abort),
  );
  const change = createLoader(
    (): Query | null => {
      const chosen = choice.value;
      const old = store.against.value;
      if (!isShown() || chosen === null || old === null) return null;
      const { clock: _, ...scope } = ofBoth(store, store.filtered.value);
      const path = store.changePath.value;
      return {
        ...scope,
        old,
        width: width.value,
        view: chosen.view,
        clock: clockOfBoth(store, store.measure.value),
        ...(chosen.isByShare ? { share: 1 } : {}),
        ...(path.length === 0 ? {} : { path: path.join("\n") }),
      };
    },
    (query, abort) => store.api.changeFlame(query, abort),
  );
  return {
    answer,
    choice,
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
