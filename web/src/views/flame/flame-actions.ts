// Zooming the flame graph, and the menu of a box.

import { changePath, isOfTrace, type ChangeFlame } from "../../model/changes/change-flame";
import { flamePath } from "../../model/flame/flame";
import { isRecursive, type Sandwich } from "../../model/flame/sandwich";
import { chosenOf, sameLens, type Lens } from "../../model/lens";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import { lensOfNode, setLens } from "../../state/actions/lens-actions";
import { showBetween } from "../../state/actions/sandwich";
import { lensItems, listThese } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { transformItems } from "./transforms";

// The path from the whole graph's root to a box. A zoomed graph begins with the box zoomed to.
function fullPath(app: App, ix: number): number[] {
  const answer = app.panels.flame.answer.peek().value;
  if (answer === null) return [...app.store.flamePath.peek()];
  const above = answer.path;
  const inside = flamePath(answer, ix);
  return above.length === 0 ? inside : [...above, ...inside.slice(1)];
}

function shownSandwich(app: App): Sandwich | null {
  const { middle, sandwich: loaded } = app.panels.flame;
  return middle.peek() === null ? null : loaded.peek().value;
}

export function zoomFlame(app: App, ix: number): void {
  const change = shownChange(app);
  const between = shownSandwich(app);
  const { store } = app;
  if (between !== null) showBetween(store, between.rank[ix] ?? 0);
  else if (change !== null)
    store.changePath.value = changePath(change, ix, store.changePath.peek());
  else store.flamePath.value = fullPath(app, ix);
}

export function zoomFlameOut(app: App): void {
  if (app.panels.flame.middle.peek() !== null) return;
  const { changePath: ofChange, flamePath: own } = app.store;
  if (app.panels.flame.choice.peek() !== null) ofChange.value = ofChange.peek().slice(0, -1);
  else own.value = own.peek().slice(0, -1);
}

// What changed, where the graph shows that.
export function shownChange(app: App): ChangeFlame | null {
  const { choice, change } = app.panels.flame;
  return choice.peek() === null ? null : change.peek().value;
}

// The calls of a box, as they are selected with its method.
function chosenOfBox(app: App, ix: number): Lens | null {
  const rank = app.panels.flame.shown.peek().value?.rank[ix];
  if (rank === undefined || shownChange(app) !== null) return null;
  return chosenOf(app.store.lens.peek(), lensOfBox(app, ix), rank);
}

// A box that is as many levels from the first one as its path is longer.
function pathLength(calls: Lens | null): number {
  return calls?.kind === "along" || calls?.kind === "upwards" ? calls.ranks.length : 0;
}

// Whether a box is of what is selected: of a method all its boxes, of picked calls the box that they are of, where it is drawn.
export function selectedBoxes(app: App): (rank: number, ix: number) => boolean {
  const { method, chosenCalls } = app.store;
  const [rank, calls] = [method.value, chosenCalls.value];
  const flame = app.panels.flame.shown.value.value;
  const path =
    calls === null || flame === null ? 0 : pathLength(calls) - pathLength(lensOfBox(app, 0));
  const isAt = (ix: number): boolean =>
    Math.abs((flame?.depth[ix] ?? 0) - (flame?.depth[0] ?? 0)) === path;
  const chosen =
    calls === null || flame === null
      ? -1
      : flame.rank.findIndex(
          (each, ix) => each === rank && isAt(ix) && sameLens(chosenOfBox(app, ix), calls),
        );
  return (each, ix) => (chosen < 0 ? each === rank : ix === chosen);
}

// Selects the calls of a box, where the trace has its method.
export function selectIfHere(app: App, ix: number): void {
  const rank = app.panels.flame.shown.peek().value?.rank[ix] ?? 0;
  if (isOfTrace(rank)) app.select.method(rank, chosenOfBox(app, ix));
}

// The same of a press, which is told where the other trace alone has the method.
export function selectBox(app: App, ix: number): void {
  const change = shownChange(app);
  const rank = app.panels.flame.shown.peek().value?.rank[ix] ?? 0;
  if (change === null || isOfTrace(rank)) selectIfHere(app, ix);
  else if (
    change.parent.length > 0 &&
    rank === change.rank[0] &&
    app.store.changePath.peek().length === 0
  )
    app.select.clear();
  else
    app.store.notify(
      "error",
      `This trace has no ${change.names.get(rank)?.method ?? ""}; the other side has.`,
    );
}

// From the box to whoever called it: the methods of a caller's box are those below it, down to the method between.
function lensOfBox(app: App, ix: number): Lens | null {
  const { store } = app;
  const between = shownSandwich(app);
  // The graph may be that of another lens still.
  if (app.panels.flame.shown.peek().isLoading) return null;
  if (between === null) return lensOfNode(store, fullPath(app, ix), store.isInverted.peek());
  if (isRecursive(between) || store.lens.peek() !== null) return null;
  const path = flamePath(between, ix);
  return lensOfNode(store, ix < between.firstCallee ? path : path.reverse(), true);
}

// Limits all panels to the calls of a box; tells whether a path says which these are.
export function lookThroughBox(app: App, ix: number): boolean {
  const lens = lensOfBox(app, ix);
  if (lens !== null) setLens(app.store, lens);
  return lens !== null;
}

// Limits them so, and shows the list of these calls.
export function listBox(app: App, ix: number): boolean {
  return listThese(app, lensOfBox(app, ix));
}

export function flameItems(app: App, ix: number, rank: number): MenuItem[] {
  const method = app.store.names.get(rank);
  if (shownChange(app) !== null)
    return [
      item("Zoom to this box", () => zoomFlame(app, ix), "Enter"),
      ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
    ];
  const lens = lensOfBox(app, ix);
  const zoom = shownSandwich(app) === null ? "Zoom to this box" : "Its own callers and callees";
  return [
    item(zoom, () => zoomFlame(app, ix), "Enter"),
    ...(lens === null ? [] : lensItems(app, lens)),
    LINE,
    ...transformItems(app, rank),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}
