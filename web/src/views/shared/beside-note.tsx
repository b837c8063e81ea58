// What the columns of an older trace stand on, where a table has them.

import { BESIDE_TEXT } from "../../model/before";
import { besideTrace } from "../../state/panels/before";
import { useApp } from "./context";

export function BesideNote() {
  const { store } = useApp();
  return besideTrace(store) === null ? null : <span class="muted beside-note">{BESIDE_TEXT}</span>;
}
