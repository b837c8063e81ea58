// Several runs a side: which of each side is shown. The most typical of both are, until the user chooses others; which that are
// is known once all runs have been read.

import { computed, effect, type ReadonlySignal } from "@preact/signals";
import { runText, whyText, type RunsSide } from "../../model/changes/runs";
import { createLoader } from "../loader";
import { comparedTraces } from "../panels/changes";
import type { Store } from "../store";
import { ownTrace } from "../own-trace";

interface ShownRun {
  readonly side: RunsSide;
  // The traces of the side, as questions name them, and their files.
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly typical: number;
  // -1: the trace that is shown is none of them.
  readonly shown: number;
  readonly text: string;
  // Why that one; empty: it was chosen.
  readonly why: string;
}

interface RunsOfBoth {
  // Null: there is one run, or it is not known yet which is typical.
  readonly old: ShownRun | null;
  readonly new: ShownRun | null;
  // Why the runs cannot be compared.
  readonly error: string | null;
}

// Follows the link's runs. `goTo` shows another run of the new side, in place of this one or not.
export function createRuns(
  store: Store,
  goTo: (run: string, isInPlace: boolean) => void,
): { readonly both: ReadonlySignal<RunsOfBoth>; show(side: RunsSide, name: string): void } {
  const answer = createLoader(
    () => {
      const isReady = store.phase.value.kind === "ready" && store.isPictured.value;
      const sides = store.runs.value === null ? null : comparedTraces(store);
      return sides === null || !isReady ? null : { ...sides, by: "exclusive", n: 1 };
    },
    (query, abort) => store.api.changes(query, abort),
  );

  const sideOf = (side: RunsSide): ShownRun | null => {
    const runs = store.runs.value;
    const told = answer.value.value?.[side].told ?? null;
    if (runs === null || told === null || told.files.length !== runs[side].length) return null;
    const name = side === "old" ? store.against.value : ownTrace(store);
    const shown = runs[side].indexOf(name ?? "");
    return {
      side,
      names: runs[side],
      ...told,
      shown,
      text: runText(shown, told),
      why: whyText(shown, told),
    };
  };

  const both = computed(() => ({
    old: sideOf("old"),
    new: sideOf("new"),
    error: store.runs.value === null ? null : answer.value.error,
  }));

  const show = (side: RunsSide, name: string, isInPlace = false): void => {
    if (side === "old") store.against.value = name;
    else goTo(name, isInPlace);
  };

  // A link without `against` is of nobody's choice yet.
  effect(() => {
    const runs = store.runs.value;
    const isAnswered = answer.value.value !== null && !answer.value.isLoading;
    if (runs === null || store.against.value !== null || !isAnswered) return;
    const { old, new: now } = both.peek();
    store.against.value = old?.names[old.typical] ?? runs.old[0] ?? null;
    const typical = now?.names[now.typical];
    if (typical !== undefined && typical !== ownTrace(store)) show("new", typical, true);
  });
  return { both, show: (side, name) => show(side, name) };
}
