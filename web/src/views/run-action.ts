// Runs the action of a key or of the palette, and tells whether it did something.

import { COLOURING_NAMES } from "../model/colour";
import { KEY_TABLE, type ActionId } from "../model/page/keys";
import { shortName } from "../model/names";
import type { Tab } from "../model/page/url-state";
import {
  clearSearch,
  nextMeasure,
  nextOrder,
  setMyCode,
  setSetting,
  stepThread,
} from "../state/actions/choose";
import type { App } from "../state/page/app";
import { isDetailsOpen } from "../state/panels/detail";
import type { Step } from "../state/actions/select-actions";
import { chooseFile } from "./drop";
import { focusPanel } from "./shared/focus";
import { setLens } from "../state/actions/lens-actions";
import { lensKey } from "./shared/lens-menu";
import { showBetween } from "../state/actions/sandwich";
import { isPossible } from "./shared/has-action";
import { copyLink, copyReport, copyStack, copyText } from "./shared/share";

function focusSearch(): boolean {
  const element = document.getElementById("search");
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
  return element !== null;
}

const TAB_OF: Partial<Record<ActionId, Tab>> = {
  "tab-profile": "profile",
  "tab-flame": "flame",
  "tab-tree": "tree",
  "tab-callers": "callers",
  "tab-calls": "calls",
  "tab-trace": "trace",
  "tab-insights": "insights",
  "tab-frames": "frames",
  "tab-changes": "changes",
};

// Shows the tab, with the keyboard in it.
function goToTab(app: App, tab: Tab): boolean {
  app.store.tab.value = tab;
  app.store.isLowerHidden.value = false;
  // The panel is on the page one frame later.
  self.requestAnimationFrame(focusPanel);
  return true;
}

function copyName(app: App, isShort: boolean): boolean {
  const rank = app.store.method.peek();
  const method = rank === null ? undefined : app.store.names.get(rank);
  if (method === undefined) return false;
  copyText(app, isShort ? shortName(method) : method.method, "Name");
  return true;
}

// Takes one step back: dialog, search, picked range, lens, selection, range, zoom.
function stepBack(app: App): boolean {
  const { store, views, select } = app;
  if (store.dialog.peek() !== null) store.dialog.value = null;
  else if (store.search.peek() !== "") clearSearch(store);
  else if (store.picked.peek() !== null) store.picked.value = null;
  else if (store.lens.peek() !== null) setLens(store, null);
  else if (store.call.peek() !== null || store.method.peek() !== null) select.clear();
  else if (store.crumbs.peek().length > 0) views.cutCrumbs(store.crumbs.peek().length - 1);
  else views.wholeTrace();
  return true;
}

function foldAll(app: App): void {
  const { unfolded, rows } = app.store;
  unfolded.value =
    unfolded.peek().size > 0
      ? new Set<number>()
      : new Set(rows.peek().rows.map((row) => row.thread.id));
}

function nextTheme(app: App): void {
  const order = ["system", "light", "dark"] as const;
  const now = order.indexOf(app.store.settings.peek().theme);
  setSetting(app.store, { theme: order[(now + 1) % order.length] ?? "system" });
}

function nextColouring(app: App): void {
  const hasBoth = (app.store.info.peek()?.clocks.length ?? 0) > 1;
  const order = ["rank", "package", ...(hasBoth ? (["cpu"] as const) : [])] as const;
  const now = order.findIndex((by) => by === app.store.settings.peek().colourBy);
  const next = order[(now + 1) % order.length] ?? "rank";
  setSetting(app.store, { colourBy: next });
  app.store.notify("done", `Coloured by ${COLOURING_NAMES[next]}.`);
}

const STEPS: Partial<Record<ActionId, Step>> = {
  parent: "parent",
  child: "child",
  "next-sibling": "next-sibling",
  "prev-sibling": "prev-sibling",
  "next-call": "next",
  "prev-call": "prev",
  "next-in-thread": "next-in-thread",
  "prev-in-thread": "prev-in-thread",
};

