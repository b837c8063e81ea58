// "Explain this selection": the numbers of what is selected, what they mean, and the commands that show them again, as text for
// a person or an assistant. Nothing is sent anywhere: it is copied.

import { isInCall, stepsOf, type Lens } from "./lens";
import type { Lasting } from "./link-parts";
import { formatMs, formatCount, formatPercent } from "../base/format";
import { mappingOption, reportText, shellWord, type Report } from "./report";
import { timeOn, type Measure, type ProfilePage, type ProfileRow } from "./trace";
import { callWords, MEASURE_WORDS } from "./words";

// What the commands need besides the report.
export interface Place {
  // Ids of the chosen threads; null: all.
  readonly threads: readonly number[] | null;
  readonly measure: Measure;
  readonly hide: string;
  // Whether threads that only waited count in lists of waits.
  readonly isIdleCounted: boolean;
  // The methods whose own code took most, as `traceview top` has them, and of what their shares are.
  readonly top: ProfilePage;
  readonly whole: string;
  readonly lens: Lens | null;
  // The whole name of a method by its rank; null: it is not known.
  nameOf(rank: number): string | null;
}

// As often the commands take --thread.
const MOST_THREADS = 128;

// "1.5ms": exact, and read by every option that takes a time.
function timeOf(ns: number): string {
  return `${Math.round(ns) / 1e6}ms`;
}

// "cpu:1ms..5ms"
function lastingOption({ measure, from, below }: Lasting): string[] {
  return ["--duration", `${measure}:${timeOf(from)}..${below === null ? "" : timeOf(below)}`];
}

function stepOptions(step: Lens, { nameOf, hide }: Place): string[] {
  if (step.kind === "within")
    return ["--call", shellWord(`${nameOf(step.rank) ?? step.rank}#${step.ordinal + 1}`)];
  const lasting = step.lasting === undefined ? [] : lastingOption(step.lasting);
  if (step.kind === "search") return ["--search", shellWord(step.text), ...lasting];
  const option = step.kind === "methods" ? "--method" : "--path";
  const ranks = step.kind === "upwards" ? [...step.ranks].reverse() : step.ranks;
  const names = ranks.flatMap((rank) => [option, shellWord(nameOf(rank) ?? String(rank))]);
  const isPath = step.kind !== "methods";
  return [
    ...(step.kind === "along" ? ["--path", "^"] : []),
    ...names,
    // Where it is not told, the command leaves those of --hide out of the path.
    ...(isPath && step.past !== hide ? ["--past", shellWord(step.past)] : []),
    ...lasting,
  ];
}

function lensOptions(place: Place): string[] {
  return stepsOf(place.lens).flatMap((step, ix) => [
    ...(ix === 0 ? [] : ["--then"]),
    ...stepOptions(step, place),
  ]);
}

// The options of the part that is looked at. A lens of one call has its own time and thread.
function partOptions(report: Report, place: Place): string[] {
  const { range } = report;
  const isOfCall = isInCall(place.lens);
  return [
    "--clock",
    place.measure,
    ...(range === null || isOfCall
      ? []
      : [`--from ${timeOf(range.from)} --to ${timeOf(range.to)}`]),
    ...(place.threads === null || isOfCall
      ? []
      : place.threads.flatMap((id) => ["--thread", String(id)])),
    ...(place.hide === "" ? [] : ["--hide", shellWord(place.hide)]),
    ...lensOptions(place),
  ];
}

// "40 + 18,560 recursive"
function callsOf({ calls, recursiveCalls }: ProfileRow): string {
  const recursive = recursiveCalls === 0 ? "" : ` + ${formatCount(recursiveCalls)} recursive`;
  return `${formatCount(calls)}${recursive}`;
}

// The first lines of what `traceview top` tells.
function topLines({ info }: Report, { measure, top, whole }: Place): string[] {
  const total = timeOn(top.total, measure) ?? 0;
  const cell = (ns: number): string => {
    const share = formatPercent(ns, total);
    return `${formatMs(ns)} ms${share === "" ? "" : ` (${share})`}`;
  };
  const { word } = MEASURE_WORDS[measure];
  return [
    `Whose own code took most ${word}, of ${formatCount(top.count)} methods; ${whole}:`,
    "",
    `| method | exclusive | inclusive | ${callWords(info.sampled).many} |`,
    "| --- | ---: | ---: | ---: |",
    ...top.rows.map(
      (row) =>
        `| \`${row.method}\` | ${cell(timeOn(row.exclusive, measure) ?? 0)} | ` +
        `${cell(timeOn(row.inclusive, measure) ?? 0)} | ${callsOf(row)} |`,
    ),
  ];
}

function commandsOf(report: Report, place: Place): string[] {
  const { info, method, call } = report;
  const file = `${mappingOption(info)}${shellWord(info.file)}`;
  const part = partOptions(report, place).join(" ");
  const isTooMany = !isInCall(place.lens) && (place.threads?.length ?? 0) > MOST_THREADS;
  const name = method === null ? null : shellWord(method.method);
  const ofCall = call === null ? null : shellWord(`${call.method.method}#${call.ordinal + 1}`);
  const idle = place.isIdleCounted && place.measure === "wait" ? "--idle " : "";
  const hide = place.hide === "" ? "" : ` --hide ${shellWord(place.hide)}`;
  return [
    `traceview info ${file}`,
    `traceview insights ${file}`,
    ...(isTooMany ? [] : [`traceview top ${idle}${part} ${file}`]),
    ...(name === null || isTooMany ? [] : [`traceview callers ${idle}${part} ${file} ${name}`]),
    ...(ofCall === null
      ? []
      : [`traceview tree --clock ${place.measure}${hide} --call ${ofCall} ${file}`]),
  ];
}

function meanings(report: Report): string[] {
  const { info } = report;
  const { many } = callWords(info.sampled);
  const both = info.clocks.length > 1;
  return [
    `Inclusive time has what was called, exclusive time is the method's own code. Recursive ${many} count once in inclusive time.`,
    ...(both
      ? [
          "Wall time is what a clock on the wall says, CPU time what the thread's clock says; the difference is waiting.",
        ]
      : []),
    ...(info.sampled
      ? [
          "The trace is sampled: counts are of runs of samples, and what is shorter than the interval is missing.",
        ]
      : ["The trace has every call: recording made short methods look longer than they are."]),
    ...info.findings
      .filter((finding) => finding.severity !== "note")
      .map((finding) => `Of the file: ${finding.text}`),
  ];
}

export function explanationText(report: Report, place: Place): string {
  return [
    reportText(report, true),
    "",
    ...topLines(report, place),
    "",
    "What the numbers mean:",
    "",
    ...meanings(report).map((line) => `- ${line}`),
    "",
    "Commands that show it again, to whoever has the file (`--json` gives the same to a program):",
    "",
    "```",
    ...commandsOf(report, place),
    "```",
  ].join("\n");
}
