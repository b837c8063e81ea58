// The menu entries that limit all panels to a set of calls.

import { plural } from "../../base/format";
import { lensOfBar, MAX_PATH, type Lens } from "../../model/lens";
import { callWords, theseCalls } from "../../model/words";
import { lensOfMethods, lensOfSearch, setLens, toggleLens } from "../../state/actions/lens-actions";
import { countMarked, forgetPicked, markedRanks } from "../../state/panels/marked-rows";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";

export function lensItems(app: App, lens: Lens): MenuItem[] {
  const { store } = app;
  const isOne = lens.kind === "within";
  const these = theseCalls(isOne, callWords(store.info.value?.sampled === true));
  return [
    item(`Only ${these}, in all panels`, () => setLens(store, lens), "L"),
    ...(isOne ? [] : [item(`List ${these}`, () => void listThese(app, lens), "Shift+Enter")]),
  ];
}

// Limits all panels to the calls of a box or a row, and shows their list; tells whether a lens says which these are.
export function listThese({ store }: App, lens: Lens | null): boolean {
  if (lens === null) return false;
  setLens(store, lens);
  store.tab.value = "calls";
  store.isLowerHidden.value = false;
  return true;
}

// More methods make no lens: a link could not carry them.
function lookThrough(app: App, ranks: readonly number[]): void {
  const { store } = app;
  if (ranks.length > MAX_PATH)
    return store.notify("error", `Mark at most ${MAX_PATH} rows: a link carries as many.`);
  const lens = lensOfMethods(store, ranks);
  if (lens === null) return store.notify("error", "The calls are limited in too many steps.");
  forgetPicked(app);
  setLens(store, lens);
}

export function lookThroughMarked(app: App): void {
  markedRanks(app)
    .then((ranks) => lookThrough(app, ranks))
    .catch(app.store.report);
}

// Of the menu of a row that is marked with others.
export function markedItems(app: App, rank: number): MenuItem[] {
  const count = countMarked(app);
  const { picked } = app.panels.profile;
  if (count < 2 || (picked.peek().size > 0 && !picked.peek().has(rank))) return [];
  const { many } = callWords(app.store.info.value?.sampled === true);
  return [
    item(
      `Only ${many} of these ${plural(count, "method")}, in all panels`,
      () => lookThroughMarked(app),
      "L",
    ),
    LINE,
  ];
}

// The calls that the chosen bar of the histogram lists; null: no bar is chosen.
function lensOfChosenBar(app: App): Lens | null {
  const { store, panels } = app;
  const limits = panels.calls.limits.peek();
  const rank = store.method.peek();
  if (store.tab.peek() !== "calls" || limits === null || rank === null) return null;
  const lasting = { measure: store.measure.peek(), from: limits.min, below: limits.max };
  return lensOfBar(store.selectedCalls.peek(), rank, lasting);
}

export function lookThroughBar(app: App): boolean {
  const lens = lensOfChosenBar(app);
  if (lens === null) return false;
  app.panels.calls.limits.value = null;
  setLens(app.store, lens);
  return true;
}

export function lookThroughSearch(app: App): boolean {
  const lens = app.panels.found.isEmpty.peek() ? null : lensOfSearch(app.store);
  if (lens === null) return false;
  setLens(app.store, lens);
  return true;
}

// The key of the page: a bar that is chosen, else what is selected, else what the search finds; and off, where there is a lens and
// no bar in it is chosen.
export function lensKey(app: App): void {
  const { store } = app;
  if (lookThroughBar(app)) return;
  const isNothing = store.call.peek() === null && store.method.peek() === null;
  if (store.lens.peek() === null && isNothing && lookThroughSearch(app)) return;
  toggleLens(store);
}

// Whether a key does the same for the box or row that has the focus: with Shift also where there is a lens already, which L alone
// takes off.
export function isLensKey(app: App, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.toLowerCase() !== "l")
    return false;
  return event.shiftKey || app.store.lens.peek() === null;
}
