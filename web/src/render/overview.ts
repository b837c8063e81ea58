// The activity strip of the whole trace, with the view between two handles.

import { spanOf, type Range } from "../base/time";
import type { Mark } from "../model/timeline/marks";
import type { WindowAnswer } from "../model/timeline/boxes";
import type { Theme } from "./theme";

const STRIP_TOP = 6;
const STRIP_PITCH = 6.5;
const STRIP_HEIGHT = 5;

// The boxes of all strips, drawn once for each answer on a canvas of their own.
export function drawStrips(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  answer: WindowAnswer,
  fillOf: (ix: number) => string | undefined,
  theme: Theme,
): void {
  context.clearRect(0, 0, width, height);
  const span = Math.max(1, answer.to - answer.from);
  const { boxes } = answer;
  const pitch = Math.min(STRIP_PITCH, (height - STRIP_TOP) / Math.max(1, answer.rows.length));
  answer.rows.forEach((row, line) => {
    const y = STRIP_TOP + line * pitch;
    for (let ix = row.first; ix < row.first + row.count; ix++) {
      const x = (((boxes.start[ix] ?? 0) - answer.from) / span) * width;
      const wide = Math.max(0.7, ((boxes.duration[ix] ?? 0) / span) * width);
      context.fillStyle = fillOf(ix) ?? theme.accent;
      context.fillRect(x, y, wide, Math.max(1, Math.min(STRIP_HEIGHT, pitch - 1)));
    }
  });
}

const CALLS_HEIGHT = 3;

// A line at the foot, with the calls of the selected method in all threads of the strips.
export function drawCalls(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  answer: WindowAnswer,
  theme: Theme,
): void {
  const span = Math.max(1, answer.to - answer.from);
  const { start, duration } = answer.boxes;
  context.fillStyle = theme.isDark ? theme.ink : theme.accent;
  start.forEach((from, ix) => {
    const x = ((from - answer.from) / span) * width;
    const wide = Math.max(2, ((duration[ix] ?? 0) / span) * width);
    context.fillRect(x, height - CALLS_HEIGHT, wide, CALLS_HEIGHT);
  });
}

interface Handles {
  readonly from: number;
  readonly to: number;
}

export function handlesOf(view: Range, end: number, width: number): Handles {
  const span = Math.max(1, end);
  return { from: (view.from / span) * width, to: (view.to / span) * width };
}

export function drawHandles(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  view: Range,
  marks: readonly Mark[],
  end: number,
  theme: Theme,
): void {
  context.clearRect(0, 0, width, height);
  const { from, to } = handlesOf(view, end, width);
  context.fillStyle = theme.shade;
  context.fillRect(0, 0, from, height);
  context.fillRect(to, 0, width - to, height);
  context.fillStyle = theme.mark;
  for (const mark of marks) {
    const x = (mark.from / Math.max(1, end)) * width;
    context.fillRect(x, 0, Math.max(2, (spanOf(mark) / Math.max(1, end)) * width), 3);
  }
  context.fillStyle = theme.accent;
  for (const x of [Math.max(1, from), Math.min(width - 1, Math.max(to, from + 2))]) {
    context.fillRect(x - 1, 0, 2, height);
    context.beginPath();
    context.roundRect(x - 3.5, height / 2 - 8, 7, 16, 3.5);
    context.fill();
  }
}

export type Grip = "from" | "to" | "middle" | "outside";

// The part of the strip that a press at `x` takes hold of.
export function gripAt(handles: Handles, x: number): Grip {
  const toFrom = Math.abs(x - handles.from);
  const toTo = Math.abs(x - handles.to);
  if (Math.min(toFrom, toTo) <= 7) return toFrom <= toTo ? "from" : "to";
  return x > handles.from && x < handles.to ? "middle" : "outside";
}
