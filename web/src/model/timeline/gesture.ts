// Gestures on the time axis as arithmetic: two fingers, the wheel, and the drag on the scale that the old
// viewer has.

import { fitRange, spanOf, type Range } from "../../base/time";

// A pointer that went less far than this between its press and its release has pressed, and dragged nothing.
export const CLICK_PX = 3;

interface PointerPlace {
  readonly clientX: number;
  readonly clientY: number;
}

// Tells clicks from the ends of drags, for what is pressed by its place: a browser has a click wherever a button goes up in the
// element in which it went down, also behind a drag across it.
export class Press {
  #down: PointerPlace | null = null;

  begin({ clientX, clientY }: PointerPlace): void {
    this.#down = { clientX, clientY };
  }

  // A click that no pointer began, as one of a key, ends no drag.
  isClick({ clientX, clientY }: PointerPlace): boolean {
    const down = this.#down;
    this.#down = null;
    return down === null || Math.hypot(clientX - down.clientX, clientY - down.clientY) < CLICK_PX;
  }
}

export interface TwoFingers {
  readonly view: Range;
  // The places where the two fingers went down.
  readonly a: number;
  readonly b: number;
}

const CLOSEST_PX = 12;

// The view in which each finger is on the time that it went down on: fingers that move together
// pan, fingers that move apart zoom.
export function pinchView(
  start: TwoFingers,
  a: number,
  b: number,
  width: number,
  end: number,
): Range {
  const scale = spanOf(start.view) / Math.max(1, width);
  const [low, high] = start.a <= start.b ? [start.a, start.b] : [start.b, start.a];
  const [left, right] = a <= b ? [a, b] : [b, a];
  const before = Math.max(CLOSEST_PX, high - low);
  const after = Math.max(CLOSEST_PX, right - left);
  const time = start.view.from + ((low + high) / 2) * scale;
  const span = Math.min(Math.max(end, 1), spanOf(start.view) * (before / after));
  const from = time - ((left + right) / 2 / Math.max(1, width)) * span;
  return fitRange({ from, to: from + span }, end);
}

const NEAREST_SHARE = 0.02;

// The view after a drag on the scale in classic mode, which only zooms out: a drag to the right
// moves the start of the view away, a drag to the left its end, and the time under the pointer
// stays under it.
export function stretchView(
  view: Range,
  startX: number,
  x: number,
  width: number,
  end: number,
): Range {
  const size = Math.max(1, width);
  const time = view.from + (startX / size) * spanOf(view);
  const share = Math.min(1 - NEAREST_SHARE, Math.max(NEAREST_SHARE, x / size));
  if (x > startX)
    return { from: Math.max(0, view.to - (view.to - time) / (1 - share)), to: view.to };
  return {
    from: view.from,
    to: Math.min(Math.max(end, 1), view.from + (time - view.from) / share),
  };
}

type Wheel = Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode" | "shiftKey">;

// How many times as long the wheel makes the view.
export function wheelFactor({ deltaY, deltaMode }: Wheel): number {
  return Math.exp(Math.max(-1, Math.min(1, deltaY / (deltaMode === 0 ? 240 : 6))));
}

// How far the wheel pans, in pixels; 0: it was turned up or down.
export function wheelSideways({ deltaX, deltaY, shiftKey }: Wheel): number {
  const sideways = shiftKey ? deltaY || deltaX : deltaX;
  return Math.abs(sideways) > Math.abs(shiftKey ? 0 : deltaY) ? sideways : 0;
}
