// The selection as text for a bug report, plain or as Markdown.

import {
  formatCount,
  formatDuration,
  formatMs,
  formatPercent,
  formatTimes,
  plural,
} from "../base/format";
import type { Range } from "../base/time";
import { callWords } from "./words";
import { sourceOf } from "./names";
import {
  shownTime,
  timeOn,
  type CallDetail,
  type CallsPage,
  type Measure,
  type Method,
  type ProfileRow,
  type Times,
  type TraceInfo,
} from "./trace";

export interface Report {
  readonly info: TraceInfo;
  readonly range: Range | null;
  readonly threads: readonly string[] | null;
  // What else the numbers are of: the calls of a lens, packages whose time is their callers'.
  readonly part: readonly string[];
  readonly method: Method | null;
  // The method's numbers in the range and the threads, and what 100 % is; null where they are not known.
  readonly numbers: { readonly row: ProfileRow; readonly total: Times } | null;
  // What a report about a method, and about a call, says besides.
  readonly spread: Spread | null;
  readonly callWait: string;
  readonly call: CallDetail | null;
  readonly threadOfCall: string;
  // The methods of the stack, the innermost first; empty without a selected call.
  readonly stack: readonly string[];
  // An address that leads everyone to the view, or a command that shows it to whoever has the file.
  readonly link: string;
  readonly isCommand: boolean;
}

// How the calls of the method are spread, in the range and the threads.
export interface Spread {
  readonly count: number;
  readonly stats: CallsPage["stats"];
  // Those with the most calls of the method first.
  readonly callers: readonly { readonly name: string; readonly calls: number }[];
  // Of the whole trace; empty where a part of it is looked at.
  readonly threads: readonly { readonly name: string; readonly calls: number }[];
}

// The most callers and threads that a report lists.
const MOST_NAMES = 5;

// The most frames of a stack that a report lists: people read no more.
const MOST_FRAMES = 60;

const WORD: Record<Measure, string> = { wall: "wall", cpu: "CPU", wait: "waiting" };

function timesText(report: Report, call: CallDetail): string {
  const both = report.info.clocks.length > 1;
  const measures: Measure[] = both ? ["wall", "cpu", "wait"] : [...report.info.clocks];
  return measures
    .map(
      (measure) =>
        `${WORD[measure]} ${formatMs(shownTime(timeOn(call.times, measure) ?? 0, measure))} ms`,
    )
    .join(", ");
}

// "40.000 ms (40.0 %)" for each clock of the trace.
function cellsOf(report: Report, times: Times, total: Times): string[] {
  return report.info.clocks.map((clock) => {
    const ns = timeOn(times, clock) ?? 0;
    const share = formatPercent(ns, timeOn(total, clock) ?? 0);
    return `${formatMs(ns)} ms${share === "" ? "" : ` (${share})`}`;
  });
}

// The numbers of the method: as lines in plain text, as a table in Markdown.
function numberLines(report: Report, isMarkdown: boolean): string[] {
  if (report.numbers === null) return [];
  const { info, numbers } = report;
  const { row, total } = numbers;
  const clocks = info.clocks.map((clock) => WORD[clock]);
  const recursive =
    row.recursiveCalls === 0 ? "" : ` + ${formatCount(row.recursiveCalls)} recursive`;
  const calls = `${callWords(info.sampled).many} ${formatCount(row.calls)}${recursive}`;
  const inclusive = cellsOf(report, row.inclusive, total);
  const exclusive = cellsOf(report, row.exclusive, total);
  if (isMarkdown) {
    const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
    return [
      line([calls, ...clocks]),
      line(["---", ...clocks.map(() => "---:")]),
      line(["inclusive", ...inclusive]),
      line(["exclusive", ...exclusive]),
    ];
  }
  const named = (cells: readonly string[]): string =>
    cells.map((cell, ix) => `${clocks[ix] ?? ""} ${cell}`).join(", ");
  return [calls, `inclusive ${named(inclusive)}`, `exclusive ${named(exclusive)}`];
}

function listed(
  names: readonly { readonly name: string; readonly calls: number }[],
  code: (text: string) => string,
): string {
  const shown = names
    .slice(0, MOST_NAMES)
    .map(({ name, calls }) => `${code(name)} ${formatCount(calls)}`);
  const left = names.length - shown.length;
  return shown.join(", ") + (left > 0 ? ` and ${formatCount(left)} more` : "");
}

// Percentiles of the durations, who called the method how often, and on which threads.
function spreadFacts(report: Report, code: (text: string) => string): string[] {
  const { spread, info } = report;
  if (spread === null) return [];
  const { many } = callWords(info.sampled);
  return [
    ...(spread.callers.length === 0 ? [] : [`${many} by ${listed(spread.callers, code)}`]),
    ...(spread.threads.length < 2 ? [] : [`${many} on ${listed(spread.threads, (name) => name)}`]),
  ];
}

