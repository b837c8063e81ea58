// What the parts of the timeline share while the mouse moves: the size of the canvas, the scroll position, what is
// under the pointer, and whether a drag is under way.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { LaneItem } from "../model/timeline/lanes";
import type { Box } from "../model/timeline/boxes";
import type { Mark } from "../model/timeline/marks";
import type { TimelineRow } from "../model/timeline/rows";

export interface Hover {
  readonly x: number;
  readonly y: number;
  readonly row: TimelineRow | null;
  readonly box: Box | null;
  // The mark whose flag in the ruler is under the pointer.
  readonly mark: Mark | null;
  // Whether the pointer is on the line of the levels that are the same all over the view.
  readonly isOnLead: boolean;
  // The phase, message or frame under the pointer.
  readonly item: LaneItem | null;
}

interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

export interface TimelineState {
  readonly size: ReadonlySignal<CanvasSize>;
  readonly scrollTop: Signal<number>;
  readonly hover: Signal<Hover | null>;
  readonly isDragging: Signal<boolean>;
  // Whether the wheel was turned where it has nothing to scroll: then a hint says what it can do.
  readonly isWheelIdle: Signal<boolean>;
}

export function createTimelineState(size: ReadonlySignal<CanvasSize>): TimelineState {
  return {
    size,
    scrollTop: signal(0),
    hover: signal(null),
    isDragging: signal(false),
    isWheelIdle: signal(false),
  };
}
