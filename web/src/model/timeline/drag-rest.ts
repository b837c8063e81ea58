// The end of a drag that selected a range: what was just selected is covered by no card until the pointer goes on to another
// thing. A hand that only lets the button go moves the pointer by some pixels, and a box may be as wide as the view.

import type { Box } from "./boxes";

// What is under the pointer, as far as it tells one thing from another.
export interface Rested {
  readonly x: number;
  readonly y: number;
  readonly row: { readonly thread: { readonly id: number } } | null;
  readonly box: Pick<Box, "depth" | "call"> | null;
  readonly item: object | null;
  readonly mark: object | null;
}

const TREMBLE_PX = 8;
const FAR_PX = 48;

function isSameThing(a: Rested, b: Rested): boolean {
  return (
    a.row?.thread.id === b.row?.thread.id &&
    a.box?.depth === b.box?.depth &&
    a.box?.call === b.box?.call &&
    a.item === b.item &&
    a.mark === b.mark
  );
}

// Whether the pointer is still where the drag ended.
export function isStillAtRest(ended: Rested, now: Rested): boolean {
  const way = Math.hypot(now.x - ended.x, now.y - ended.y);
  return way <= TREMBLE_PX || (way <= FAR_PX && isSameThing(ended, now));
}
