// Mouse, touch and wheel on the timeline (docs/viewer.md, "Gestures"). A drag selects a range, a
// drag with Shift or the middle button pans, the wheel with Ctrl zooms. In classic mode a drag
// zooms, and so does the bare wheel.

import { effect, untracked } from "@preact/signals";
import {
  CLICK_PX,
  pinchView,
  stretchView,
  wheelFactor,
  wheelSideways,
  type TwoFingers,
} from "../../model/timeline/gesture";
import { isStillAtRest } from "../../model/timeline/drag-rest";
import { spanOf, type Range } from "../../base/time";
import { RULER_HEIGHT, timeOf } from "../../render/ruler";
import type { App } from "../../state/page/app";
import { openSource } from "../shared/method-actions";
import { openTimelineMenu } from "./timeline-menu";
import { togglePlain } from "../../state/actions/choose";
import type { Hover, TimelineState } from "../../state/timeline";
import { hitBox } from "./timeline-hit";

// "stretch" is the old viewer's drag on its scale, in classic mode only.
type DragKind = "pick" | "pan" | "stretch";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Drag {
  readonly startX: number;
  readonly startTime: number;
  readonly startView: Range;
  readonly kind: DragKind;
  lastX: number;
  isMoved: boolean;
}

// Whether the rows can scroll on in the direction of the wheel.
function canScroll(element: HTMLElement, by: number): boolean {
  const scroller = element.closest(".timeline-scroll");
  if (scroller === null || by === 0) return true;
  const { scrollTop, clientHeight, scrollHeight } = scroller;
  return by > 0 ? scrollTop + clientHeight < scrollHeight - 1 : scrollTop > 0;
}

