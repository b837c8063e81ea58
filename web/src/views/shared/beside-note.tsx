// What the columns of an older trace stand on, where a table has them.

import { BESIDE_TEXT, OUTSIDE_TEXT, runsNoteText } from "../../model/before";
import { besideRuns, besideTrace, hasOldRange } from "../../state/panels/before";
import { useApp } from "./context";

export function BesideNote() {
  const { store } = useApp();
  if (besideTrace(store) === null) return null;
  const runs = besideRuns(store);
  const ofOne = hasOldRange(store, store.scope.value) ? BESIDE_TEXT : OUTSIDE_TEXT;
  const text = runs === null ? ofOne : runsNoteText(runs.old.length, runs.new.length);
  return <span class="muted beside-note">{text}</span>;
}
