// The part of the trace that questions are about: range, threads, clock, hidden packages and the lens.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../api/source";
import { wholeRange, type Range } from "../base/time";
import { lensQuery, lensRank, type Lens } from "../model/lens";
import type { Measure } from "../model/trace";
import { hideOf } from "./levels";

interface Chosen {
  readonly range: ReadonlySignal<Range | null>;
  readonly threads: ReadonlySignal<ReadonlySet<number> | null>;
  readonly measure: ReadonlySignal<Measure>;
  readonly hide: ReadonlySignal<string>;
  readonly lens: ReadonlySignal<Lens | null>;
  readonly method: ReadonlySignal<number | null>;
  readonly pickedCalls: ReadonlySignal<Lens | null>;
  readonly isIdleCounted: ReadonlySignal<boolean>;
}

interface Scopes {
  readonly scope: ReadonlySignal<Query>;
  // The scope of sums and lists: of waits, without the threads that only waited.
  readonly listed: ReadonlySignal<Query>;
  // The calls that were picked with the method; null: all of it.
  readonly chosenCalls: ReadonlySignal<Lens | null>;
  // The calls that the selection is of: these, else those of the lens; null: all.
  readonly selectedCalls: ReadonlySignal<Lens | null>;
  // The scope of what is told of the selected method.
  readonly selected: ReadonlySignal<Query>;
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
  // Whatever selects another method leaves the calls of the former one behind.
  const chosenCalls = computed(() => {
    const calls = chosen.pickedCalls.value;
    const method = chosen.method.value;
    return calls !== null && method !== null && lensRank(calls) === method ? calls : null;
  });
  const selectedCalls = computed(() => chosenCalls.value ?? chosen.lens.value);
  const selected = computed(() => ({ ...listed.value, ...lensQuery(selectedCalls.value) }));
  return { scope, listed, chosenCalls, selectedCalls, selected };
}
