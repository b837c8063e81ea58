// The columns of the Profile: the old viewer's twelve and its numbers of methods, two for waiting, an estimate of the
// tracing itself, and two for what methods allocated.

import { formatCount, formatMs, formatPercent } from "../../base/format";
import {
  shownTime,
  timeOn,
  type Clock,
  type Measure,
  type ProfileRow,
  type Times,
  type TraceInfo,
} from "../trace";
import { timeWidth } from "../widths";
import { ALLOCATED_COLUMNS, allocatedCell, hasOverhead } from "./told";
import { inWords, MEASURE_WORDS } from "../words";
import {
  columnsBeside,
  oldCell,
  oldColumns,
  type BesideKey,
  type OldColumnId,
} from "./old-columns";

export type ColumnId =
  | "name"
  | `${"incl" | "excl"}-${Measure}`
  | `${"incl" | "excl"}-${Clock}-percent`
  | "rank"
  | "calls"
  | `${Clock}-call`
  | "overhead"
  | "alloc"
  | "alloc-incl"
  | OldColumnId;

export type SortKey = "name" | "inclusive" | "exclusive" | "calls" | "per-call" | BesideKey;

export interface Sort {
  readonly key: SortKey;
  readonly clock: Measure;
  readonly order: "asc" | "desc";
}

export interface Column {
  readonly id: ColumnId;
  readonly label: string;
  readonly title: string;
  readonly width: number;
  readonly clock: Measure | null;
  readonly key: SortKey;
  readonly isPercent: boolean;
  // Set where the program cannot sort by the column.
  readonly isUnsorted?: boolean;
  readonly isText?: boolean; // words, which begin at the left
  // Set of columns of what a method was: the clock of their times.
  readonly old?: Measure;
}

const TIME_PX = 102;

function timeColumn(side: "incl" | "excl", clock: Measure): Column {
  const isInclusive = side === "incl";
  return {
    id: `${side}-${clock}`,
    label: `${isInclusive ? "Incl" : "Excl"} ${MEASURE_WORDS[clock].label}, ms`,
    title: `${isInclusive ? "Inclusive" : "Exclusive"} ${MEASURE_WORDS[clock].word}, ms`,
    width: TIME_PX,
    clock,
    key: isInclusive ? "inclusive" : "exclusive",
    isPercent: false,
  };
}

function percentColumn(side: "incl" | "excl", clock: Clock): Column {
  const base = timeColumn(side, clock);
  return {
    ...base,
    id: `${side}-${clock}-percent`,
    label: base.label.replace("ms", "%"),
    title: `${side === "incl" ? "Inclusive" : "Exclusive"} ${MEASURE_WORDS[clock].word}, share of the sum over the threads in the selection`,
    width: 96,
    isPercent: true,
  };
}

function perCallColumn(clock: Clock): Column {
  return {
    id: `${clock}-call`,
    label: `${MEASURE_WORDS[clock].label} / call, ms`,
    title: `Inclusive ${MEASURE_WORDS[clock].word} a call, ms`,
    width: 108,
    clock,
    key: "per-call",
    isPercent: false,
  };
}

const NAME: Column = {
  id: "name",
  label: "Name",
  title: "Class, method and signature",
  width: 0,
  clock: null,
  key: "name",
  isPercent: false,
};

const RANK: Column = {
  id: "rank",
  label: "Rank",
  title:
    "The place of the method by inclusive time in the whole trace, from 0: its number in the old viewer",
  width: 64,
  clock: null,
  key: "name",
  isPercent: false,
  isUnsorted: true,
};

const CALLS: Column = {
  id: "calls",
  label: "Calls+Recur",
  title: "Calls + recursive calls; in groups: calls / all calls",
  width: 104,
  clock: null,
  key: "calls",
  isPercent: false,
};

const OVERHEAD: Column = {
  id: "overhead",
  label: "Tracing, est. ms",
  title:
    "An estimate, ms: how much of the exclusive time is the tracing itself. Half of it for each call of the method, half for each call that these made",
  width: 120,
  clock: null,
  key: "name",
  isPercent: false,
  isUnsorted: true,
};

export const COLUMNS: readonly Column[] = [
  NAME,
  percentColumn("incl", "cpu"),
  timeColumn("incl", "cpu"),
  percentColumn("excl", "cpu"),
  timeColumn("excl", "cpu"),
  percentColumn("incl", "wall"),
  timeColumn("incl", "wall"),
  percentColumn("excl", "wall"),
  timeColumn("excl", "wall"),
  CALLS,
  perCallColumn("cpu"),
  perCallColumn("wall"),
  timeColumn("incl", "wait"),
  timeColumn("excl", "wait"),
  RANK,
  OVERHEAD,
  ...ALLOCATED_COLUMNS,
];

function hasClock(column: Column, clocks: readonly Clock[]): boolean {
  if (column.clock === null) return true;
  return column.clock === "wait" ? clocks.length > 1 : clocks.includes(column.clock);
}

// What a trace has, as far as columns depend on it: its clocks, whether the file tells the cost of
// reading them, whether it was sampled, whether it tells what methods allocated.
interface TraceKind {
  readonly clocks: readonly Clock[];
  readonly hasOverhead?: boolean;
  readonly sampled?: boolean;
  readonly hasAllocated?: boolean;
  // Methods are set beside what they were in another trace.
  readonly isCompared?: boolean;
  readonly hasRuns?: boolean; // So in several of both sides.
}

