// Zooming the flame graph, and the menu of a box.

import { flamePath } from "../../model/flame/flame";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import { lensOfNode, lookThrough } from "../../state/actions/lens-actions";
import { lensItems } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { transformItems } from "./transforms";

// The path from the whole graph's root to a box. A zoomed graph begins with the box zoomed to.
function fullPath(app: App, ix: number): number[] {
  const answer = app.panels.flame.answer.peek().value;
  const above = app.store.flamePath.peek();
  if (answer === null) return [...above];
  const inside = flamePath(answer, ix);
  return above.length === 0 ? inside : [...above, ...inside.slice(1)];
}

export function zoomFlame(app: App, ix: number): void {
  app.store.flamePath.value = fullPath(app, ix);
}

// Limits all panels to the calls of a box; tells whether a path says which these are.
export function lookThroughBox(app: App, ix: number): boolean {
  return lookThrough(app.store, fullPath(app, ix), app.store.isInverted.peek());
}

export function flameItems(app: App, ix: number, rank: number): MenuItem[] {
  const method = app.store.names.get(rank);
  const lens = lensOfNode(app.store, fullPath(app, ix), app.store.isInverted.peek());
  return [
    item("Zoom to this box", () => zoomFlame(app, ix), "Enter"),
    ...(lens === null ? [] : lensItems(app, lens)),
    LINE,
    ...transformItems(app, rank),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}
