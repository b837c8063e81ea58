// A download: the formats that a trace can be had in, what part of the trace is written, and how
// far the file is. The program has the list of formats and makes the bytes; here are the choices
// and the words for them.

import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRange,
  formatShare,
  plural,
} from "../../base/format";
import { isolated } from "../../base/text";
import { wholeRange, type Range } from "../../base/time";
import { lensQuery, type Lens } from "../lens";
import type { Measure } from "../trace";

export interface ExportFormat {
  readonly name: string;
  readonly suffix: string;
  readonly summary: string;
  // Files of the format are packed as they are.
  readonly isPacked: boolean;
  // It holds one of these tables; empty: it holds no single table.
  readonly tables: readonly string[];
}

// What the format could not hold.
export interface ExportChange {
  readonly count: number; // a time, in ns, where the change is of one
  readonly isTime: boolean;
  readonly isAffected: boolean; // whether numbers are
  readonly text: string;
}

export interface ExportProgress {
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly bytes: number;
  // Calls; of 0 where the format does not walk over calls.
  readonly done: number;
  readonly of: number;
  readonly changes: readonly ExportChange[];
  readonly error: string;
}

// What is on the page, of which a part can be chosen.
export interface InView {
  readonly span: number;
  // The range that tables are limited to; null: none is.
  readonly range: Range | null;
  // What the timeline shows.
  readonly view: Range;
  readonly threads: ReadonlySet<number> | null;
  readonly filter: string;
  // Packages whose time goes to their callers; empty: none.
  readonly hidden: readonly string[];
  // The calls that all panels are limited to; null: all.
  readonly lens: Lens | null;
  // Those of them that are selected; null: all of a method, or nothing.
  readonly chosenCalls: Lens | null;
}

export type TimePart = "whole" | "range" | "view";

export interface DownloadChoice {
  readonly format: string;
  readonly time: TimePart;
  readonly isOnlyChosenThreads: boolean;
  readonly isFiltered: boolean;
  readonly isHiding: boolean;
  readonly isThroughLens: boolean;
  readonly isOnlyChosenCalls: boolean;
  readonly measure: Measure;
  readonly isGzip: boolean;
  readonly table: string; // where the format has tables
  readonly isRedacted: boolean;
  // Packages that keep their names where others are redacted, as the user writes them.
  readonly keep: string;
}

interface TimeOption {
  readonly part: TimePart;
  readonly label: string;
}

function isWhole(range: Range, span: number): boolean {
  return range.from <= 0 && range.to >= span;
}

// The ranges that can be chosen, the one that is most likely meant last: what tables are limited
// to, else what the timeline shows, else the whole trace.
export function timeOptions(seen: InView): TimeOption[] {
  const label = (words: string, range: Range): string =>
    `${words}, ${formatRange(range.from, range.to)}`;
  const options: TimeOption[] = [
    { part: "whole", label: label("The whole trace", { from: 0, to: seen.span }) },
  ];
  if (!isWhole(seen.view, seen.span))
    options.push({ part: "view", label: label("What the timeline shows", seen.view) });
  if (seen.range !== null && !isWhole(seen.range, seen.span))
    options.push({ part: "range", label: label("The selected range", seen.range) });
  return options;
}

// What is chosen at first: what is in view, in the first format.
export function firstChoice(
  formats: readonly ExportFormat[],
  seen: InView,
  measure: Measure,
): DownloadChoice {
  return {
    format: formats[0]?.name ?? "",
    time: timeOptions(seen).pop()?.part ?? "whole",
    isOnlyChosenThreads: seen.threads !== null,
    isFiltered: seen.filter !== "",
    isHiding: seen.hidden.length > 0,
    isThroughLens: seen.lens !== null,
    isOnlyChosenCalls: false,
    measure,
    isGzip: false,
    table: "calls",
    isRedacted: false,
    keep: "",
  };
}

type Parameters = Record<string, string | number>;

function keptOf(choice: DownloadChoice): Parameters {
  const names = choice.keep.split(/[\s,]+/).filter((name) => name !== "");
  return names.length > 0 ? { keep: names.join(",") } : {};
}

// Selected calls lie in those of the lens.
function callsOf(choice: DownloadChoice, { lens, chosenCalls }: InView): Lens | null {
  if (choice.isOnlyChosenCalls && chosenCalls !== null) return chosenCalls;
  return choice.isThroughLens ? lens : null;
}

function partQuery(choice: DownloadChoice, seen: InView): Parameters {
  const range = choice.time === "whole" ? null : choice.time === "view" ? seen.view : seen.range;
  const cut = range === null ? null : wholeRange(range);
  return {
    ...(cut === null ? {} : { from: cut.from, to: cut.to }),
    ...(choice.isOnlyChosenThreads && seen.threads !== null
      ? { threads: [...seen.threads].join(",") }
      : {}),
    clock: choice.measure,
    ...(choice.isFiltered && seen.filter !== "" ? { match: seen.filter } : {}),
    ...(choice.isHiding && seen.hidden.length > 0 ? { hide: seen.hidden.join(",") } : {}),
    ...lensQuery(callsOf(choice, seen)),
  };
}

// The part of the trace, and whether its names are redacted.
export function exportedPart(choice: DownloadChoice, seen: InView): Parameters {
  return {
    ...partQuery(choice, seen),
    ...(choice.isRedacted ? { redact: 1, ...keptOf(choice) } : {}),
  };
}

// The parameters of the program's route `export`.
export function exportQuery(
  choice: DownloadChoice,
  format: ExportFormat,
  seen: InView,
): Parameters {
  return {
    format: format.name,
    ...partQuery(choice, seen),
    ...(format.tables.length > 0 ? { table: choice.table } : {}),
    ...(choice.isRedacted ? { redact: 1, ...keptOf(choice) } : {}),
    ...(choice.isGzip && !format.isPacked ? { gzip: 1 } : {}),
  };
}

// Those of its route `preview`; null: nothing is redacted.
export function previewQuery(choice: DownloadChoice, seen: InView): Parameters | null {
  return choice.isRedacted ? { ...partQuery(choice, seen), ...keptOf(choice) } : null;
}

// Threads by name while they are few.
export function chosenThreadsLabel(names: readonly string[]): string {
  return names.length <= 3
    ? `The chosen ones: ${names.map(isolated).join(", ")}`
    : `The ${plural(names.length, "thread")} that are chosen`;
}

// How far it is: the share where it is known, and the bytes.
export function progressWords(progress: ExportProgress): string {
  const share =
    progress.of > 0 && progress.done < progress.of
      ? ` (${formatShare(progress.done, progress.of)} of the calls)`
      : "";
  return progress.bytes === 0
    ? `It is being made${share}.`
    : `${formatBytes(progress.bytes)}${share}`;
}

// What became of it. The browser itself removes the file of a download that broke off.
export function outcomeWords(name: string, progress: ExportProgress): string {
  switch (progress.state) {
    case "running":
      return progressWords(progress);
    case "done":
      return `${isolated(name)} is saved: ${formatBytes(progress.bytes)}.`;
    case "cancelled":
      return `Cancelled: there is no file ${isolated(name)}.`;
    case "failed":
      return `${isolated(name)} could not be made: ${progress.error}. Choose a smaller part, or try again.`;
  }
}

export function changeWords(change: ExportChange): string {
  const count = change.isTime ? formatDuration(change.count) : formatCount(change.count);
  return `${change.isAffected ? "Numbers changed: " : ""}${count} ${change.text}.`;
}
