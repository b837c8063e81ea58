// Mouse, touch and keys on the timelines of two calls: what moves one moves both. A drag pans, the wheel with Ctrl zooms.

import { panRange, spanOf, zoomRange, type Range } from "../../base/time";
import { CLICK_PX, wheelFactor, wheelSideways } from "../../model/timeline/gesture";

interface Moving {
  readonly view: () => Range;
  readonly whole: () => number;
  readonly width: () => number;
  show(view: Range): void;
  // A press that was no drag.
  press(at: { readonly x: number; readonly y: number }): void;
  hover(at: { readonly x: number; readonly y: number } | null): void;
}

const STEP = 0.2;
const ZOOM = 0.6;

// The view after a key; null: the key is for somebody else.
export function keyView(event: KeyboardEvent, view: Range, whole: number): Range | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const middle = (view.from + view.to) / 2;
  switch (event.code) {
    case "KeyW":
      return zoomRange(view, middle, ZOOM, whole);
    case "KeyS":
      return zoomRange(view, middle, 1 / ZOOM, whole);
    case "KeyA":
      return panRange(view, -spanOf(view) * STEP, whole);
    case "KeyD":
      return panRange(view, spanOf(view) * STEP, whole);
    case "Digit0":
      return { from: 0, to: whole };
  }
  return null;
}

export function attachPairInput(element: HTMLElement, moving: Moving): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let drag: { readonly x: number; readonly view: Range; isMoved: boolean } | null = null;
  const pointOf = (event: MouseEvent): { x: number; y: number } => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const timeAt = (x: number): number => {
    const view = moving.view();
    return view.from + (x / Math.max(1, moving.width())) * spanOf(view);
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    drag = { x: pointOf(event).x, view: moving.view(), isMoved: false };
  };
  const onMove = (event: PointerEvent): void => {
    const at = pointOf(event);
    if (drag === null) return moving.hover(at);
    if (!drag.isMoved && Math.abs(at.x - drag.x) < CLICK_PX) return;
    drag.isMoved = true;
    const by = ((drag.x - at.x) / Math.max(1, moving.width())) * spanOf(drag.view);
    moving.show(panRange(drag.view, by, moving.whole()));
  };
  const onUp = (event: PointerEvent): void => {
    if (drag?.isMoved === false) moving.press(pointOf(event));
    drag = null;
  };
  const onWheel = (event: WheelEvent): void => {
    const sideways = wheelSideways(event);
    const view = moving.view();
    if (event.ctrlKey || event.metaKey)
      moving.show(zoomRange(view, timeAt(pointOf(event).x), wheelFactor(event), moving.whole()));
    else if (sideways !== 0)
      moving.show(
        panRange(view, (sideways / Math.max(1, moving.width())) * spanOf(view), moving.whole()),
      );
    else return;
    event.preventDefault();
  };
  element.addEventListener("pointerdown", onDown, { signal });
  element.addEventListener("pointermove", onMove, { signal });
  element.addEventListener("pointerup", onUp, { signal });
  element.addEventListener("pointercancel", () => (drag = null), { signal });
  element.addEventListener("pointerleave", () => moving.hover(null), { signal });
  element.addEventListener("wheel", onWheel, { signal, passive: false });
  return () => abort.abort();
}
