// The part of the trace that questions are about: range, threads, clock and hidden packages.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { Query } from "../api/source";
import { wholeRange, type Range } from "../base/time";
import type { Settings } from "../model/page/settings";
import type { Measure } from "../model/trace";

interface Chosen {
  readonly range: ReadonlySignal<Range | null>;
  readonly threads: ReadonlySignal<ReadonlySet<number> | null>;
  readonly measure: ReadonlySignal<Measure>;
  readonly without: ReadonlySignal<readonly string[]>;
  readonly settings: ReadonlySignal<Settings>;
  readonly isIdleCounted: ReadonlySignal<boolean>;
}

interface Scopes {
  readonly scope: ReadonlySignal<Query>;
  // The scope of lists: of waits, without the threads that only waited.
  readonly listed: ReadonlySignal<Query>;
}

export function createScopes(chosen: Chosen): Scopes {
  const { range, threads, measure, settings } = chosen;
  const scope = computed((): Query => {
    const cut = range.value === null ? null : wholeRange(range.value);
    const own = settings.value;
    const mine = own.isMyCodeOnly ? own.hiddenPackages : [];
    const hide = [...new Set([...mine, ...chosen.without.value])];
    return {
      ...(cut === null ? {} : { from: cut.from, to: cut.to }),
      ...(threads.value === null ? {} : { threads: [...threads.value].join(",") }),
      clock: measure.value,
      ...(hide.length > 0 ? { hide: hide.join(",") } : {}),
    };
  });
  const listed = computed((): Query => {
    const isApart =
      measure.value === "wait" && threads.value === null && !chosen.isIdleCounted.value;
    return isApart ? { ...scope.value, idle: "apart" } : scope.value;
  });
  return { scope, listed };
}
