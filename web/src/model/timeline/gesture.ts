// Gestures on the time axis as plain arithmetic: two fingers, and the old viewer's drag on its scale.

import { fitRange, spanOf, type Range } from "../../base/time";

export interface TwoFingers {
  readonly view: Range;
  // Where the fingers went down.
  readonly a: number;
  readonly b: number;
}

const CLOSEST_PX = 12;

// The view in which the times that were under the fingers are under them again: moving both pans,
// spreading them zooms.
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

// A drag on the scale in classic mode only ever zooms out: to the right the earlier end moves away,
// to the left the later one, and what was under the pointer stays under it.
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
