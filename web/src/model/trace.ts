// The types of what the program answers about a trace.

import type { NamesKnown } from "./mapping";

export type Clock = "wall" | "cpu";
export type Measure = Clock | "wait";

// Nanoseconds by clock; a clock that the trace lacks is absent, never zero.
export interface Times {
  readonly wall?: number;
  readonly cpu?: number;
  // Waiting time, where the program tells it without the two clocks.
  readonly wait?: number;
}

export function timeOn(times: Times, measure: Measure): number | undefined {
  switch (measure) {
    case "wall":
      return times.wall;
    case "cpu":
      return times.cpu;
    case "wait":
      if (times.wait !== undefined) return times.wait;
      return times.wall === undefined || times.cpu === undefined
        ? undefined
        : times.wall - times.cpu;
  }
}

// A time as the screen shows it: no wait is below 0, though CPU time may be a tick longer than wall time.
export function shownTime(ns: number, measure: Measure): number {
  return measure === "wait" ? Math.max(0, ns) : ns;
}

// A process of a trace that holds several; id 0: the trace does not say it.
export interface Process {
  readonly id: number;
  readonly name: string;
}

export function processLabel(process: Process): string {
  return process.name === "" ? `process ${process.id}` : process.name;
}

export interface Thread {
  readonly id: number;
  readonly name: string;
  readonly records: number;
  readonly calls: number;
  readonly maxDepth: number;
  readonly times: Times;
  readonly first: number;
  readonly last: number;
  readonly process?: Process;
}

export type Severity = "note" | "affected" | "lost";

export interface Finding {
  readonly kind: string;
  readonly severity: Severity;
  readonly count: number;
  readonly offset: number | null;
  readonly text: string;
}

// An estimate, in ns (docs/numbers.md, "The cost of tracing").
export interface Overhead {
  readonly ns: number;
  // The margin, by the shortest leaf calls of the trace; absent where there are too few.
  readonly least?: number;
  readonly most?: number;
  // Only the reading of clocks is known: the true cost is larger.
  readonly isPartial?: boolean;
}

export interface TraceInfo {
  readonly file: string;
  readonly format: string;
  readonly vm: string;
  // Those that move.
  readonly clocks: readonly Clock[];
  // Whether the file has a CPU clock too that never moves: it tells nothing of work nor of waiting.
  readonly hasIdleCpu: boolean;
  readonly sampled: boolean;
  // CPU time of samples stands with what ran before, as Android's sampler books it.
  readonly isCpuOfBefore: boolean;
  readonly startTime: number;
  readonly overflow: boolean;
  readonly properties: readonly (readonly [string, string])[];
  readonly records: number;
  readonly calls: number;
  readonly methods: number;
  // How many methods a mapping gave other names than those in the file; absent where there is none. And which one that is.
  readonly renamed?: number;
  readonly names?: NamesKnown;
  readonly total: Times;
  readonly threads: readonly Thread[];
  // Those that the trace tells apart, in the order of the file; most traces tell of none.
  readonly processes: readonly Process[];
  readonly findings: readonly Finding[];
  readonly defaultClock: Clock;
  readonly axis: Clock;
  readonly hasCommonAxis: boolean;
  // What a link names the trace by; null while only its beginning is there.
  readonly hash: string | null;
  readonly span: number;
  // How much of all calls is the tracing itself; absent where the file does not say what it costs.
  readonly overhead?: Overhead;
  // The trace tells what methods allocated.
  readonly isAllocatedTold?: boolean;
  // While the rest of the file is read: the bytes that all numbers are about so far, and those of the file.
  readonly part?: { readonly read: number; readonly of: number };
}

export function hasMeasure(info: Pick<TraceInfo, "clocks">, measure: Measure): boolean {
  return measure === "wait" ? info.clocks.length > 1 : info.clocks.includes(measure);
}

export interface Method {
  readonly rank: number;
  readonly id: string;
  readonly method: string;
  readonly class: string;
  readonly name: string;
  readonly signature: string;
  readonly file: string;
  readonly line: number;
  // The whole name that a mapping replaced, as the file has it; the class in the source, where the names shown are those of the file.
  readonly written?: string;
  readonly sourceClass?: string;
  // The compiler made it, as a mapping says.
  readonly isSynthesized?: boolean;
  // Another method with calls has the same whole name; has the same class and name, which answers tell whose sentences name methods.
  readonly sharesWholeName?: boolean;
  readonly sharesName?: boolean;
}

