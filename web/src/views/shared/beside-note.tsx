// The note under a table with columns of an older trace: which recordings these are of.

import { BESIDE_TEXT, clocklessText, OUTSIDE_TEXT, runsNoteText } from "../../model/before";
import { hasMeasure } from "../../model/trace";
import { besideRuns, besideTrace, hasOldRange } from "../../state/panels/before";
import { useApp } from "./context";

export function BesideNote() {
  const text = useText();
  return text === null ? null : <span class="muted beside-note">{text}</span>;
}

function useText(): string | null {
  const { store, oldSide } = useApp();
  if (besideTrace(store) === null) return null;
  const measure = store.measure.value;
  const old = oldSide.value?.app.store.info.value;
  if (!hasOldRange(store, store.scope.value)) return OUTSIDE_TEXT;
  if (old != null && !hasMeasure(old, measure)) return clocklessText(measure);
  const runs = besideRuns(store);
  return runs === null ? BESIDE_TEXT : runsNoteText(runs.old.length, runs.new.length);
}
