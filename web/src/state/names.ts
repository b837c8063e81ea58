// Names of methods by rank, asked for in batches as they come into sight.

import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../api/client";
import type { Method } from "../model/trace";

const BATCH = 400;
const GATHER_MS = 15;

export interface Names {
  // The method of this rank; a rank that is not known yet is asked for.
  get(rank: number): Method | undefined;
  // Takes names that came with another answer.
  learn(methods: Iterable<Method>): void;
  load(ranks: readonly number[]): Promise<void>;
  clear(): void;
  // A number that grows whenever names arrive.
  readonly version: ReadonlySignal<number>;
}

// Nothing is asked before `isPictured`: the first picture does without names.
export function createNames(
  api: Api,
  report: (problem: unknown) => void,
  isPictured: ReadonlySignal<boolean>,
): Names {
  const known = new Map<number, Method>();
  const wanted = new Set<number>();
  const onWay = new Set<number>(); // those of the wanted that are asked for
  const version = signal(0);
  let timer = 0;

  const load = async (ranks: readonly number[]): Promise<void> => {
    const missing = ranks.filter((rank) => !known.has(rank));
    for (let i = 0; i < missing.length; i += BATCH) {
      const methods = await api.methods(missing.slice(i, i + BATCH), new AbortController().signal);
      for (const method of methods) known.set(method.rank, method);
    }
    if (missing.length > 0) version.value += 1;
  };

  const flush = (): void => {
    timer = 0;
    const ranks = [...wanted].filter((rank) => !onWay.has(rank));
    if (!isPictured.peek() || ranks.length === 0) return;
    for (const rank of ranks) onWay.add(rank);
    load(ranks)
      .catch(report)
      .finally(() => {
        for (const rank of ranks) {
          wanted.delete(rank);
          onWay.delete(rank);
        }
      });
  };

  effect(() => {
    if (isPictured.value) flush();
  });

  return {
    version,
    load,
    get: (rank) => {
      const method = known.get(rank);
      if (method === undefined && !wanted.has(rank)) {
        wanted.add(rank);
        if (timer === 0) timer = self.setTimeout(flush, GATHER_MS);
      }
      return method;
    },
    learn: (methods) => {
      let isNew = false;
      for (const method of methods) {
        isNew ||= !known.has(method.rank);
        known.set(method.rank, method);
      }
      if (isNew) version.value += 1;
    },
    clear: () => {
      known.clear();
      wanted.clear();
    },
  };
}
