// The columns of the table of changes.

import { formatCount, formatMs, plural, signOf } from "../../base/format";
import { countColumn, textColumn, timeColumn } from "../table/column-kinds";
import type { TableColumn } from "../table/table";
import { MEASURE_WORDS } from "../words";
import { runsText, spreadOf, spreadText } from "../run-values";
import type { RunsSide } from "./runs";
import {
  callsText,
  differenceOf,
  OF_TRACES,
  signedShare,
  TIMES_FROM,
  type Change,
  type Changes,
  type SideWords,
} from "./changes";

const SIGNED_WIDTH = 96;

// A difference in milliseconds, sorted by its size, with its sign.
function signedColumn(
  id: string,
  label: string,
  title: string,
  get: (change: Change) => number,
  isUsual = true,
): TableColumn<Change> {
  return {
    id,
    label,
    title: `${title}; sorted by its size`,
    csv: `${id.replaceAll("-", "_")}_ns`,
    width: SIGNED_WIDTH,
    isUsual,
    value: (change) => Math.abs(get(change)),
    text: (change) => {
      const ns = get(change);
      return `${signOf(ns)}${formatMs(Math.abs(ns))}`;
    },
  };
}

function callsColumn(id: "old-calls" | "new-calls", label: string): TableColumn<Change> {
  const side = id === "old-calls" ? "old" : "new";
  return {
    ...countColumn<Change>({
      id,
      label,
      title: `How often it was called on the side “${label.replace(" calls", "")}”`,
      csv: id.replace("-", "_"),
      get: (change) => change[side].calls[1],
    }),
    text: (change) => callsText(change[side].calls),
  };
}

function decidedText({ test }: Change): string {
  return test?.runsToDecide == null ? "" : ` ${plural(test.runsToDecide, "run")} would tell`;
}

// What is certain about the calls, and what is not about the time.
export function verdictText(
  change: Change,
  isOneSample: boolean,
  words: SideWords = OF_TRACES,
): string {
  const { calls, time } = change;
  // What was sampled, or lost, may have been called all the same.
  const [isNew, isGone] = [change.old.calls[1] === 0, change.new.calls[1] === 0];
  if (isNew) return calls === null ? `none in ${words.old.toLowerCase()}` : words.kinds.new;
  if (isGone) return calls === null ? `none in ${words.new.toLowerCase()}` : words.kinds.gone;
  const ofTime = isOneSample
    ? ""
    : time === "changed"
      ? "time"
      : time === "undecided"
        ? `time?${decidedText(change)}`
        : "";
  const ofCalls =
    calls === "changed"
      ? `calls ${change.new.calls[0] > change.old.calls[1] ? "+" : "−"}${formatCount(
          Math.abs(change.new.calls[1] - change.old.calls[1]),
        )}`
      : calls === "undecided"
        ? "calls vary"
        : "";
  return [ofCalls, ofTime].filter((word) => word !== "").join(", ");
}

// A p as the command tells it: what is less than a millionth has no digits.
function chanceText(p: number): string {
  return p < 1e-6 ? "< 0.000001" : String(Number(p.toPrecision(2)));
}

function spreadColumn(side: RunsSide, word: string): TableColumn<Change> {
  const of = (change: Change): readonly number[] => change.runs?.[side] ?? [];
  return {
    id: `${side}-spread`,
    label: `${word} spread, ms`,
    title: `The shortest and the longest time of the runs of the side “${word}”; sorted by the difference`,
    csv: `${side}_spread_ns`,
    width: 142,
    isUsual: true,
    value: (change) => spreadOf(of(change)),
    text: (change) => spreadText(of(change)),
  };
}

// What several runs tell.
const RUN_COLUMNS: readonly TableColumn<Change>[] = [
  {
    id: "runs",
    label: "Runs",
    title:
      "The time of each run, the old ones above, the new ones below, from nothing to the longest",
    csv: "runs_ms",
    width: 128,
    isText: true,
    isUsual: true,
    value: (change) => (change.runs === null ? undefined : runsText(change.runs)),
    sortedBy: (change) => Math.abs(differenceOf(change)),
    text: (change) => (change.runs === null ? "" : runsText(change.runs)),
  },
  {
    id: "p",
    label: "p",
    title:
      "The chance of such a time, were the change the stated minimum, adjusted for the number of methods; empty: not tested",
    csv: "p",
    width: 84,
    isUsual: true,
    value: (change) => change.test?.p,
    text: (change) => (change.test === null ? "" : chanceText(change.test.p)),
  },
];

// What the change is made of.
const PART_COLUMNS: readonly TableColumn<Change>[] = [
  signedColumn(
    "by-calls",
    "By calls",
    "What more or fewer calls bring, at what a call cost before",
    (change) => change.byCalls,
  ),
  signedColumn(
    "by-cost",
    "By cost",
    "What dearer or cheaper calls bring",
    (change) => change.byCost,
  ),
];

export function changeColumns(
  changes: Changes,
  words: SideWords = OF_TRACES,
): TableColumn<Change>[] {
  const time = MEASURE_WORDS[changes.clock].word;
  const hasRuns = changes.old.runs + changes.new.runs > 2;
  const median = hasRuns ? ", median of the runs" : "";
  const columns: TableColumn<Change>[] = [
    textColumn<Change>({
      id: "name",
      label: "Method",
      title: "Methods of both sides are one where class, name and signature are",
      csv: "method",
      get: (change) => change.method,
    }),
    callsColumn("old-calls", `${words.old} calls`),
    callsColumn("new-calls", `${words.new} calls`),
    textColumn<Change>({
      id: "verdict",
      label: "Changed",
      width: hasRuns ? 150 : 110,
      title: changes.isOneSample
        ? "Counts of calls are certain; times are one sample and decide nothing"
        : "What changed by more than the stated minimum",
      get: (change) => verdictText(change, changes.isOneSample, words),
    }),
    ...(hasRuns ? RUN_COLUMNS : []),
    timeColumn<Change>({
      id: "old-time",
      label: `${words.old}, ms`,
      title: `${changes.by} ${time} on the side “${words.old}”${median}`,
      get: (change) => change.old.time,
    }),
    timeColumn<Change>({
      id: "new-time",
      label: `${words.new}, ms`,
      title: `${changes.by} ${time} on the side “${words.new}”${median}`,
      get: (change) => change.new.time,
    }),
    ...(hasRuns ? [spreadColumn("old", words.old), spreadColumn("new", words.new)] : []),
    signedColumn(
      "change",
      "Change, ms",
      `${words.new} less ${words.old.toLowerCase()}`,
      differenceOf,
    ),
    {
      id: "share",
      label: `Of ${words.old.toLowerCase()}`,
      title: "The change as a share of that side's time",
      csv: "change_percent",
      width: 84,
      isUsual: true,
      value: (change) =>
        change.old.time > 0 ? Math.abs(differenceOf(change)) / change.old.time : undefined,
      text: (change) =>
        change.old.time > 0 && change.new.time / change.old.time >= TIMES_FROM
          ? `× ${formatCount(Math.round(change.new.time / change.old.time))}`
          : signedShare(change.new.time, change.old.time),
    },
    // Counts that are not compared split nothing.
    ...(changes.callsVerdicts === null ? [] : PART_COLUMNS),
  ];
  return columns;
}
