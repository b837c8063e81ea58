// The Profile by class or by package, as the program adds it up.

import { quotedExpression } from "../../base/text";
import { callWords, MEASURE_WORDS } from "../words";
import {
  countColumn,
  measuresOf,
  percentColumn,
  textColumn,
  timeColumn,
} from "../table/column-kinds";
import type { TableColumn, TableSort } from "../table/table";
import { timeWidth } from "../widths";
import { timeOn, type Clock, type Measure, type Times } from "../trace";

export type GroupBy = "method" | "class" | "package";

export interface GroupRow {
  // Empty for a group without a class or package.
  readonly name: string;
  readonly methods: number;
  readonly calls: number;
  // The time of those calls that no other call of the group contains, so that no time counts twice.
  readonly inclusive: Times;
  readonly exclusive: Times;
}

export interface GroupPage {
  readonly total: Times;
  readonly count: number;
  readonly rows: readonly GroupRow[];
}

interface GroupContext {
  readonly by: "class" | "package";
  readonly clocks: readonly Clock[];
  readonly measure: Measure;
  readonly total: Times;
  readonly isSampled: boolean;
}

export function groupLabel(name: string, by: "class" | "package"): string {
  return name === "" ? `(no ${by})` : name;
}

function measureColumns(
  side: "inclusive" | "exclusive",
  measure: Measure,
  context: GroupContext,
): TableColumn<GroupRow>[] {
  const { label, word } = MEASURE_WORDS[measure];
  const short = side === "inclusive" ? "incl" : "excl";
  const heading = side === "inclusive" ? "Incl" : "Excl";
  const isUsual = measure === context.measure;
  const get = (row: GroupRow): number | undefined => timeOn(row[side], measure);
  return [
    timeColumn({
      id: `${short}-${measure}`,
      label: `${heading} ${label}, ms`,
      title: `${heading === "Incl" ? "Inclusive" : "Exclusive"} ${word}, ms`,
      csv: `${side}_${measure}_ns`,
      width: timeWidth(timeOn(context.total, measure), 102),
      measure,
      isUsual,
      get,
    }),
    percentColumn(
      {
        id: `${short}-${measure}-percent`,
        label: `${heading} ${label}, %`,
        title: `Share of all ${word}`,
        csv: `${side}_${measure}_percent`,
        width: 96,
        isUsual: isUsual && side === "exclusive",
        get,
      },
      timeOn(context.total, measure) ?? 0,
    ),
  ];
}

export function groupColumns(context: GroupContext): TableColumn<GroupRow>[] {
  const words = callWords(context.isSampled);
  const times = measuresOf(context.clocks, context.measure).flatMap((measure) => [
    ...measureColumns("inclusive", measure, context),
    ...measureColumns("exclusive", measure, context),
  ]);
  return [
    textColumn({
      id: "name",
      label: context.by === "class" ? "Class" : "Package",
      title: "By name",
      csv: context.by,
      get: (row) => groupLabel(row.name, context.by),
    }),
    ...times,
    countColumn({
      id: "calls",
      label: words.heading,
      title: `All ${words.many} of its methods`,
      get: (row) => row.calls,
    }),
    {
      ...countColumn<GroupRow>({
        id: "methods",
        label: "Methods",
        title: "How many of its methods were called",
        get: (row) => row.methods,
      }),
      isUnsorted: true,
    },
  ];
}

// The sort as the program takes it; the column of a time names its clock.
export function groupSortQuery(sort: TableSort): {
  readonly sort: string;
  readonly by?: string;
  readonly order: string;
} {
  const [side, clock] = sort.column.split("-");
  if (clock === undefined) return { sort: sort.column, order: sort.order };
  return { sort: side === "incl" ? "inclusive" : "exclusive", by: clock, order: sort.order };
}

// The filter that lists exactly the methods of one group.
export function groupFilter(by: "class" | "package", name: string): string {
  // A shown name has dots where the trace may have slashes; the own name of a hidden class has a
  // dot, too.
  const quoted = name.split(".").map(quotedExpression);
  const prefix = quoted.join("[./]");
  if (by === "class") return name === "" ? "/^[^. ]*( |$)/" : `/^${prefix}\\.[^. ]+( |$)/`;
  const own = "[^./ ]+([./]0x[0-9a-f]+)?\\.[^. ]+( |$)";
  return name === "" ? `/^([^. ]*( |$)|${own})/` : `/^${prefix}[./]${own}/`;
}
