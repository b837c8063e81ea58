// The answers of the routes diff and before.

import type { BeforeAnswer } from "../model/before";
import {
  VERDICTS,
  type CallerChanges,
  type CallerPath,
  type Change,
  type Changes,
  type ChangesSide,
  type ChangeSide,
  type MovedCalls,
  type TimeTest,
  type Verdict,
} from "../model/changes/changes";
import type { Median } from "../model/changes/median";
import type { RunValues } from "../model/run-values";
import type { ThreadChange, ThreadSide } from "../model/changes/thread-change";
import { visibleText } from "../base/text";
import { rowTimesOf } from "./decode";
import {
  BadAnswer,
  fieldsOf,
  flagOr,
  listOf,
  nameOr,
  numberOf,
  numberOr,
  numbersOf,
  textOf,
  textOr,
  type Fields,
} from "./check";

function verdictOf(text: string): Verdict {
  const verdict = VERDICTS.find((known) => known === text);
  if (verdict === undefined)
    throw new BadAnswer(`the program's answer has an unknown verdict ${text}`);
  return verdict;
}

function sideOf(value: unknown, path: string): ChangesSide {
  const fields = fieldsOf(value, path);
  const files = listOf(fields["files"], `${path}.files`, (item) => visibleText(String(item)));
  const typical = numberOr(fields, "typical", 0);
  return {
    file: files[0] ?? "",
    told: typical === 0 ? null : { files, typical: typical - 1 },
    runs: numberOf(fields, "runs"),
    calls: numberOf(fields, "calls"),
    total: numberOf(fields, "total_ns"),
  };
}

function changeSideOf(value: unknown, path: string): ChangeSide {
  const fields = fieldsOf(value, path);
  const calls = numbersOf(fields, "calls");
  return { calls: [calls[0] ?? 0, calls[1] ?? 0], time: numberOf(fields, "time_ns") };
}

function pathOf(value: unknown, path: string): CallerPath {
  const fields = fieldsOf(value, path);
  return {
    path: listOf(fields["path"], `${path}.path`, (item) => visibleText(String(item))),
    above: numberOf(fields, "above"),
    old: changeSideOf(fields["old"], `${path}.old`),
    new: changeSideOf(fields["new"], `${path}.new`),
  };
}

function movedOf(value: unknown, path: string): MovedCalls {
  const fields = fieldsOf(value, path);
  return {
    method: nameOr(fields, "method", ""),
    calls: numberOf(fields, "calls"),
    from: pathOf(fields["from"], `${path}.from`),
    to: pathOf(fields["to"], `${path}.to`),
    fewerIn: numberOf(fields, "fewer_in"),
    moreIn: numberOf(fields, "more_in"),
  };
}

function threadSideOf(value: unknown, path: string): ThreadSide {
  const fields = fieldsOf(value, path);
  const [fewest = 0, most = 0] = numbersOf(fields, "threads");
  const { calls, time } = changeSideOf(value, path);
  return { threads: [fewest, most], calls, time };
}

function threadOf(value: unknown, path: string): ThreadChange {
  const fields = fieldsOf(value, path);
  return {
    name: nameOr(fields, "name", ""),
    old: threadSideOf(fields["old"], `${path}.old`),
    new: threadSideOf(fields["new"], `${path}.new`),
  };
}

// Threads are told of where several are joined; a calling context has none.
function callersOf(fields: Fields): CallerChanges | null {
  if (fields["contexts"] === undefined) return null;
  const contexts = fieldsOf(fields["contexts"], "contexts");
  return {
    changed: numberOf(contexts, "changed"),
    moved: numberOf(contexts, "moved"),
    movedList: listOf(fields["moved"], "moved", movedOf),
    paths: listOf(fields["paths"], "paths", pathOf),
    threads: fields["threads"] === undefined ? [] : listOf(fields["threads"], "threads", threadOf),
  };
}

function changeOf(value: unknown, path: string): Change {
  const fields = fieldsOf(value, path);
  const calls = textOr(fields, "calls_verdict", "");
  const before = changeSideOf(fields["old"], `${path}.old`);
  const after = changeSideOf(fields["new"], `${path}.new`);
  return {
    method: nameOr(fields, "method", ""),
    calls: calls === "" ? null : verdictOf(calls),
    time: verdictOf(textOf(fields, "time_verdict")),
    old: before,
    new: after,
    // Without counts that are the program's there is no split.
    byCalls: numberOr(fields, "by_calls_ns", 0),
    byCost: numberOr(fields, "by_cost_ns", after.time - before.time),
    runs: runsOf(fields),
    test: testOf(fields),
  };
}

