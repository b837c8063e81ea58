// The answers that the flame graph draws, for the present width, zoomed path and transforms: of this trace, or of what changed
// since the one that it is compared with.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { ChangeFlame, FlameChoice } from "../../model/changes/change-flame";
import type { FlameAnswer } from "../../model/flame/flame";
import { opsQuery } from "../../model/ops";
import { createLoader, type Loaded } from "../loader";
import { ofBoth } from "./before";
import type { Store } from "../store";

export interface Flame {
  readonly answer: ReadonlySignal<Loaded<FlameAnswer>>;
  // What changed, as it is chosen to be shown; null: the graph is of this trace.
  readonly choice: ReadonlySignal<FlameChoice | null>;
  readonly change: ReadonlySignal<Loaded<ChangeFlame>>;
  // Whichever of both is shown.
  readonly shown: ReadonlySignal<Loaded<FlameAnswer | ChangeFlame>>;
  readonly width: Signal<number>;
}

export function createFlame(store: Store): Flame {
  const width = signal(0);
  const choice = computed(() => (store.against.value === null ? null : store.flameChoice.value));
  const isShown = (): boolean =>
    store.tab.value === "flame" && width.value > 0 && store.info.value !== null;
  const answer = createLoader(
    () => {
      if (!isShown() || choice.value !== null) return null;
      const path = store.flamePath.value;
      const ops = store.ops.value;
      return {
        ...store.filtered.value,
        width: width.value,
        ...(path.length === 0 ? {} : { path: path.join(".") }),
        ...(store.isInverted.value ? { inverted: 1 } : {}),
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
      const { clock, ...scope } = ofBoth(store.filtered.value);
      const path = store.changePath.value;
      // The other trace may lack the clock that this one begins with: then they have another in common.
      const isOwn = clock === store.info.value?.defaultClock;
      return {
        ...scope,
        old,
        width: width.value,
        view: chosen.view,
        ...(isOwn ? {} : { clock }),
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
    shown: computed(() => (choice.value === null ? answer.value : change.value)),
    width,
  };
}
