// What changed since the trace that this one is compared with, or what one call did beside another one, by inclusive and by
// exclusive time. Asked for when the tab is looked at first.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { matchedQuery } from "../../model/changes/matched";
import type { Changes } from "../../model/changes/changes";
import { placeOfCall } from "../../model/link-parts";
import type { CallDetail } from "../../model/trace";
import { askCall } from "../levels";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import { clockOfBoth } from "./before";

export type ChangesBy = "inclusive" | "exclusive";

export interface CallPairDetail {
  readonly old: CallDetail;
  readonly new: CallDetail;
}

export interface ChangesPanel {
  readonly by: Signal<ChangesBy>;
  // The method that a partner is looked for; null: none is.
  readonly alone: Signal<string | null>;
  readonly answers: Readonly<Record<ChangesBy, ReadonlySignal<Loaded<Changes>>>>;
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
  const answerBy = (by: ChangesBy): ReadonlySignal<Loaded<Changes>> =>
    createLoader(
      () => {
        const measure = store.measure.value;
        const calls = store.beside.value;
        const traces = comparedTraces(store);
        const sides = calls ?? traces;
        if (sides === null || !isShown()) return null;
        const shared = calls === null ? clockOfBoth(store, measure) : measure;
        const clock = shared === "wait" ? undefined : shared;
        const matched = calls === null ? matchedQuery(store.matched.value) : undefined;
        return { isOfCalls: calls !== null, query: { ...sides, by, n: MOST_ROWS, clock, matched } };
      },
      ({ isOfCalls, query }, abort) =>
        isOfCalls ? store.api.callChanges(query, abort) : store.api.changes(query, abort),
    );
  return {
    by: signal("inclusive"),
    alone: signal(null),
    answers: { inclusive: answerBy("inclusive"), exclusive: answerBy("exclusive") },
    calls: createLoader(
      () => (isShown() ? store.beside.value : null),
      async (pair, abort) => {
        const [old, own] = await Promise.all([
          askCall(store, placeOfCall(pair.old), abort),
          askCall(store, placeOfCall(pair.new), abort),
        ]);
        return { old, new: own };
      },
    ),
  };
}