export function attachTimelineInput(
  element: HTMLElement,
  app: App,
  state: TimelineState,
): () => void {
  const { store, views, select } = app;
  let drag: Drag | null = null;
  let rested: Hover | null = null;
  const fingers = new Map<number, number>();
  let pinch: TwoFingers | null = null;

  const end = (): number => store.info.peek()?.span ?? 1;
  const pointOf = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const timeAt = (x: number): number => timeOf(x, store.view.peek(), state.size.peek().width);

  // What is under the pointer; null: it has not gone on since a drag.
  const hoverAt = (x: number, y: number): void => {
    store.pointer.value = { time: timeAt(x) };
    const hit = hitBox(store, state, x, y);
    if (rested !== null && !isStillAtRest(rested, hit)) rested = null;
    state.hover.value = rested === null ? hit : null;
    element.style.cursor = hit.isOnLead || hit.item !== null ? "pointer" : "";
  };

  const kindOf = (event: PointerEvent, y: number): DragKind => {
    if (event.shiftKey || event.button === 1) return "pan";
    return y < RULER_HEIGHT && store.settings.peek().isClassic ? "stretch" : "pick";
  };

  // A second finger ends the drag that the first one began.
  const startPinch = (): void => {
    const [a, b] = [...fingers.values()];
    if (a === undefined || b === undefined) return;
    pinch = { view: store.view.peek(), a, b };
    if (drag?.isMoved === true) store.picked.value = null;
    drag = null;
    state.isDragging.value = true;
  };

  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) return;
    const { x, y } = pointOf(event);
    rested = null;
    element.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") fingers.set(event.pointerId, x);
    if (fingers.size === 2) return startPinch();
    const startView = store.view.peek();
    const kind = kindOf(event, y);
    drag = { startX: x, startTime: timeAt(x), startView, kind, lastX: x, isMoved: false };
  };

  const onMove = (event: PointerEvent): void => {
    const { x, y } = pointOf(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, x);
    if (pinch !== null) {
      const [a = 0, b = 0] = [...fingers.values()];
      views.jumpTo(pinchView(pinch, a, b, state.size.peek().width, end()));
      return;
    }
    if (drag === null) return hoverAt(x, y);
    if (!drag.isMoved && Math.abs(x - drag.startX) < CLICK_PX) return;
    drag.isMoved = true;
    state.isDragging.value = true;
    store.pointer.value = { time: timeAt(x) };
    const { width } = state.size.peek();
    if (drag.kind === "pan") {
      const by = ((drag.lastX - x) / Math.max(1, width)) * spanOf(store.view.peek());
      views.panFrom(store.view.peek(), by);
    } else if (drag.kind === "stretch")
      views.jumpTo(stretchView(drag.startView, drag.startX, x, width, end()));
    else {
      const now = Math.min(Math.max(timeAt(x), 0), end());
      const from = Math.min(Math.max(0, drag.startTime), now);
      store.picked.value = { from, to: Math.max(from + 1, drag.startTime, now) };
    }
    drag.lastX = x;
    state.hover.value = { x, y, row: null, box: null, mark: null, isOnLead: false, item: null };
  };

  // A press within the selected range is about what is in it, and leaves it.
  const isInPicked = (time: number): boolean => {
    const picked = store.picked.peek();
    return picked !== null && time >= picked.from && time <= picked.to;
  };

  const click = (x: number, y: number, isSource: boolean): void => {
    const hit = hitBox(store, state, x, y);
    if (hit.mark !== null) return app.marks.jump(hit.mark);
    if (!isInPicked(timeAt(x))) store.picked.value = null;
    if (hit.row === null) return;
    if (hit.isOnLead) return togglePlain(store, hit.row.thread.id);
    if (hit.item !== null) return select.call(hit.item);
    const method = hit.box === null || !isSource ? undefined : store.names.get(hit.box.rank);
    if (method !== undefined) openSource(app, method);
    if (hit.box === null) select.clear();
    else select.call({ thread: hit.row.thread.id, depth: hit.box.depth, call: hit.box.call });
  };

  const onUp = (event: PointerEvent): void => {
    const { x, y } = pointOf(event);
    const was = drag;
    fingers.delete(event.pointerId);
    if (pinch !== null && fingers.size > 0) return;
    pinch = null;
    drag = null;
    state.isDragging.value = false;
    if (was === null) return;
    if (!was.isMoved) click(x, y, event.ctrlKey || event.metaKey);
    else if (was.kind === "pick") {
      if (store.settings.peek().isClassic) views.zoomToPicked();
      rested = hitBox(store, state, x, y);
    }
    hoverAt(x, y);
  };

  const onDouble = (event: MouseEvent): void => {
    const { x, y } = pointOf(event);
    if (y < RULER_HEIGHT) return views.wholeTrace();
    const hit = hitBox(store, state, x, y);
    const { box, item } = hit;
    const span = box === null ? item : { start: box.start, end: box.start + box.duration };
    if (span === null) return;
    const air = Math.max(1, (span.end - span.start) * 0.03);
    views.glideTo({ from: span.start - air, to: span.end + air });
  };

  const onWheel = (event: WheelEvent): void => {
    const isClassic = store.settings.peek().isClassic;
    const isZoom = event.ctrlKey || event.metaKey || (isClassic && !event.shiftKey);
    const sideways = wheelSideways(event);
    const { x, y } = pointOf(event);
    if (isZoom) {
      event.preventDefault();
      views.zoomFrom(store.view.peek(), timeAt(x), wheelFactor(event));
    } else if (sideways !== 0) {
      event.preventDefault();
      const by = (sideways / Math.max(1, state.size.peek().width)) * spanOf(store.view.peek());
      views.panFrom(store.view.peek(), by);
    } else {
      if (!canScroll(element, event.deltaY)) state.isWheelIdle.value = true;
      return;
    }
    state.isWheelIdle.value = false;
    hoverAt(x, y);
  };

  const onLeave = (): void => {
    if (drag !== null) return;
    state.hover.value = null;
    store.pointer.value = null;
  };

  const onCancel = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
    pinch = null;
    if (drag?.isMoved === true && drag.kind === "pick") store.picked.value = null;
    drag = null;
    state.isDragging.value = false;
  };

  const onMenu = (event: MouseEvent): void => {
    event.preventDefault();
    const { x, y } = pointOf(event);
    const isInRange = isInPicked(timeAt(x));
    if (!isInRange) store.picked.value = null;
    const at = { x: event.clientX, y: event.clientY };
    openTimelineMenu(app, hitBox(store, state, x, y), at, isInRange);
  };

  // Without this the middle button would start the scrolling of the browser.
  const onMiddle = (event: MouseEvent): void => {
    if (event.button === 1) event.preventDefault();
  };

  // What is under a pointer that rests changes with the rows and the view.
  const endHover = effect(() => {
    void state.scrollTop.value;
    void store.view.value;
    void store.rows.value;
    void store.tiles.version.value;
    untracked(() => {
      const hover = state.hover.peek();
      if (hover !== null && drag === null && pinch === null) hoverAt(hover.x, hover.y);
    });
  });

  const abort = new AbortController();
  element.addEventListener("pointerdown", onDown, { signal: abort.signal });
  element.addEventListener("pointermove", onMove, { signal: abort.signal });
  element.addEventListener("pointerup", onUp, { signal: abort.signal });
  element.addEventListener("pointercancel", onCancel, { signal: abort.signal });
  element.addEventListener("pointerleave", onLeave, { signal: abort.signal });
  element.addEventListener("contextmenu", onMenu, { signal: abort.signal });
  element.addEventListener("mousedown", onMiddle, { signal: abort.signal });
  element.addEventListener("dblclick", onDouble, { signal: abort.signal });
  element.addEventListener("wheel", onWheel, { signal: abort.signal, passive: false });
  return () => {
    endHover();
    abort.abort();
  };
}
