// What the cards over the timeline say: of a box and its call, of an item of a lane, of a mark. All such sentences stand
// here, beside what they are made of; card-text.test.ts holds each of them.

import { formatCount, formatDuration, formatRange } from "../../base/format";
import { fullName } from "../names";
import {
  hasMeasure,
  shownTime,
  timeOn,
  type CallDetail,
  type Clock,
  type TraceInfo,
} from "../trace";
import { unrecordedText } from "../waits";
import { callWords, MEASURE_WORDS, type CallWords, type CardLine } from "../words";
import { BOX_ADOPTED, BOX_OMITS, BOX_OPEN_AT_END } from "./boxes";
import { medianNote, shareNote, type CallReference } from "./call-reference";
import { cutText, isOver, type Lane, type LaneItem } from "./lanes";
import type { Mark } from "./marks";

const CLOCK_NAMES: Record<Clock, string> = { wall: "wall", cpu: "CPU" };

// Of a box that stands for several calls; empty of any other.
export function thinText(count: number, words: CallWords): string {
  return count > 1 ? `${formatCount(count)} ${words.many} in less than a pixel; the longest:` : "";
}

// What is known of a box until the answer about its call is there.
export function boxLines(duration: number, axis: Clock): readonly CardLine[] {
  return [{ name: CLOCK_NAMES[axis], text: formatDuration(duration) }];
}

function waitNote({ isWaiting, unrecorded = 0 }: CallDetail): string {
  return [
    ...(isWaiting ? ["waiting itself"] : []),
    ...(unrecorded > 0 ? [unrecordedText(unrecorded)] : []),
  ].join(", ");
}

// The numbers of a call; `reference` is null until it is known.
export function callLines(
  call: CallDetail,
  info: Pick<TraceInfo, "clocks" | "axis" | "sampled">,
  reference: CallReference | null,
): readonly CardLine[] {
  const hasBoth = hasMeasure(info, "wait");
  const clocks = (["wall", "cpu"] as const).flatMap((clock): CardLine[] => {
    const ns = hasMeasure(info, clock) ? call.times[clock] : undefined;
    if (ns === undefined) return [];
    const note = reference === null ? "" : shareNote(call, clock, info.axis, reference);
    return [{ name: CLOCK_NAMES[clock], text: formatDuration(ns), note }];
  });
  const wait = hasBoth ? timeOn(call.times, "wait") : undefined;
  const own: Clock = call.exclusive.wall === undefined ? "cpu" : "wall";
  return [
    ...clocks,
    ...(wait === undefined
      ? []
      : [
          {
            name: "wait",
            text: formatDuration(shownTime(wait, "wait")),
            note: waitNote(call),
          },
        ]),
    {
      name: "exclusive",
      text: formatDuration(call.exclusive[own] ?? 0),
      note: hasBoth ? MEASURE_WORDS[own].word : "",
    },
    {
      name: callWords(info.sampled).one,
      text: `${formatCount(call.ordinal + 1)} of ${formatCount(call.of)}`,
      note: reference === null ? "" : medianNote(call, reference),
    },
  ];
}

// What is odd about a box.
export function oddText(flags: number, words: CallWords): string {
  return [
    (flags & BOX_OPEN_AT_END) !== 0 ? " · still open at the end" : "",
    (flags & BOX_ADOPTED) !== 0 ? " · began before the trace" : "",
    (flags & BOX_OMITS) !== 0 ? ` · ${words.many} of hidden packages are left out` : "",
  ].join("");
}

// "Frame 3 of 40 (still open)".
export function laneTitle(item: LaneItem, lane: Lane | null): string {
  return `${itemTitle(item, lane)}${cutText(item)}`;
}

// A frame is counted of its thread, and of the longest ones where the program told no others.
function itemTitle(item: LaneItem, lane: Lane | null): string {
  if (item.kind === "phases") return item.name;
  if (item.kind === "messages") return item.method === null ? "Message" : fullName(item.method);
  if (lane === null) return `Frame ${formatCount(item.number)}`;
  const told = lane.items.filter((other) => other.thread === item.thread).length;
  return lane.count > lane.items.length
    ? `Frame ${formatCount(item.number)} of the ${formatCount(told)} longest`
    : `Frame ${formatCount(item.number)} of ${formatCount(told)}`;
}

// How long an item took, on the clock of the axis and on the thread's own, and its parts.
export function laneLines(item: LaneItem, axis: Clock): readonly CardLine[] {
  const time = item.end - item.start;
  const parts: readonly (readonly [string, number | undefined])[] = [
    ["CPU", axis === "cpu" ? undefined : item.cpu],
    ["measure", item.measure],
    ["layout", item.layout],
    ["draw", item.draw],
    ["other", item.rest === time ? undefined : item.rest],
  ];
  return [
    { name: CLOCK_NAMES[axis], text: formatDuration(time) },
    ...parts.flatMap(([name, ns]) =>
      ns === undefined ? [] : [{ name, text: formatDuration(ns) }],
    ),
  ];
}

// Empty of an item that is not late.
export function lateText(item: LaneItem, budget: number): string {
  const over = item.end - item.start - budget;
  return isOver(item, budget)
    ? `${formatDuration(over)} over the budget of ${formatDuration(budget)}`
    : "";
}

export function markTitle(mark: Mark, marks: readonly Mark[]): string {
  return mark.text === "" ? `Mark ${marks.indexOf(mark) + 1}` : mark.text;
}

export function markText(mark: Mark): string {
  return `${formatRange(mark.from, mark.to)} · ${formatDuration(mark.to - mark.from)}`;
}