type BesideKind = Pick<TraceKind, "isCompared" | "hasRuns">;

export function kindOf(info: TraceInfo | null, beside: BesideKind = {}): TraceKind {
  return {
    ...beside,
    clocks: info?.clocks ?? [],
    hasOverhead: hasOverhead(info),
    sampled: info?.sampled === true,
    hasAllocated: info?.isAllocatedTold === true,
  };
}

export function availableColumns(kind: TraceKind, measure: Measure = "wall"): Column[] {
  const own = COLUMNS.filter(
    (column) =>
      hasClock(column, kind.clocks) &&
      (column !== OVERHEAD || kind.hasOverhead === true) &&
      (!column.id.startsWith("alloc") || kind.hasAllocated === true),
  );
  const all =
    kind.isCompared === true ? [...own, ...oldColumns(measure, kind.hasRuns === true)] : own;
  return all.map((column) => (kind.sampled === true ? inRuns(column) : column));
}

// The column of a sampled trace, which counts runs of samples instead of calls.
function inRuns(column: Column): Column {
  return column.clock === null || column.key === "per-call"
    ? { ...column, label: inWords(column.label, true), title: inWords(column.title, true) }
    : column;
}

// The seven columns that show at first, and those of allocations where the trace tells of them, which somebody asked to be
// recorded; those of the clock in use stand before those of the other.
export function defaultColumns(measure: Measure, kind: TraceKind): ColumnId[] {
  const first: Clock = measure === "cpu" ? "cpu" : "wall";
  const second: Clock = first === "cpu" ? "wall" : "cpu";
  const lead: ColumnId[] =
    measure === "wait" ? ["incl-wait", "excl-wait"] : [`incl-${first}`, `excl-${first}`];
  const rest: ColumnId[] =
    measure === "wait" ? ["incl-wall", "incl-cpu"] : [`incl-${second}`, `excl-${second}`];
  const usual: ColumnId[] = [
    "name",
    ...lead,
    "alloc",
    "alloc-incl",
    ...rest,
    "calls",
    `${first}-call`,
  ];
  const [inclusive = "incl-wall", exclusive = "excl-wall"] = lead;
  const wanted: readonly ColumnId[] =
    kind.isCompared === true ? columnsBeside(inclusive, exclusive, kind.hasRuns === true) : usual;
  const available = new Set(availableColumns(kind).map((column) => column.id));
  return wanted.filter((id) => available.has(id));
}

// The columns to show: the user's choice where there is one, always with the name in front.
export function shownColumns(
  choice: readonly string[] | null,
  measure: Measure,
  kind: TraceKind,
): Column[] {
  const ids = choice ?? defaultColumns(measure, kind);
  const available = availableColumns(kind, measure);
  const chosen = ids.flatMap((id) =>
    available.filter((column) => column.id === id && id !== "name"),
  );
  return [available[0] ?? NAME, ...chosen];
}

// The columns as wide as their longest numbers: no time of a method is longer than that of all.
export function wideColumns(columns: readonly Column[], total: Times): Column[] {
  return columns.map((column) =>
    column.clock === null || column.isPercent
      ? column
      : { ...column, width: timeWidth(timeOn(total, column.clock), column.width) },
  );
}

function columnTimes(row: ProfileRow, column: Column): number | undefined {
  if (column.clock === null) return undefined;
  const side = column.key === "exclusive" ? row.exclusive : row.inclusive;
  const time = timeOn(side, column.clock);
  if (time === undefined || column.key !== "per-call") return time;
  return time / Math.max(1, row.calls + row.recursiveCalls);
}

// The cell of a method's own row.
export function methodCell(row: ProfileRow, column: Column, total: Times): string {
  if (column.id === "name") return row.method;
  if (column.id === "rank") return String(row.rank);
  if (column.id === "calls")
    return row.recursiveCalls > 0
      ? `${formatCount(row.calls)}+${formatCount(row.recursiveCalls)}`
      : formatCount(row.calls);
  if (column.old !== undefined) return oldCell(row, column.id, column.old);
  if (column.id === "overhead")
    return row.overhead === undefined ? "" : `≈ ${formatMs(row.overhead.ns)}`;
  if (column.id === "alloc" || column.id === "alloc-incl") return allocatedCell(row, column.id);
  const time = columnTimes(row, column);
  if (time === undefined || column.clock === null) return "";
  if (column.isPercent) return formatPercent(time, timeOn(total, column.clock) ?? 0);
  return formatMs(shownTime(time, column.clock));
}

// The cell of a row inside an opened method. Only inclusive times show there, as shares of the method's.
export function insideCell(
  times: Times,
  calls: { readonly calls: number; readonly of: number } | null,
  column: Column,
  context: Times,
): string {
  if (column.id === "calls")
    return calls === null ? "" : `${formatCount(calls.calls)}/${formatCount(calls.of)}`;
  if (column.key !== "inclusive" || column.clock === null) return "";
  const time = timeOn(times, column.clock);
  if (time === undefined) return "";
  return column.isPercent
    ? formatPercent(time, timeOn(context, column.clock) ?? 0)
    : formatMs(shownTime(time, column.clock));
}
