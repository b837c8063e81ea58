// The columns of the Tree and of Callers.

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
import { timeOn, type Clock, type Measure, type Times, type TreeNode } from "../trace";
import type { TreeRow } from "./tree";

interface TreeContext {
  readonly clocks: readonly Clock[];
  readonly measure: Measure;
  readonly total: Times;
  readonly isInverted: boolean;
  readonly isSampled: boolean;
  // Nodes are set beside what they were in another trace.
  readonly isCompared?: boolean;
  // So in several runs of both sides.
  readonly hasRuns?: boolean;
}

const SPACES = "  ";

function nodeOf(row: TreeRow): (TreeNode & Partial<Compared>) | undefined {
  return row.kind === "node" ? row.node : undefined;
}

function timesFor(side: "inclusive" | "exclusive", measure: Measure) {
  return (row: TreeRow): number | undefined => {
    const node = nodeOf(row);
    return node === undefined ? undefined : timeOn(node[side], measure);
  };
}

function inclusive(measure: Measure, context: TreeContext): TableColumn<TreeRow>[] {
  const { label, word } = MEASURE_WORDS[measure];
  const isUsual = measure === context.measure;
  // In Callers, inclusive time is the part of the method's own time that this path of callers
  // caused.
  const side = context.isInverted ? "Excl " : "Incl ";
  const what = context.isInverted ? "Exclusive" : "Inclusive";
  const get = timesFor("inclusive", measure);
  return [
    timeColumn({
      id: `incl-${measure}`,
      label: `${side}${label}, ms`,
      title: `${what} ${word}${context.isInverted ? " along this path of callers" : ""}, ms`,
      csv: `${context.isInverted ? "exclusive" : "inclusive"}_${measure}_ns`,
      width: timeWidth(timeOn(context.total, measure), 102),
      measure,
      isUsual,
      get,
    }),
    percentColumn(
      {
        id: `incl-${measure}-percent`,
        label: isUsual ? "%" : `${side}${label}, %`,
        title: `${what} ${word}, share of all that is shown`,
        csv: `${measure}_percent`,
        isUsual,
        get,
      },
      timeOn(context.total, measure) ?? 0,
    ),
  ];
}

function exclusive(measure: Measure, context: TreeContext): TableColumn<TreeRow> {
  const { label, word } = MEASURE_WORDS[measure];
  return timeColumn({
    id: `excl-${measure}`,
    label: `Excl ${label}, ms`,
    title: `Exclusive ${word}, ms`,
    csv: `exclusive_${measure}_ns`,
    width: timeWidth(timeOn(context.total, measure), 102),
    measure,
    isUsual: measure === context.measure,
    get: timesFor("exclusive", measure),
  });
}

// The inclusive time of the method that Callers begins with, by the callers that it came through.
function methodInclusive(measure: Measure, context: TreeContext): TableColumn<TreeRow> {
  const { label, word } = MEASURE_WORDS[measure];
  return timeColumn({
    id: `method-incl-${measure}`,
    label: `Incl ${label}, ms`,
    title: `Inclusive ${word} of the method's calls along this path of callers, ms; a recursive call lies within another`,
    csv: `method_inclusive_${measure}_ns`,
    width: 124,
    measure,
    isUsual: measure === context.measure,
    get: (row) => {
      const times = nodeOf(row)?.methodInclusive;
      return times === undefined ? undefined : timeOn(times, measure);
    },
  });
}

// What a node was in the trace that this one is compared with, on the clock in use: calls certain, times one sample.
function oldColumns({ measure, isInverted, hasRuns = false }: TreeContext): TableColumn<TreeRow>[] {
  const { label, word } = MEASURE_WORDS[measure];
  const words = besideWords(
    isInverted ? "excl" : "incl",
    label,
    isInverted ? `exclusive ${word} along this path of callers` : `inclusive ${word}`,
    hasRuns,
  );
  const change = (row: TreeRow): number | undefined => {
    const node = nodeOf(row);
    return node === undefined ? undefined : timeChange(node, "inclusive", measure);
  };
  const more = (row: TreeRow): number | undefined => {
    const node = nodeOf(row);
    return node === undefined ? undefined : callsChange(node.calls, node);
  };
  return [
    {
      ...textColumn<TreeRow>({
        id: "changed",
        ...CHANGED_WORDS,
        get: (row) => changedText(nodeOf(row)?.calls ?? 0, nodeOf(row)?.before),
      }),
      sortedBy: more,
    },
    timeColumn({
      id: "old-time",
      ...words.old,
      measure,
      get: (row) => {
        const node = nodeOf(row);
        return node === undefined ? undefined : oldTime(node, "inclusive", measure);
      },
    }),
    {
      id: "change",
      ...words.change,
      csv: "change_ns",
      isUsual: true,
      value: change,
      text: (row) => signedMs(change(row)),
    },
    ...(hasRuns ? runColumns(words, measure, change) : []),
    countColumn({
      id: "old-calls",
      label: "Old calls",
      title: "Old calls along this path",
      get: (row) => oldCalls(nodeOf(row) ?? {}),
    }),
  ];
}

