// The part of the trace that questions are about: range, threads, clock, hidden packages and the lens.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../api/source";
import { wholeRange, type Range } from "../base/time";
import { lensQuery, type Lens } from "../model/lens";
import type { Measure } from "../model/trace";
import { hideOf } from "./levels";

interface Chosen {
  readonly range: ReadonlySignal<Range | null>;
  readonly threads: ReadonlySignal<ReadonlySet<number> | null>;
  readonly measure: ReadonlySignal<Measure>;
  readonly hide: ReadonlySignal<string>;
  readonly lens: ReadonlySignal<Lens | null>;
  readonly isIdleCounted: ReadonlySignal<boolean>;
}

interface Scopes {
  readonly scope: ReadonlySignal<Query>;
  // The scope of lists: of waits, without the threads that only waited.
  readonly listed: ReadonlySignal<Query>;
}

export function createScopes(chosen: Chosen): Scopes {
  const { range, threads, measure } = chosen;
  const scope = computed((): Query => {
    const cut = range.value === null ? null : wholeRange(range.value);
    return {
      ...(cut === null ? {} : { from: cut.from, to: cut.to }),
      ...(threads.value === null ? {} : { threads: [...threads.value].join(",") }),
      clock: measure.value,
      ...hideOf(chosen.hide.value),
      ...lensQuery(chosen.lens.value),
    };
  });
  const listed = computed((): Query => {
    const isApart =
      measure.value === "wait" && threads.value === null && !chosen.isIdleCounted.value;
    return isApart ? { ...scope.value, idle: "apart" } : scope.value;
  });
  return { scope, listed };
}