export interface ProfileRow extends Method {
  readonly calls: number;
  readonly recursiveCalls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
  // How much of the exclusive time is the tracing itself.
  readonly overhead?: Overhead;
  // Bytes that its calls allocated in the whole recording, and those with what they called.
  readonly allocated?: { readonly own: number; readonly all: number };
  // At least half of the exclusive time is.
  readonly isMostlyOverhead?: boolean;
}

export interface RelationRow extends ProfileRow {
  readonly ofCalls: number;
}

export interface ProfilePage {
  readonly total: Times;
  readonly chosen: number; // calls of the lens
  readonly count: number;
  readonly rows: readonly ProfileRow[];
}

// What a set of methods took together; inclusive time counts once where they call each other.
export interface SetTotals {
  readonly methods: number;
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
}

// The methods that a search found: the first rows, and the ranks of all.
export interface FoundPage extends ProfilePage {
  readonly set: SetTotals;
  readonly ranks: readonly number[];
}

export interface Relations {
  readonly total: Times;
  readonly method: ProfileRow;
  readonly self: Times;
  readonly callers: readonly RelationRow[];
  readonly callees: readonly RelationRow[];
  readonly callersRecursive: readonly RelationRow[];
  readonly calleesRecursive: readonly RelationRow[];
}

// `thread.depth.call` names one call.
export interface CallRef {
  readonly thread: number;
  readonly depth: number;
  readonly call: number;
}

// A call and when it ran, in nanoseconds of the trace.
export interface PlacedCall extends CallRef {
  readonly start: number;
  readonly end: number;
}

export interface CallRow extends PlacedCall {
  readonly rank: number;
  readonly times: Times;
  readonly exclusive: Times;
  readonly ordinal: number;
}

export interface CallDetail extends CallRow {
  // Where it stands in its thread's stack: its depth, or fewer where calls around it are hidden. Null: it is hidden itself.
  readonly level: number | null;
  readonly method: Method;
  readonly of: number;
  // Of all calls of the method, and the clock that it is on.
  readonly median: number;
  readonly medianClock: Clock;
  readonly isOpenAtEnd: boolean;
  readonly isAdopted: boolean; // it began before the trace
  readonly isWaiting: boolean;
  readonly unrecorded?: number; // of its wall time, after its thread's last record
  readonly stack: readonly number[];
}

export interface Percentiles {
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export interface HistogramBar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface CallsPage {
  readonly rank: number;
  readonly count: number;
  // The number of calls within the limits asked for; `count` is that of all.
  readonly listed: number;
  readonly stats: { readonly wall?: Percentiles; readonly cpu?: Percentiles };
  readonly histogram: { readonly clock: Measure; readonly bars: readonly HistogramBar[] };
  readonly calls: readonly CallRow[];
}

export interface TreeNode {
  readonly method: Method;
  readonly calls: number;
  readonly inclusive: Times;
  readonly exclusive: Times;
  // Of an inverted tree: inclusive time of the outermost calls of the method at the root, along this path of callers.
  readonly methodInclusive?: Times;
  readonly hasChildren: boolean;
}

export interface TreeLevel {
  readonly total: Times;
  readonly nodes: readonly TreeNode[];
  readonly more: number;
  // The time of all nodes that are too small to be listed one by one.
  readonly rest?: number;
  // The level below the first node, where the answer came with it.
  readonly below?: TreeLevel;
}

export interface SearchAnswer {
  readonly count: number;
  readonly calls: number;
  readonly ranks: readonly number[];
  readonly threads: readonly { readonly id: number; readonly calls: number }[];
}

// What hiding packages leaves of a thread, and how many calls are hidden.
export interface ThreadLevels {
  readonly levels: number;
  readonly calls: number;
  readonly omitted: number;
}

export function sameCall(a: CallRef | null, b: CallRef | null): boolean {
  if (a === null || b === null) return a === b;
  return a.thread === b.thread && a.depth === b.depth && a.call === b.call;
}

export function threadLabel(thread: Thread): string {
  const own = thread.name === "" ? `thread ${thread.id}` : thread.name;
  return thread.process === undefined ? own : `${own} · ${processLabel(thread.process)}`;
}

// What a full buffer cost: how much of the run is missing, and which buffer would have held it.
export interface Overflow {
  readonly run: number;
  readonly missing: number;
  readonly bufferBytes: number;
}
