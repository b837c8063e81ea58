// What the tab Frames says besides its rows; frames-text.test.ts holds each sentence.

import { formatCount, formatDuration, formatPercent } from "../../base/format";
import { isOver, NO_BUDGET, type Lane, type LaneItem, type LaneKind } from "../timeline/lanes";
import type { CallWords } from "../words";

const MANY: Readonly<Record<LaneKind, string>> = {
  frames: "frames",
  messages: "messages",
  phases: "start-up",
};

// What is looked for: src/analysis/lanes/lane_rules.c.
const SOUGHT: Readonly<Record<LaneKind, string>> = {
  frames: "Choreographer.doFrame or ViewRoot.performTraversals",
  messages: "Handler.dispatchMessage",
  phases:
    "handleBindApplication, callApplicationOnCreate, callActivityOnCreate, callActivityOnStart or callActivityOnResume",
};

// Why nothing is listed: the trace has none, or none where the user looks.
export function noItemsText(
  kind: LaneKind,
  lane: Lane,
  chosen: { readonly hasRange: boolean; readonly hasThreads: boolean },
  words: CallWords,
): string {
  if (lane.count === 0)
    return `No ${MANY[kind]}: no main thread has ${words.many} of ${SOUGHT[kind]}.`;
  const limits = [
    ...(chosen.hasRange ? ["this range"] : []),
    ...(chosen.hasThreads ? ["these threads"] : []),
  ].join(" and ");
  return lane.count > lane.items.length
    ? `None of the ${formatCount(lane.items.length)} longest ${kind} in ${limits}.`
    : `No ${MANY[kind]} in ${limits}.`;
}

// "3 of 40 over 16.7 ms, 7.5 %"; empty where nothing has a budget. Of samples they are runs: what no look came between is one.
export function overText(
  kind: LaneKind,
  items: readonly LaneItem[],
  budget: number,
  isSampled: boolean,
): string {
  if (kind === "phases" || items.length === 0) return "";
  if (budget === NO_BUDGET)
    return `Without the wall clock nobody knows how long a ${kind === "frames" ? "frame" : "message"} took`;
  const late = items.filter((item) => isOver(item, budget)).length;
  return `${formatCount(late)} of ${formatCount(items.length)}${isSampled ? ` runs of ${kind}` : ""} over ${formatDuration(budget)}, ${formatPercent(late, items.length)}`;
}

// What the program left out: of the trace it tells the longest of each lane. Empty where it told all.
export function leftOutText({ count, items }: Lane): string {
  return count <= items.length
    ? ""
    : `among the ${formatCount(items.length)} longest of ${formatCount(count)}`;
}
