// Matching a method that one side alone has: the entries of its menu.

import { loneSide, partnersOf } from "../../model/changes/matched";
import type { Change } from "../../model/changes/changes";
import type { App } from "../../state/page/app";
import { item, itemOff, LINE, type MenuItem } from "../../state/page/menu";

export function matchItems(app: App, change: Change): readonly MenuItem[] {
  const { store, panels } = app;
  const changes = panels.changes.answers.inclusive.value.value;
  if (loneSide(change) === null || store.beside.value !== null || changes === null) return [];
  const label = "Match by hand…";
  const open = (): void => {
    panels.changes.alone.value = change.method;
    store.dialog.value = "match";
  };
  const none = "the other side has none without a partner";
  return [
    partnersOf(changes, change).length === 0 ? itemOff(label, none) : item(label, open),
    LINE,
  ];
}
