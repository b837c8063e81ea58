// What changed since the trace that this one is compared with, by inclusive and by exclusive time. Asked for when the tab is
// looked at first.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Changes } from "../../model/changes/changes";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";

export type ChangesBy = "inclusive" | "exclusive";

export interface ChangesPanel {
  readonly by: Signal<ChangesBy>;
  readonly answers: Readonly<Record<ChangesBy, ReadonlySignal<Loaded<Changes>>>>;
}

// Rows of each list; more are told by their number.
const MOST_ROWS = 2000;

export function createChangesPanel(store: Store): ChangesPanel {
  const answerBy = (by: ChangesBy): ReadonlySignal<Loaded<Changes>> =>
    createLoader(
      () => {
        const old = store.against.value;
        const measure = store.measure.value;
        if (old === null || store.tab.value !== "changes" || !store.isPictured.value) return null;
        return { old, by, n: MOST_ROWS, ...(measure === "wait" ? {} : { clock: measure }) };
      },
      (query, abort) => store.api.changes(query, abort),
    );
  return {
    by: signal("inclusive"),
    answers: { inclusive: answerBy("inclusive"), exclusive: answerBy("exclusive") },
  };
}
