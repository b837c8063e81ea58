// What changed since the trace that this one is compared with, or what one call did beside another one, by inclusive and by
// exclusive time. Asked for when the tab is looked at first.

import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { matchedQuery } from "../../model/changes/matched";
import type { Changes } from "../../model/changes/changes";
import { placeOfCall } from "../../model/link-parts";
import type { CallPairDetail } from "../../model/pair/pair-text";
import { askCall } from "../levels";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import { clockOfBoth } from "./before";

export type ChangesBy = "inclusive" | "exclusive";

export interface ChangesPanel {
  readonly by: Signal<ChangesBy>;
  // The method that a partner is looked for; null: none is.
  readonly alone: Signal<string | null>;
  readonly answers: Readonly<Record<ChangesBy, ReadonlySignal<Loaded<Changes>>>>;
  // Of two calls: with the places of the tree where calls changed. Of millions of calls this takes most of the time, so it
  // comes after the others; null until then.
  readonly places: ReadonlySignal<Changes | null>;
  // The calls that are compared.
  readonly calls: ReadonlySignal<Loaded<CallPairDetail>>;
}

// Rows of each list; more are told by their number.
const MOST_ROWS = 2000;

// The traces of both sides, as a question names them; null: nothing is compared.
export function comparedTraces(
  store: Pick<Store, "against" | "runs">,
): { readonly old: string; readonly new?: string } | null {
  const runs = store.runs.value;
  if (runs !== null) return { old: runs.old.join(","), new: runs.new.join(",") };
  const old = store.against.value;
  return old === null ? null : { old };
}

export function createChangesPanel(store: Store): ChangesPanel {
  const isShown = (): boolean => store.tab.value === "changes" && store.isPictured.value;
  // Which calls they are is known soon, and their timelines need no more: it goes before what compares all below them.
  const callsLoader = createLoader(
    () => (isShown() ? store.beside.value : null),
    async (pair, abort) => {
      const [old, own] = await Promise.all([
        askCall(store, placeOfCall(pair.old), abort),
        askCall(store, placeOfCall(pair.new), abort),
      ]);
      return { old, new: own };
    },
  );
  const answerBy = (by: ChangesBy): ReadonlySignal<Loaded<Changes>> =>
    createLoader(
      () => {
        const measure = store.measure.value;
        const calls = store.beside.value;
        const traces = comparedTraces(store);
        const sides = calls ?? traces;
        if (sides === null || !isShown() || callsLoader.value.isLoading) return null;
        const shared = calls === null ? clockOfBoth(store, measure) : measure;
        const clock = shared === "wait" ? undefined : shared;
        const matched = calls === null ? matchedQuery(store.matched.value) : undefined;
        return { isOfCalls: calls !== null, query: { ...sides, by, n: MOST_ROWS, clock, matched } };
      },
      ({ isOfCalls, query }, abort) =>
        isOfCalls
          ? store.api.callChanges({ ...query, contexts: 0 }, abort)
          : store.api.changes(query, abort),
    );
  const inclusive = answerBy("inclusive");
  const placesOfCalls = createLoader(
    () => {
      const calls = store.beside.value;
      if (calls === null || !isShown() || inclusive.value.isLoading) return null;
      return calls;
    },
    async (calls, abort) => {
      return { calls, changes: await store.api.callChanges({ ...calls, n: MOST_ROWS }, abort) };
    },
  );
  return {
    by: signal("inclusive"),
    alone: signal(null),
    answers: { inclusive, exclusive: answerBy("exclusive") },
    places: computed(() => {
      const calls = store.beside.value;
      const told = placesOfCalls.value.value;
      const isOfThese = told?.calls.old === calls?.old && told?.calls.new === calls?.new;
      return told !== null && isOfThese ? told.changes : null;
    }),
    calls: callsLoader,
  };
}