function spreadLines(report: Report, isMarkdown: boolean): string[] {
  const { spread, info } = report;
  if (spread === null || spread.count === 0) return [];
  const { one, many } = callWords(info.sampled);
  const of = `durations of ${plural(spread.count, one, many)}`;
  const rows = info.clocks.flatMap((clock) => {
    const stats = spread.stats[clock];
    if (stats === undefined) return [];
    const cells = [stats.min, stats.p50, stats.p95, stats.max].map((ns) => `${formatMs(ns)} ms`);
    return [{ clock: WORD[clock], cells }];
  });
  const names = ["min", "p50", "p95", "max"];
  if (!isMarkdown)
    return rows.map(
      ({ clock, cells }) =>
        `${of}, ${clock}: ${cells.map((cell, ix) => `${names[ix] ?? ""} ${cell}`).join(", ")}`,
    );
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line([of, ...names]),
    line(["---", ...names.map(() => "---:")]),
    ...rows.map(({ clock, cells }) => line([clock, ...cells])),
  ];
}

function callLines(report: Report, call: CallDetail): string[] {
  const { one, many } = callWords(report.info.sampled);
  const whole = timeOn(call.times, report.info.axis) ?? 0;
  const times = formatTimes(whole, call.median);
  return [
    `${one} ${formatCount(call.ordinal + 1)} of ${formatCount(call.of)}, thread ${report.threadOfCall}, from ${formatMs(call.start)} ms`,
    timesText(report, call),
    `median of all ${many} on the ${WORD[report.info.axis]} clock ${formatMs(call.median)} ms${times === "" ? "" : `, this one ${times}`}`,
    ...(report.callWait === "" ? [] : [report.callWait]),
    ...(call.isOpenAtEnd ? ["still open when the trace ended"] : []),
  ];
}

function linkLine({ link, isCommand }: Report, isMarkdown: boolean): string {
  if (!isMarkdown) return link;
  return isCommand
    ? `the same view: \`${link.replaceAll("`", "%60")}\``
    : `[the same view](${link})`;
}

// A shell takes every sign between the quotes as it is.
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// "--mapping 'mapping.txt' ": what is named by a mapping has these names with it alone. Where the file is on this machine is nobody's
// business, as of the trace.
export function mappingOption({ names }: Pick<TraceInfo, "names">): string {
  return names === undefined
    ? ""
    : `--mapping ${shellWord(names.mapping.replace(/^.*[/\\]/s, ""))} `;
}

// A command that shows the view to whoever has the file. `old` is the file that it is compared with, if any.
export function viewCommand(
  info: Pick<TraceInfo, "file" | "names">,
  fragment: string,
  old: string | null = null,
): string {
  const before = old === null ? "" : `${shellWord(old)} `;
  const view = fragment === "" ? "" : ` ${shellWord(fragment)}`;
  return `traceview ${mappingOption(info)}${before}${shellWord(info.file)}${view}`;
}

export function reportText(report: Report, isMarkdown: boolean): string {
  const { info, range, threads, method, call } = report;
  const code = (text: string): string => (isMarkdown ? `\`${text.replaceAll("`", "'")}\`` : text);
  const bullet = isMarkdown ? "- " : "  ";
  const source = method === null ? "" : sourceOf(method);
  const facts = [
    ...(range === null ? [] : [`range ${formatMs(range.from)} to ${formatMs(range.to)} ms`]),
    ...(threads === null ? [] : [`threads ${threads.join(", ")}`]),
    ...report.part,
    ...(method === null
      ? []
      : [`method ${code(method.method)}${source === "" ? "" : ` (${source})`}`]),
    ...(isMarkdown ? [] : [...numberLines(report, false), ...spreadLines(report, false)]),
    ...spreadFacts(report, code),
    ...(call === null ? [] : callLines(report, call)),
    linkLine(report, isMarkdown),
  ];
  const { many } = callWords(info.sampled);
  const title = `${code(info.file)}: ${formatDuration(info.span)}, ${formatCount(info.calls)} ${many}`;
  const lines = [isMarkdown ? `**${title}**` : title, ...(isMarkdown ? [""] : [])];
  lines.push(...facts.map((fact) => bullet + fact));
  const table = isMarkdown ? numberLines(report, true) : [];
  if (table.length > 0) lines.push("", ...table);
  const spread = isMarkdown ? spreadLines(report, true) : [];
  if (spread.length > 0) lines.push("", ...spread);
  if (report.stack.length === 0) return lines.join("\n");
  const frames = report.stack.slice(0, MOST_FRAMES).map((name) => `    at ${name}`);
  const left = report.stack.length - frames.length;
  if (left > 0) frames.push(`    … ${formatCount(left)} more`);
  const fence = isMarkdown ? ["", "```", ...frames, "```"] : ["", ...frames];
  return [...lines, ...fence].join("\n");
}