// The runs of both sides as dots, and their spread; sorted by the change.
function runColumns(
  words: ReturnType<typeof besideWords>,
  measure: Measure,
  sortedBy: (row: TreeRow) => number | undefined,
): TableColumn<TreeRow>[] {
  const text = (row: TreeRow): string => {
    const runs = nodeRuns(row, measure);
    return runs === undefined ? "" : runsText(runs);
  };
  return [
    { ...textColumn<TreeRow>({ id: "runs", ...words.runs, get: text }), csv: "runs_ms", sortedBy },
    {
      ...textColumn<TreeRow>({
        id: "spread",
        ...words.spread,
        get: (row) => spreadsText(nodeRuns(row, measure)),
      }),
      csv: "spread_ms",
      isUsual: false,
      sortedBy,
    },
  ];
}

// The times of a node in all runs.
export function nodeRuns(row: TreeRow, measure: Measure): RunValues | undefined {
  const node = nodeOf(row);
  return node === undefined ? undefined : runTimes(node, "inclusive", measure);
}

// Whether siblings are sorted by what they were, which the program has no order of.
export function isSortedBeside(sort: TableSort | null): boolean {
  return ["changed", "old-time", "change", "runs", "spread", "old-calls"].includes(
    sort?.column ?? "",
  );
}

// More or less time than it was, in the column that tells so; else 0.
export function nodeChange(row: TreeRow, column: string, measure: Measure): number {
  const node = nodeOf(row);
  if (column !== "change" || node === undefined) return 0;
  return timeChange(node, "inclusive", measure) ?? 0;
}

// The sort of siblings as the program takes it: the program lists the first siblings in that order
// and leaves out the rest.
export function treeSortQuery(sort: TableSort | null): {
  readonly sort?: string;
  readonly by?: string;
  readonly order?: string;
} {
  if (sort === null || sort.column === "depth" || isSortedBeside(sort)) return {};
  const methodClock = /^method-incl-(\w+)$/.exec(sort.column)?.[1];
  if (methodClock !== undefined)
    return { sort: "method-inclusive", by: methodClock, order: sort.order };
  const [side, clock] = sort.column.split("-");
  if (clock === undefined || sort.column === "per-call")
    return { sort: sort.column, order: sort.order };
  return { sort: side === "excl" ? "exclusive" : "inclusive", by: clock, order: sort.order };
}

export function treeColumns(context: TreeContext): TableColumn<TreeRow>[] {
  const words = callWords(context.isSampled);
  const times = measuresOf(context.clocks, context.measure).flatMap((measure) => [
    ...inclusive(measure, context),
    context.isInverted ? methodInclusive(measure, context) : exclusive(measure, context),
  ]);
  return [
    textColumn({
      id: "name",
      label: "Name",
      title: "Class, method and signature",
      csv: "method",
      get: (row) => {
        const node = nodeOf(row);
        return node === undefined ? undefined : SPACES.repeat(row.depth) + node.method.method;
      },
    }),
    ...times.slice(0, 1),
    ...(context.isCompared === true ? oldColumns(context) : []),
    ...times.slice(1),
    countColumn({
      id: "calls",
      label: words.heading,
      title: `${words.heading} along this path`,
      get: (row) => nodeOf(row)?.calls,
    }),
    timeColumn({
      id: "per-call",
      label: `${MEASURE_WORDS[context.measure].label} / ${words.one}, ms`,
      title: `${MEASURE_WORDS[context.measure].word} divided by ${words.many}, ms`,
      csv: `${context.measure}_per_call_ns`,
      measure: context.measure,
      isUsual: false,
      get: (row) => {
        const node = nodeOf(row);
        const time = node === undefined ? undefined : timeOn(node.inclusive, context.measure);
        return time === undefined ? undefined : time / Math.max(1, node?.calls ?? 1);
      },
    }),
    countColumn({
      id: "depth",
      label: "Depth",
      title: "How deep the row stands, from 1",
      isUsual: false,
      get: (row) => (row.kind === "node" ? row.depth + 1 : undefined),
    }),
  ];
}