function runsOf(fields: Fields): RunValues | null {
  if (fields["old_runs"] === undefined) return null;
  const times = (key: string): readonly number[] =>
    numbersOf(fieldsOf(fields[key], key), "time_ns");
  return { old: times("old_runs"), new: times("new_runs") };
}

const MILLION = 1e6;

function testOf(fields: Fields): TimeTest | null {
  if (fields["p_adjusted_ppm"] === undefined) return null;
  const runs = numberOr(fields, "runs_to_decide", 0);
  return {
    change: numberOf(fields, "change_ppm") / MILLION,
    p: numberOf(fields, "p_adjusted_ppm") / MILLION,
    runsToDecide: runs === 0 ? null : runs,
  };
}

function verdictsOf(fields: Fields, key: string): Record<Verdict, number> | null {
  if (fields[key] === undefined) return null;
  const counts = fieldsOf(fields[key], key);
  return {
    changed: numberOf(counts, "changed"),
    same: numberOf(counts, "same"),
    undecided: numberOf(counts, "undecided"),
  };
}

const NO_MACHINE = ["few", "other_calls", "two_clusters", "other_total"] as const;

// Where nothing is said of the machine, nothing was tested.
function medianOf(fields: Fields): Median | null {
  const noMachine = NO_MACHINE.find((known) => known === fields["no_machine"]) ?? "";
  const ppm = noMachine === "" ? "machine_ppm" : "median_ppm";
  if (noMachine === "" && fields[ppm] === undefined) return null;
  return {
    share: fields[ppm] === undefined ? null : numberOf(fields, ppm) / MILLION,
    noMachine,
    methods: numberOr(fields, "own", 0),
    leftOut: numberOr(fields, "own_left_out", 0),
    unmoved: numberOr(fields, "own_unmoved", 0),
  };
}

// A method may stand in the list of calls and in one of times.
function unitedOf(lists: readonly (readonly Change[])[]): Change[] {
  const seen = new Set<string>();
  return lists.flat().filter((change) => {
    const isNew = !seen.has(change.method);
    seen.add(change.method);
    return isNew;
  });
}

export function decodeChanges(value: unknown): Changes {
  const fields = fieldsOf(value, "diff");
  const list = (key: string): Change[] => listOf(fields[key], key, changeOf);
  return {
    old: sideOf(fields["old"], "old"),
    new: sideOf(fields["new"], "new"),
    clock: textOf(fields, "clock") === "cpu" ? "cpu" : "wall",
    by: textOf(fields, "by") === "exclusive" ? "exclusive" : "inclusive",
    inBoth: numberOf(fields, "in_both"),
    gone: numberOf(fields, "gone"),
    added: numberOf(fields, "added"),
    callsVerdicts: verdictsOf(fields, "calls_verdicts"),
    byMapping: numberOr(fields, "inlined", 0) + numberOr(fields, "ambiguous", 0),
    noCounts: nameOr(fields, "no_counts", ""),
    isOneSample: flagOr(fields, "one_sample", false),
    timeVerdicts: verdictsOf(fields, "time_verdicts"),
    noTimes: nameOr(fields, "no_times", ""),
    median: medianOf(fields),
    hasOtherProcessors: flagOr(fields, "other_processors", false),
    hasMixedKinds: flagOr(fields, "mixed_kinds", false),
    least: numberOf(fields, "least_change_ppm") / MILLION,
    list: unitedOf([list("calls"), list("times"), list("undecided")]),
    leftOut: numberOr(fields, "left_out", 0),
    callers: callersOf(fields),
  };
}

// The answer of the route before: what methods were in another trace.
export function decodeBefore(value: unknown): BeforeAnswer {
  const fields = fieldsOf(value, "before");
  const rows = listOf(fields["methods"], "methods", (item, path) => {
    const row = fieldsOf(item, path);
    const rank = numberOf(row, "rank");
    if (flagOr(row, "merged", false)) return { rank, numbers: null };
    const numbers = {
      calls: numberOf(row, "calls"),
      recursiveCalls: numberOf(row, "recursive_calls"),
      ...rowTimesOf(row, path),
    };
    return { rank, numbers };
  });
  return {
    isCounted: fields["no_counts"] === undefined,
    numbers: new Map(
      rows.flatMap(({ rank, numbers }) => (numbers === null ? [] : [[rank, numbers] as const])),
    ),
    merged: new Set(rows.flatMap(({ rank, numbers }) => (numbers === null ? [rank] : []))),
    leftOut: numberOr(fields, "left_out", 0),
  };
}
