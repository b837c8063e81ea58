// The answers of the routes diff and before.

import type { BeforeAnswer } from "../model/before";
import {
  VERDICTS,
  type Change,
  type Changes,
  type ChangesSide,
  type ChangeSide,
  type Verdict,
} from "../model/changes/changes";
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
  return {
    file: files[0] ?? "",
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

function changeOf(value: unknown, path: string): Change {
  const fields = fieldsOf(value, path);
  const calls = textOr(fields, "calls_verdict", "");
  return {
    method: nameOr(fields, "method", ""),
    calls: calls === "" ? null : verdictOf(calls),
    time: verdictOf(textOf(fields, "time_verdict")),
    old: changeSideOf(fields["old"], `${path}.old`),
    new: changeSideOf(fields["new"], `${path}.new`),
    byCalls: numberOf(fields, "by_calls_ns"),
    byCost: numberOf(fields, "by_cost_ns"),
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
  const verdicts = fields["calls_verdicts"];
  const counts = verdicts === undefined ? null : fieldsOf(verdicts, "calls_verdicts");
  const list = (key: string): Change[] => listOf(fields[key], key, changeOf);
  return {
    old: sideOf(fields["old"], "old"),
    new: sideOf(fields["new"], "new"),
    clock: textOf(fields, "clock") === "cpu" ? "cpu" : "wall",
    by: textOf(fields, "by") === "exclusive" ? "exclusive" : "inclusive",
    inBoth: numberOf(fields, "in_both"),
    gone: numberOf(fields, "gone"),
    added: numberOf(fields, "added"),
    callsVerdicts:
      counts === null
        ? null
        : {
            changed: numberOf(counts, "changed"),
            same: numberOf(counts, "same"),
            undecided: numberOf(counts, "undecided"),
          },
    noCounts: nameOr(fields, "no_counts", ""),
    isOneSample: flagOr(fields, "one_sample", false),
    list: unitedOf([list("calls"), list("times"), list("undecided")]),
    leftOut: numberOr(fields, "left_out", 0),
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
