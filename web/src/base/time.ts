// Times are nanoseconds since the trace's start, in a double. A double holds whole numbers up to
// 2^53, which is 104 days of nanoseconds: no trace is that long. While the user zooms, times may be
// fractions; they are rounded before they leave the page.

export interface Range {
  readonly from: number;
  readonly to: number;
}

// Zooming in ends at about one nanosecond a pixel: below it the steps of a double would show.
export const MIN_SPAN_NS = 200;

export function spanOf(range: Range): number {
  return range.to - range.from;
}

export function sameRange(a: Range | null, b: Range | null): boolean {
  if (a === null || b === null) return a === b;
  return a.from === b.from && a.to === b.to;
}

// The range with its ends in order, inside 0..end and not narrower than the smallest span.
export function fitRange(range: Range, end: number): Range {
  const length = Math.max(end, 1);
  const span = Math.min(length, Math.max(MIN_SPAN_NS, Math.abs(range.to - range.from)));
  const low = Math.min(range.from, range.to);
  const from = Math.min(Math.max(0, low), length - span);
  return { from, to: from + span };
}

// What of a range lies inside 0..end; null: nothing.
export function rangeWithin({ from, to }: Range, end: number): Range | null {
  if (to <= from || from >= end) return null;
  return fitRange({ from, to: Math.min(to, end) }, end);
}

// Zooms by `factor` (below 1 zooms in) so that `at` stays where it is.
export function zoomRange(range: Range, at: number, factor: number, end: number): Range {
  const span = Math.min(Math.max(end, 1), Math.max(MIN_SPAN_NS, spanOf(range) * factor));
  const share = spanOf(range) > 0 ? (at - range.from) / spanOf(range) : 0.5;
  const from = at - share * span;
  return fitRange({ from, to: from + span }, end);
}

export function panRange(range: Range, by: number, end: number): Range {
  return fitRange({ from: range.from + by, to: range.to + by }, end);
}

export type ViewEnd = "from" | "to";

// The range with one of its ends moved, not past the other.
export function movedEnd(range: Range, which: ViewEnd, by: number, end: number): Range {
  const from = which === "from" ? Math.min(range.from + by, range.to - MIN_SPAN_NS) : range.from;
  const to = which === "to" ? Math.max(range.to + by, range.from + MIN_SPAN_NS) : range.to;
  return fitRange({ from: Math.max(0, from), to: Math.min(Math.max(1, end), to) }, end);
}

// The range in whole nanoseconds, for a request or a link.
export function wholeRange(range: Range): Range {
  return { from: Math.floor(range.from), to: Math.ceil(range.to) };
}

// Part of the way from one range to another; 0 is the first, 1 the second.
export function blendRange(a: Range, b: Range, share: number): Range {
  return { from: a.from + (b.from - a.from) * share, to: a.to + (b.to - a.to) * share };
}

// The range around `inner` with some air, unless `view` shows all of it already at a fair size.
export function revealRange(view: Range, inner: Range, end: number): Range {
  const size = spanOf(inner);
  const visible = inner.from >= view.from && inner.to <= view.to;
  if (visible && size * 60 >= spanOf(view)) return view;
  const air = size > 0 ? size : spanOf(view) / 400;
  return fitRange({ from: inner.from - air, to: inner.to + air }, end);
}
