// The answer that the flame graph draws, for the present width, zoomed path and transforms.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { FlameAnswer } from "../../model/flame/flame";
import { opsQuery } from "../../model/ops";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";

export interface Flame {
  readonly answer: ReadonlySignal<Loaded<FlameAnswer>>;
  readonly width: Signal<number>;
}

export function createFlame(store: Store): Flame {
  const width = signal(0);
  const answer = createLoader(
    () => {
      if (store.tab.value !== "flame" || width.value <= 0 || store.info.value === null) return null;
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
  return { answer, width };
}
