// The menus of the timeline, of a call and of a mark.

import type { Mark } from "../../model/timeline/marks";
import type { App } from "../../state/app";
import { item, LINE, type MenuItem } from "../../state/menu";
import type { Hover } from "../../state/timeline";
import { methodItems } from "../shared/method-actions";
import { copyStack } from "../shared/share";

function markItems(app: App, mark: Mark): MenuItem[] {
  return [
    item("Show this mark", () => app.marks.jump(mark)),
    item("Remove it", () => app.marks.remove(mark)),
    LINE,
    item("All marks", () => (app.store.dialog.value = "marks"), "Shift+M"),
  ];
}

function callItems(app: App, rank: number | null): MenuItem[] {
  const method = rank === null ? undefined : app.store.names.get(rank);
  return [
    item("Zoom to the call", () => app.views.zoomToPicked(), "F"),
    item("Mark the call", () => app.marks.toggle(), "M"),
    item("Copy its stack", () => copyStack(app)),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}

// Opens the menu of the box or mark under the pointer. A call is selected first, so that keys and
// menu are about the same call.
export function openTimelineMenu(app: App, hit: Hover, at: { x: number; y: number }): void {
  const { mark, row, box, item: span } = hit;
  if (mark !== null) app.menu.value = { ...at, label: "Mark", items: () => markItems(app, mark) };
  else if (row !== null && box !== null) {
    app.store.picked.value = null;
    app.select.call({ thread: row.thread.id, depth: box.depth, call: box.call });
    app.menu.value = { ...at, label: "Call", items: () => callItems(app, box.rank) };
  } else if (span !== null) {
    app.select.call(span);
    app.menu.value = { ...at, label: "Call", items: () => callItems(app, null) };
  }
}
