// The columns of the Profile that tell what a method was in the trace that this one is compared with: on the clock in use,
// beside its numbers now.

import { formatCount, formatMs } from "../../base/format";
import {
  besideWords,
  CHANGED_WORDS,
  callsChange,
  changedText,
  oldCalls,
  oldTime,
  runTimes,
  signedMs,
  spreadsText,
  timeChange,
  type Compared,
} from "../before";
import { runsText, type RunValues } from "../run-values";
import { shownTime, type Measure, type ProfileRow } from "../trace";
import { MEASURE_WORDS } from "../words";

export type OldColumnId =
  "changed" | "old-calls" | `${"old" | "change" | "runs" | "spread"}-${"incl" | "excl"}`;

// What the Profile is sorted by, which the program has no order of: the columns beside another trace.
export const BESIDE_KEYS = [
  "changed",
  "old-calls",
  "old-inclusive",
  "change-inclusive",
  "old-exclusive",
  "change-exclusive",
] as const;
export type BesideKey = (typeof BESIDE_KEYS)[number];

interface ChangeColumn {
  readonly id: string;
  readonly old?: Measure;
}

interface Words {
  readonly label: string;
  readonly title: string;
  readonly width: number;
}

function oldColumn(id: OldColumnId, key: BesideKey, old: Measure, words: Words) {
  return { id, key, old, ...words, clock: null, isPercent: false };
}

// In the order in which menus list them; with several runs a side each time has the runs and their spread, too, which are sorted
// by the change.
export function oldColumns(measure: Measure, hasRuns: boolean) {
  const { label, word } = MEASURE_WORDS[measure];
  const times = (["incl", "excl"] as const).flatMap((side) => {
    const whole = side === "incl" ? ("inclusive" as const) : ("exclusive" as const);
    const words = besideWords(side, label, `${whole} ${word}`, hasRuns);
    const ofRuns = (["runs", "spread"] as const).map((kind) =>
      oldColumn(`${kind}-${side}`, `change-${whole}`, measure, words[kind]),
    );
    return [
      oldColumn(`old-${side}`, `old-${whole}`, measure, words.old),
      oldColumn(`change-${side}`, `change-${whole}`, measure, words.change),
      ...(hasRuns ? ofRuns : []),
    ];
  });
  return [
    oldColumn("changed", "changed", measure, CHANGED_WORDS),
    ...times,
    oldColumn("old-calls", "old-calls", measure, {
      label: "Old calls",
      title: "Old calls, recursive ones too",
      width: 90,
    }),
  ];
}

export function isBesideKey(key: unknown): key is BesideKey {
  return BESIDE_KEYS.some((known) => known === key);
}

// By what a row is sorted; undefined where nothing can be told, which comes last.
export function besideValue(
  row: ProfileRow & Pick<Compared, "before">,
  key: BesideKey,
  measure: Measure,
): number | undefined {
  switch (key) {
    case "changed":
      return callsChange(row.calls + row.recursiveCalls, row);
    case "old-calls":
      return oldCalls(row);
    case "old-inclusive":
    case "old-exclusive":
      return oldTime(row, key === "old-inclusive" ? "inclusive" : "exclusive", measure);
    case "change-inclusive":
    case "change-exclusive":
      return timeChange(row, key === "change-inclusive" ? "inclusive" : "exclusive", measure);
  }
}

function sideOf(id: string): "inclusive" | "exclusive" {
  return id.endsWith("excl") ? "exclusive" : "inclusive";
}

// What is drawn as dots in a column of runs; undefined: another column, or nothing can be told.
export function runsCell(row: Compared, { id, old }: ChangeColumn): RunValues | undefined {
  return old === undefined || !id.startsWith("runs-") ? undefined : runTimes(row, sideOf(id), old);
}

export function oldCell(
  row: Compared & { readonly recursiveCalls: number },
  id: string,
  measure: Measure,
): string {
  if (id === "changed") return changedText(row.calls + row.recursiveCalls, row.before);
  if (id === "old-calls") {
    const calls = oldCalls(row);
    return calls === undefined ? "" : formatCount(calls);
  }
  const side = sideOf(id);
  if (id.startsWith("runs")) return runTextOf(runTimes(row, side, measure));
  if (id.startsWith("spread")) return spreadsText(runTimes(row, side, measure));
  if (id.startsWith("change")) return signedMs(timeChange(row, side, measure));
  const time = oldTime(row, side, measure);
  return time === undefined ? "" : formatMs(shownTime(time, measure));
}

function runTextOf(times: RunValues | undefined): string {
  return times === undefined ? "" : runsText(times);
}

// More or less time than it was, in a column that tells so; else 0.
export function cellChange(row: Compared, { id, old }: ChangeColumn): number {
  if (old === undefined || !id.startsWith("change-")) return 0;
  return timeChange(row, sideOf(id), old) ?? 0;
}

// The columns beside another trace, in their order: each number with what it was.
export function columnsBeside<Id extends string>(inclusive: Id, exclusive: Id, hasRuns: boolean) {
  return [
    "name",
    "changed",
    exclusive,
    "old-excl",
    "change-excl",
    ...(hasRuns ? (["runs-excl"] as const) : []),
    inclusive,
    "old-incl",
    "change-incl",
    ...(hasRuns ? (["runs-incl"] as const) : []),
    "calls",
    "old-calls",
  ] as const;
}
