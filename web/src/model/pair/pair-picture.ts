// The small timelines of two calls as arithmetic: their rows, and which moments of both stand for each other.

import type { Detail } from "../detail/detail";
import { DEPTH_PITCH, depthY, layoutRows, type RowLayout } from "../timeline/rows";
import type { CallDetail, Thread } from "../trace";

const NONE: ReadonlySet<number> = new Set();

// The stack of the call's thread, in its whole depth.
export function callLayout(thread: Thread): RowLayout {
  const all = new Set([thread.id]);
  return layoutRows([thread], {
    unfolded: all,
    deep: all,
    pinned: NONE,
    short: 1,
    leads: new Map(),
    bands: new Map(),
  });
}

// Where the call's own row begins in the layout: its stack is shown from there on.
export function topOf(layout: RowLayout, call: Pick<CallDetail, "depth">): number {
  const [row] = layout.rows;
  return row === undefined ? 0 : depthY(row, call.depth);
}

// The height of all rows from the call down.
export function stackHeight(thread: Thread, call: Pick<CallDetail, "depth">): number {
  return Math.max(1, thread.maxDepth - call.depth) * DEPTH_PITCH;
}

interface JoinedMoment {
  // Each from the start of its call.
  readonly this: number;
  readonly other: number;
}

// The start and the end of the longest call of each method that both calls made themselves.
export function joinedMoments(
  own: { readonly call: CallDetail; readonly detail: Detail },
  other: { readonly call: CallDetail; readonly detail: Detail },
): JoinedMoment[] {
  return own.detail.parts.flatMap((part) => {
    const same = other.detail.parts.find(({ method }) => method.rank === part.method.rank);
    const [a, b] = [part.longest, same?.longest];
    if (a === null || b === null || b === undefined) return [];
    const at = (mine: number, its: number): JoinedMoment => ({
      this: mine - own.call.start,
      other: its - other.call.start,
    });
    return [at(a.start, b.start), at(a.end, b.end)];
  });
}
