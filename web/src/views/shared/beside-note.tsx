// What the columns of an older trace stand on, where a table has them.

import { BESIDE_TEXT, OUTSIDE_TEXT } from "../../model/before";
import { besideTrace, hasOldRange } from "../../state/panels/before";
import { useApp } from "./context";

export function BesideNote() {
  const { store } = useApp();
  if (besideTrace(store) === null) return null;
  const isBeside = hasOldRange(store, store.scope.value);
  return <span class="muted beside-note">{isBeside ? BESIDE_TEXT : OUTSIDE_TEXT}</span>;
}