const SIMPLE: Partial<Record<ActionId, (app: App) => void>> = {
  "zoom-in": (app) => app.views.zoomBy(0.6),
  "zoom-out": (app) => app.views.zoomBy(1 / 0.6),
  "pan-left": (app) => app.views.panBy(-0.2),
  "pan-right": (app) => app.views.panBy(0.2),
  "whole-trace": (app) => app.views.wholeTrace(),
  "zoom-picked": (app) => app.views.zoomToPicked(),
  "commit-view": (app) => app.views.commit(app.store.view.peek()),
  help: (app) => (app.store.dialog.value = "help"),
  palette: (app) => (app.store.dialog.value = "palette"),
  settings: (app) => (app.store.dialog.value = "settings"),
  mark: (app) => app.marks.toggle(),
  marks: (app) => (app.store.dialog.value = "marks"),
  lens: lensKey,
  details: (app) => setSetting(app.store, { isDetailsOpen: !isDetailsOpen(app.store) }),
  order: (app) => nextOrder(app.store),
  "hide-lower": (app) => (app.store.isLowerHidden.value = !app.store.isLowerHidden.peek()),
  "whole-lower": ({ store }) => {
    store.isLowerWhole.value = store.isLowerHidden.peek() || !store.isLowerWhole.peek();
    store.isLowerHidden.value = false;
  },
  clock: (app) => nextMeasure(app.store),
  theme: nextTheme,
  classic: (app) => {
    const isClassic = !app.store.settings.peek().isClassic;
    setSetting(app.store, { isClassic, palette: isClassic ? "classic" : "calm" });
  },
  "colour-by": nextColouring,
  "only-matches": (app) => app.panels.found.toggleOnly(),
  "my-code": (app) => setMyCode(app.store, app.store.mine.peek() === null),
  "next-thread": (app) => stepThread(app.store, 1),
  "prev-thread": (app) => stepThread(app.store, -1),
  "choose-thread": (app) => (app.store.dialog.value = "thread"),
  fold: foldAll,
  "copy-report": (app) => copyReport(app, true),
  "copy-stack": copyStack,
  "copy-link": copyLink,
  "save-page": (app) => (app.store.dialog.value = "page"),
  download: (app) => (app.store.dialog.value = "download"),
  "open-file": chooseFile,
  recent: (app) => (app.store.dialog.value = "recent"),
  "read-again": (app) => app.session.readAgain(),
  "swap-names": (app) => app.session.swapNames(),
  record: (app) => (app.store.dialog.value = "record"),
  invert: ({ store }) => {
    store.flameView.value = { ...store.flameView.peek(), isSandwich: false };
    store.isInverted.value = !store.isInverted.peek();
  },
  sandwich: ({ store }) => {
    const rank = store.method.peek();
    if (rank !== null) showBetween(store, rank);
    else store.notify("done", "Select a method first: its callers and callees are drawn.");
  },
};

export function runAction(app: App, action: ActionId, panel = ""): boolean {
  if (action === "escape") return stepBack(app);
  if (!isPossible(app, action)) return false;
  if (app.store.dialog.peek() !== null && action !== "palette" && action !== "help") return false;
  // In the profile F finds, as it did in the old viewer; a call that was picked in another tab is fitted.
  const isFind = action === "fit" && panel === "lower" && app.store.tab.peek() === "profile";
  if (action === "search" || isFind) return focusSearch();
  const tab = TAB_OF[action];
  if (tab !== undefined) return goToTab(app, tab);
  if (action === "copy-name" || action === "copy-short")
    return copyName(app, action === "copy-short");
  const step = STEPS[action];
  if (step !== undefined) {
    if (app.store.call.peek() === null && action !== "next-call" && action !== "prev-call")
      return false;
    app.select.step(step);
    return true;
  }
  const simple = SIMPLE[action === "fit" ? "zoom-picked" : action];
  simple?.(app);
  return simple !== undefined;
}

// What only keys do: the palette would have to do it before it closes.
const UNNAMED: readonly ActionId[] = ["escape", "next-match", "prev-match"];

// The commands of the palette.
export function commandsOf(app: App): (typeof KEY_TABLE)[number][] {
  const isOff = (action: ActionId): boolean =>
    action === "copy-stack" && app.store.call.value === null;
  return KEY_TABLE.filter(
    ({ action }) => !UNNAMED.includes(action) && isPossible(app, action) && !isOff(action),
  );
}
