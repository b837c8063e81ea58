// The menus of the timeline, of a call and of a mark.

import type { Mark } from "../../model/timeline/marks";
import type { App } from "../../state/page/app";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import type { Hover } from "../../state/timeline";
import { lensOfCall } from "../../state/actions/lens-actions";
import { compareItems } from "../pair/compare-items";
import { lensItems } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";
import { copyReport, copyStack } from "../shared/share";

function markItems(app: App, mark: Mark): MenuItem[] {
  return [
    item("Show this mark", () => app.marks.jump(mark)),
    item("Remove it", () => app.marks.remove(mark)),
    LINE,
    item("All marks", () => (app.store.dialog.value = "marks"), "Shift+M"),
  ];
}

// While a range is selected, zooming and marking are about it: its own entries have them.
function callItems(app: App, rank: number | null, isInRange: boolean): MenuItem[] {
  const method = rank === null ? undefined : app.store.names.get(rank);
  // The menu is made anew when the answer about the call is there.
  const call = app.store.call.value;
  return [
    ...(isInRange
      ? []
      : [
          item("Zoom to the call", () => app.views.zoomToPicked(), "F"),
          item("Mark the call", () => app.marks.toggle(), "M"),
        ]),
    ...(call === null ? [] : lensItems(app, lensOfCall(call))),
    ...compareItems(app, call),
    item("Copy its stack", () => copyStack(app)),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}

function rangeItems(app: App): MenuItem[] {
  return [
    item("Zoom to the range", () => app.views.zoomToPicked(), "Enter"),
    item("Mark the range", () => app.marks.toggle(), "M"),
    item("Copy what is selected", () => copyReport(app, false)),
    item("Clear the range", () => (app.store.picked.value = null), "Esc"),
  ];
}

// Opens the menu of the box or mark under the pointer, or of the range around it. A call is selected
// first, so that keys and menu are about the same call.
export function openTimelineMenu(
  app: App,
  hit: Hover,
  at: { x: number; y: number },
  isInRange: boolean,
): void {
  const { mark, row, box, item: span } = hit;
  const range = isInRange ? rangeItems(app) : [];
  const open = (label: string, own: () => MenuItem[]): void => {
    app.menu.value = {
      ...at,
      label,
      items: () => [...own(), ...(range.length > 0 ? [LINE, ...range] : [])],
    };
  };
  if (mark !== null) return open("Mark", () => markItems(app, mark));
  if (row !== null && box !== null) {
    app.select.call({ thread: row.thread.id, depth: box.depth, call: box.call });
    return open("Call", () => callItems(app, box.rank, isInRange));
  }
  if (span !== null) {
    app.select.call(span);
    return open("Call", () => callItems(app, null, isInRange));
  }
  if (isInRange) app.menu.value = { ...at, label: "Range", items: () => range };
}
