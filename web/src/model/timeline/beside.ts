// Two timelines above each other: which threads and moments of one trace are those of the other, and where the lines between
// them go. "New" is the trace of the page, "old" the one that it is compared with.

import type { Range } from "../../base/time";
import type { Lanes } from "./lanes";
import type { RowLayout } from "./rows";
import type { PlacedCall, Thread } from "../trace";

// What stands above each other: the starts of both traces, or the first call of one kind. A method is named as in a link.
export type Align =
  | { readonly kind: "start" | "start-up" | "first-frame" }
  | { readonly kind: "method"; readonly method: string };

const FROM_START: Align = { kind: "start" };

// How the other trace is shown.
export interface OldView {
  readonly align: Align;
  readonly isHidden: boolean;
}

export const OLD_SHOWN: OldView = { align: FROM_START, isHidden: false };

const METHOD = "method:";

export function writeAlign(align: Align): string {
  return align.kind === "method" ? METHOD + align.method : align.kind;
}

export function readAlign(text: string | null): Align {
  if (text?.startsWith(METHOD) === true)
    return { kind: "method", method: text.slice(METHOD.length) };
  return text === "start-up" || text === "first-frame" ? { kind: text } : FROM_START;
}

export function shiftRange(range: Range, by: number): Range {
  return { from: range.from + by, to: range.to + by };
}

// The threads of one trace by those of the other: of the same name, the same id first.
export function pairThreads(
  from: readonly Thread[],
  to: readonly Thread[],
): ReadonlyMap<number, number> {
  const left = [...to];
  const pairs = new Map<number, number>();
  const pair = (isIt: (thread: Thread, other: Thread) => boolean): void => {
    for (const thread of from) {
      if (pairs.has(thread.id)) continue;
      const ix = left.findIndex((other) => isIt(thread, other));
      const [other] = ix < 0 ? [] : left.splice(ix, 1);
      if (other !== undefined) pairs.set(thread.id, other.id);
    }
  };
  pair((thread, other) => thread.name === other.name && thread.id === other.id);
  pair((thread, other) => thread.name === other.name);
  return pairs;
}

export function mapIds(
  ids: Iterable<number>,
  pairs: ReadonlyMap<number, number>,
): ReadonlySet<number> {
  return new Set([...ids].flatMap((id) => pairs.get(id) ?? []));
}

// Where the rows of the other timeline are scrolled to, so that the thread at the top is the same one; null: it has no row.
export function scrollBeside(
  from: RowLayout,
  to: RowLayout,
  pairs: ReadonlyMap<number, number>,
  top: number,
): number | null {
  const row = from.rows.find((candidate) => candidate.y + candidate.height > top);
  const other = to.rows.find(
    (candidate) => candidate.thread.id === pairs.get(row?.thread.id ?? -1),
  );
  if (row === undefined || other === undefined) return null;
  return Math.round(other.y + Math.min(top - row.y, Math.max(0, other.height - 1)));
}

// When the first call of a kind began; null: the trace has none.
export function anchorOf(lanes: Lanes | null, kind: "start-up" | "first-frame"): number | null {
  const items = lanes?.[kind === "start-up" ? "phases" : "frames"].items ?? [];
  return items.length === 0 ? null : Math.min(...items.map((item) => item.start));
}

// A moment of both traces.
export interface Moment {
  readonly name: string;
  readonly new: number;
  readonly old: number;
}

// The phases of the start-up that both have, and both ends of the selected calls.
export function momentsOf(
  lanes: { readonly new: Lanes | null; readonly old: Lanes | null },
  calls: { readonly new: PlacedCall | null; readonly old: PlacedCall | null },
): readonly Moment[] {
  const moments: Moment[] = [];
  for (const phase of lanes.new?.phases.items ?? []) {
    const other = lanes.old?.phases.items.find(({ name }) => name === phase.name);
    if (other !== undefined) moments.push({ name: phase.name, new: phase.start, old: other.start });
  }
  const frames = {
    new: anchorOf(lanes.new, "first-frame"),
    old: anchorOf(lanes.old, "first-frame"),
  };
  if (frames.new !== null && frames.old !== null)
    moments.push({ name: "first frame", new: frames.new, old: frames.old });
  if (calls.new !== null && calls.old !== null) {
    moments.push({ name: "the call begins", new: calls.new.start, old: calls.old.start });
    moments.push({ name: "the call ends", new: calls.new.end, old: calls.old.end });
  }
  return moments;
}
