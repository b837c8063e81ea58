// The keyboard in the Profile: up and down walk the rows on the screen, right opens and goes in,
// left closes and comes out, Enter does what a press does.

import { cursorKey, type Cursor } from "../../model/table/table";
import { placeOf, sliceRows, totalRows, type VisualRow } from "../../model/profile/profile-rows";
import type { App } from "../../state/page/app";
import type { TableExport } from "../../state/panels/tables";
import { countMarked, forgetPicked, keepMarked, pickRow } from "../../state/panels/marked-rows";
import { isLensKey, lookThroughMarked, markedItems } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { copyMarked } from "../table/table-menu";
import { isTableBody } from "../table/table-keys";

interface ProfileView {
  readonly exported: TableExport;
  // Brings a row into sight.
  show(index: number): void;
}

function count(app: App): number {
  return app.panels.profile.sheet.peek()?.head.count ?? 0;
}

function rowAt(app: App, index: number): VisualRow | undefined {
  return sliceRows(count(app), app.panels.profile.openings.peek(), index, index + 1)[0];
}

// The rank of the method that a row shows or belongs to.
function rankOfRow(app: App, row: VisualRow | undefined): number | null {
  if (row === undefined) return null;
  if (row.kind === "method") return app.panels.profile.row(row.index)?.rank ?? null;
  return row.kind === "relation" ? row.row.rank : row.of;
}

function setCursor(app: App, view: ProfileView, cursor: Cursor): void {
  app.panels.tables.profile.cursor.value = cursor;
  view.show(cursor.at);
}

function goTo(app: App, view: ProfileView, next: Cursor): void {
  setCursor(app, view, next);
  if (next.at !== next.anchor) return;
  const row = rowAt(app, next.at);
  if (row?.kind !== "method") return;
  const rank = rankOfRow(app, row);
  if (rank !== null) return app.select.method(rank);
  // The page of that method is not there yet, but its rank is known by the order.
  app.panels.profile
    .ranksInOrder()
    .then((order) => {
      const far = order[row.index];
      if (far !== undefined && app.panels.tables.profile.cursor.peek() === next)
        app.select.method(far);
    })
    .catch(app.store.report);
}

// What Enter and a press on a row do.
function activate(app: App, row: VisualRow): void {
  switch (row.kind) {
    case "method": {
      const rank = rankOfRow(app, row);
      if (rank !== null) app.panels.profile.toggle(rank);
      return;
    }
    case "group":
      return app.panels.profile.toggleGroup(row.of, row.group);
    case "relation":
      app.panels.profile.openOnly(row.row.rank);
      app.select.method(row.row.rank);
      return;
    case "self":
    case "waiting":
      return;
  }
}

function turn(app: App, view: ProfileView, at: number, isRight: boolean): void {
  const row = rowAt(app, at);
  const rank = rankOfRow(app, row);
  if (row === undefined || rank === null) return;
  if (row.kind === "method" || row.kind === "group") {
    const isOpen = row.kind === "method" ? app.panels.profile.isOpen(rank) : row.isOpen;
    if (isRight !== isOpen) return activate(app, row);
    if (isRight) return goTo(app, view, { at: at + 1, anchor: at + 1 });
  }
  if (isRight || row.kind === "method") return;
  const opening = app.panels.profile.openings
    .peek()
    .find((one) => one.rows.some((inside) => inside.of === row.of));
  if (opening === undefined) return;
  const out = placeOf(opening.index, app.panels.profile.openings.peek());
  goTo(app, view, { at: out, anchor: out });
}

// Ctrl+Space does for the row at the cursor what Ctrl and a press do; Ctrl and an arrow lead there.
function pickAtCursor(app: App): boolean {
  const { at } = app.panels.tables.profile.cursor.peek();
  const row = at < 0 ? undefined : rowAt(app, at);
  const rank = row?.kind === "method" ? rankOfRow(app, row) : null;
  if (rank !== null) pickRow(app, rank);
  return rank !== null;
}

function openMenu(app: App, body: HTMLElement, rank: number): void {
  const method = app.store.names.get(rank);
  if (method === undefined) return;
  const box = body.getBoundingClientRect();
  const row = body.querySelector(".tr.selected, .tr.marked")?.getBoundingClientRect();
  app.menu.value = {
    x: box.left + 40,
    y: row?.bottom ?? box.top + 30,
    label: method.name,
    items: () => [...markedItems(app, rank), ...methodItems(app, method)],
  };
}

export function walkProfile(app: App, view: ProfileView, event: KeyboardEvent): void {
  if (!isTableBody(event.target) || event.altKey) return;
  if (run(app, view, event, event.target)) {
    event.preventDefault();
    event.stopPropagation();
  }
}

function run(app: App, view: ProfileView, event: KeyboardEvent, body: HTMLElement): boolean {
  const { cursor } = app.panels.tables.profile;
  const total = totalRows(count(app), app.panels.profile.openings.peek());
  if (event.ctrlKey || event.metaKey) {
    const isPlain = (self.getSelection()?.toString() ?? "") === "" && !event.shiftKey;
    if (event.key === " ") return pickAtCursor(app);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const moved = cursorKey(cursor.peek(), total, event.key, false);
      keepMarked(app);
      if (moved !== null) goTo(app, view, moved);
      return true;
    }
    if (event.key.toLowerCase() === "c" && isPlain) return copyMarked(app, view.exported);
    if (event.key.toLowerCase() !== "a" || event.shiftKey) return false;
    cursor.value = { anchor: 0, at: total - 1 };
    return true;
  }
  const next = cursorKey(cursor.peek(), total, event.key, event.shiftKey);
  if (next !== null) {
    forgetPicked(app);
    goTo(app, view, next);
    return true;
  }
  const { at } = cursor.peek();
  const row = at < 0 ? undefined : rowAt(app, at);
  const rank = rankOfRow(app, row);
  if (row === undefined || rank === null) return false;
  if (isLensKey(app, event) && countMarked(app) > 1) lookThroughMarked(app);
  else if (event.key === "Enter") activate(app, row);
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
    turn(app, view, at, event.key === "ArrowRight");
  else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))
    openMenu(app, body, rank);
  else return false;
  return true;
}
