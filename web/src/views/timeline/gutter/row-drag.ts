// Moves rows: dragged by their label with a mouse or a pen, or with Alt and the arrow keys. A finger on a label scrolls the rows.

import { movedOrder, placeAt } from "../../../model/timeline/rows";
import type { App } from "../../../state/page/app";

const DRAG_PX = 6;

// Moves the row of a thread to the place of another row.
function moveRow(app: App, thread: number, to: number): void {
  const { store } = app;
  const ids = store.rows.peek().rows.map((row) => row.thread.id);
  store.order.value = movedOrder(ids, store.order.peek().length, thread, to);
}

export function stepRow(app: App, thread: number, by: number): void {
  const ids = app.store.rows.peek().rows.map((row) => row.thread.id);
  moveRow(app, thread, ids.indexOf(thread) + by);
}

// Follows a press on the label of a row, which may become a drag; `contentY` turns a height on the
// screen into one within the rows.
export function dragRow(
  app: App,
  event: PointerEvent,
  thread: number,
  contentY: (clientY: number) => number,
): void {
  if (event.button !== 0 || event.pointerType === "touch") return;
  if (!(event.currentTarget instanceof HTMLElement)) return;
  const element = event.currentTarget;
  const startY = event.clientY;
  let isMoved = false;
  const abort = new AbortController();
  const { signal } = abort;
  const move = (moved: PointerEvent): void => {
    if (!isMoved && Math.abs(moved.clientY - startY) < DRAG_PX) return;
    if (!isMoved) element.setPointerCapture(moved.pointerId);
    isMoved = true;
    element.classList.add("row-dragged");
    const layout = app.store.rows.peek();
    const to = placeAt(layout, thread, contentY(moved.clientY));
    if (to !== null) moveRow(app, thread, to);
  };
  const end = (): void => {
    element.classList.remove("row-dragged");
    abort.abort();
  };
  self.addEventListener("pointermove", move, { signal });
  self.addEventListener("pointerup", end, { signal });
  self.addEventListener("pointercancel", end, { signal });
  // The click at the end of a drag must not fold the row.
  element.addEventListener(
    "click",
    (click) => {
      if (isMoved) click.stopPropagation();
    },
    { capture: true, once: true },
  );
}
