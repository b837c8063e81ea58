// The columns of the Profile that tell what a method was in the trace that this one is compared with: on the clock in use,
// beside its numbers now.

import { formatCount, formatMs } from "../../base/format";
import { changedText, oldCalls, oldTime, signedMs, timeChange, type Compared } from "../before";
import { shownTime, type Measure } from "../trace";
import { MEASURE_WORDS } from "../words";

export type OldColumnId = "changed" | "old-calls" | `${"old" | "change"}-${"incl" | "excl"}`;

interface ChangeColumn {
  readonly id: string;
  readonly old?: Measure;
}

function oldColumn(id: OldColumnId, old: Measure, label: string, title: string, width: number) {
  return {
    id,
    old,
    label,
    title: `${title}; Changes has it sorted`,
    width,
    clock: null,
    key: "name" as const,
    isPercent: false,
    isUnsorted: true,
  };
}

// In the order in which menus list them.
export function oldColumns(measure: Measure) {
  const { label, word } = MEASURE_WORDS[measure];
  const times = (["incl", "excl"] as const).flatMap((side) => {
    const what = `${side === "incl" ? "inclusive" : "exclusive"} ${word}`;
    return [
      oldColumn(
        `old-${side}` as const,
        measure,
        `Old ${side} ${label}, ms`,
        `Old ${what}, ms`,
        122,
      ),
      oldColumn(
        `change-${side}` as const,
        measure,
        `± ${side} ${label}, ms`,
        `New less old ${what}, ms: one sample of each, which decides nothing`,
        112,
      ),
    ];
  });
  return [
    oldColumn("changed", measure, "Changed", "Counts of calls are certain", 112),
    ...times,
    oldColumn("old-calls", measure, "Old calls", "Old calls, recursive ones too", 90),
  ];
}

function sideOf(id: string): "inclusive" | "exclusive" {
  return id.endsWith("excl") ? "exclusive" : "inclusive";
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
  if (id.startsWith("change")) return signedMs(timeChange(row, side, measure));
  const time = oldTime(row, side, measure);
  return time === undefined ? "" : formatMs(shownTime(time, measure));
}

// More or less time than it was, in a column that tells so; else 0.
export function cellChange(row: Compared, { id, old }: ChangeColumn): number {
  if (old === undefined || !id.startsWith("change-")) return 0;
  return timeChange(row, sideOf(id), old) ?? 0;
}

// The columns beside another trace, in their order: each number with what it was.
export function columnsBeside<Id extends string>(inclusive: Id, exclusive: Id) {
  return [
    "name",
    "changed",
    exclusive,
    "old-excl",
    "change-excl",
    inclusive,
    "old-incl",
    "change-incl",
    "calls",
    "old-calls",
  ] as const;
}
