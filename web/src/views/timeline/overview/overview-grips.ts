// Drags on the overview: a handle, the middle, or a new range from outside.

import { signal, type ReadonlySignal } from "@preact/signals";
import { fitRange, panRange, spanOf, type Range } from "../../../base/time";
import { gripAt, handlesOf, type Grip } from "../../../render/overview";
import type { App } from "../../../state/page/app";

function createGrips() {
  let grip: Grip | null = null;
  let last = 0;
  let start = 0;
  let isMoved = false;
  return {
    press(taken: Grip, time: number, view: Range, end: number): void {
      // A view of the whole trace has nowhere to be moved to: a drag in it chooses a range.
      grip = taken === "middle" && spanOf(view) >= end ? "outside" : taken;
      last = time;
      start = time;
      isMoved = false;
    },
    move(time: number, view: Range, end: number): Range | null {
      if (grip === null) return null;
      if (!isMoved && Math.abs(time - start) < end / 400) return null;
      isMoved = true;
      const by = time - last;
      last = time;
      if (grip === "from") return fitRange({ from: Math.min(time, view.to - 1), to: view.to }, end);
      if (grip === "to")
        return fitRange({ from: view.from, to: Math.max(time, view.from + 1) }, end);
      return grip === "outside"
        ? fitRange({ from: start, to: time }, end)
        : panRange(view, by, end);
    },
    // Whether the drag chose a range.
    release(): boolean {
      const was = grip;
      grip = null;
      return was !== null && isMoved;
    },
  };
}

interface GripHandlers {
  // What was just dragged is not covered by the browser's hint either, until the pointer has left.
  readonly isDragged: ReadonlySignal<boolean>;
  readonly onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => void;
  readonly onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => void;
  readonly onPointerUp: () => void;
  readonly onPointerLeave: () => void;
}

export function createGripHandlers({ store, views }: App): GripHandlers {
  const grips = createGrips();
  const isDragged = signal(false);
  const end = (): number => store.info.peek()?.span ?? 1;
  const placeOf = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - left;
    return { x, width, time: (x / Math.max(1, width)) * end() };
  };
  return {
    isDragged,
    onPointerDown: (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const view = store.view.peek();
      const { x, width, time } = placeOf(event);
      grips.press(gripAt(handlesOf(view, end(), width), x), time, view, end());
    },
    onPointerMove: (event) => {
      const next = grips.move(placeOf(event).time, store.view.peek(), end());
      if (next === null) return;
      isDragged.value = true;
      views.jumpTo(next);
    },
    onPointerUp: () => {
      if (grips.release()) views.commit(store.view.peek());
    },
    onPointerLeave: () => {
      isDragged.value = false;
    },
  };
}
