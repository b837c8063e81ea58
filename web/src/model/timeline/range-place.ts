// Where what is told of a selected range stands, in pixels of the timeline: its tools beside it, and the pill of the pointer
// beside the pill of its length, so that neither covers what was selected.

// The room of the tools, and their distance from the range and from the edges of the chart.
const TOOLS_PX = 424;
const EDGE_PX = 6;
const BETWEEN_PX = 4;

// The left end of the tools of a range that reaches from one pixel to another: behind it where there is room, else before it, and in
// the middle of a range that leaves none.
export function toolsLeft(from: number, to: number, width: number): number {
  const behind = Math.max(0, to) + EDGE_PX;
  const before = Math.min(width, from) - EDGE_PX - TOOLS_PX;
  const last = width - TOOLS_PX - EDGE_PX;
  if (behind <= last) return behind;
  if (before >= EDGE_PX) return before;
  return Math.max(
    EDGE_PX,
    Math.min(last, (Math.max(0, from) + Math.min(width, to) - TOOLS_PX) / 2),
  );
}

interface Span {
  readonly left: number;
  readonly size: number;
}

// The left end of a pill of this size at x: over x where there is room, and beside the other one where both would meet, on the side
// of x if it has room there.
export function pillLeft(x: number, size: number, width: number, other: Span | null): number {
  const last = width - size - 2;
  const left = Math.min(Math.max(2, x - size / 2), last);
  if (other === null) return left;
  const before = other.left - BETWEEN_PX - size;
  const behind = other.left + other.size + BETWEEN_PX;
  if (left >= behind || left <= before) return left;
  const isBefore = x < other.left + other.size / 2;
  if (isBefore) return before >= 2 ? before : behind;
  return behind <= last ? behind : before;
}
