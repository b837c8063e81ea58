// The lanes above a thread's stack: phases of the start-up, messages, and frames with the budget that
// a display leaves them.

import { formatDuration } from "../../base/format";
import type { Range } from "../../base/time";
import { taskForms } from "../names";
import type { Clock, Method, PlacedCall } from "../trace";

export const LANE_KINDS = ["phases", "messages", "frames"] as const;
export type LaneKind = (typeof LANE_KINDS)[number];

export const LANE_NAMES: Readonly<Record<LaneKind, string>> = {
  phases: "Start-up",
  messages: "Messages",
  frames: "Frames",
};

// Times are in nanoseconds; those of a frame's parts are undefined where nothing was done.
export interface LaneItem extends PlacedCall {
  readonly kind: LaneKind;
  // The place among all items of the thread's lane that were told, from 1.
  readonly number: number;
  readonly cpu: number | undefined;
  // The recording cut it, so its length is the least that it took.
  readonly isOpenAtEnd: boolean;
  readonly isAdopted: boolean; // it began before the trace
  // Of a phase.
  readonly name: string;
  // What a message did.
  readonly method: Method | null;
  readonly measure: number | undefined;
  readonly layout: number | undefined;
  readonly draw: number | undefined;
  readonly rest: number | undefined;
}

export interface Lane {
  // How many there are in the trace: `items` has the longest.
  readonly count: number;
  readonly items: readonly LaneItem[];
}

export type Lanes = Readonly<Record<LaneKind, Lane>>;

// Most traces of other programs have none.
export function hasItems(lanes: Lanes | null): boolean {
  return lanes !== null && LANE_KINDS.some((kind) => lanes[kind].count > 0);
}

// The lane that is listed as long as none is chosen: the first that has something.
export function firstKind(lanes: Lanes | null): LaneKind {
  const known = ["frames", "messages", "phases"] as const;
  return known.find((kind) => (lanes?.[kind].count ?? 0) > 0) ?? "frames";
}

// How long a frame may take on a display of `hz`.
export const BUDGETS = [
  { hz: 60, ns: 16_666_667 },
  { hz: 90, ns: 11_111_111 },
  { hz: 120, ns: 8_333_333 },
] as const;
export type Hz = (typeof BUDGETS)[number]["hz"];

// Without the wall clock nobody knows how long anything took: nothing is over any budget then.
export const NO_BUDGET = Infinity;

export function budgetOf(hz: Hz, axis: Clock): number {
  if (axis === "cpu") return NO_BUDGET;
  return BUDGETS.find((budget) => budget.hz === hz)?.ns ?? BUDGETS[0].ns;
}

// Phases take as long as they take; messages and frames keep the display waiting.
export function isOver(item: LaneItem, budget: number): boolean {
  return item.kind !== "phases" && item.end - item.start > budget;
}

// Behind the name of an item that the recording cut, as `traceview frames` says it.
export function cutText({ isAdopted, isOpenAtEnd }: LaneItem): string {
  if (isAdopted) return isOpenAtEnd ? " (began before, still open)" : " (began before)";
  return isOpenAtEnd ? " (still open)" : "";
}

// One lane of a thread: its items by start.
export interface Band {
  readonly kind: LaneKind;
  readonly items: readonly LaneItem[];
}

// The lanes of each thread that has any, in the order in which they stand.
export function bandsOf(lanes: Lanes | null): ReadonlyMap<number, readonly Band[]> {
  const bands = new Map<number, Band[]>();
  if (lanes === null) return bands;
  for (const kind of LANE_KINDS) {
    const byThread = new Map<number, LaneItem[]>();
    for (const item of lanes[kind].items) {
      const items = byThread.get(item.thread) ?? [];
      items.push(item);
      byThread.set(item.thread, items);
    }
    for (const [thread, items] of byThread)
      bands.set(thread, [...(bands.get(thread) ?? []), { kind, items }]);
  }
  return bands;
}

// The first item that begins after `time`, as an index.
function firstAfter(items: readonly LaneItem[], time: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.start ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The items of a band that touch the view. Phases may lie within each other, so all of them count.
export function itemsIn(band: Band, view: Range): readonly LaneItem[] {
  const { items, kind } = band;
  if (kind === "phases")
    return items.filter((item) => item.end >= view.from && item.start <= view.to);
  return items.slice(Math.max(0, firstAfter(items, view.from) - 1), firstAfter(items, view.to));
}

// The innermost item at a time, or the nearest one within `reach`.
export function itemAt(band: Band, time: number, reach: number): LaneItem | null {
  const near = itemsIn(band, { from: time - reach, to: time + reach });
  let best: LaneItem | null = null;
  let bestGap = reach;
  for (const item of near) {
    const gap = time < item.start ? item.start - time : time > item.end ? time - item.end : 0;
    if (gap <= bestGap) {
      best = item;
      bestGap = gap;
    }
  }
  return best;
}

// What a box says, from the longest to the shortest way. `outer` names the box around it that has no
// room for its own name.
export function laneForms(item: LaneItem, outer: string): readonly string[] {
  const time = formatDuration(item.end - item.start);
  // A time that is cut would read as another one.
  if (item.kind === "frames") return [time, ""];
  const method = item.method === null ? [] : taskForms(item.method);
  const names = item.kind === "phases" ? [item.name] : method;
  const within = outer === "" ? [] : names.map((name) => `${outer} › ${name}`);
  return [...[...within, ...names].flatMap((name) => [`${name} ${time}`, name])];
}
