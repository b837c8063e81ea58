// What holds for all methods of a comparison together, in sentences.

import { formatCount, plural } from "../../base/format";
import type { Changes } from "./changes";

// Of two traces, or of several runs a side.
export function summaryText(changes: Changes): string {
  const { callsVerdicts: verdicts } = changes;
  if (changes.inBoth === 0) return "The two traces have no method in common.";
  const calls =
    verdicts === null
      ? `Calls are not compared: a trace ${changes.noCounts}.`
      : `Calls of ${plural(verdicts.changed, "method")} changed (${formatCount(changes.added)} new, ` +
        `${formatCount(changes.gone)} gone); of ${formatCount(verdicts.same)} they are the same` +
        (verdicts.undecided > 0
          ? `, and of ${formatCount(verdicts.undecided)} they vary by themselves.`
          : ".");
  return `${calls} ${timesText(changes)}`;
}

// Where no sentence tells of a method.
export function nothingText(isCounted: boolean): string {
  return isCounted
    ? "No count of calls changed, and no time by a hundredth."
    : "No time changed by a hundredth; calls are not compared.";
}

// What the times of both sides decide.
function timesText(changes: Changes): string {
  const { timeVerdicts: tested, by, least } = changes;
  if (changes.hasOtherProcessors) return "Times are of different processors, and are not tested.";
  if (changes.isOneSample)
    return changes.old.runs + changes.new.runs > 2
      ? "A side has one run: its times are one sample, and decide nothing."
      : "Times are one sample of each side, and decide nothing.";
  if (tested === null) return "";
  const count = tested.changed + tested.same + tested.undecided;
  return (
    `${by === "inclusive" ? "Inclusive" : "Exclusive"} time of ${plural(count, "method")} was tested: ` +
    `${formatCount(tested.changed)} changed by more than ${+(least * 100).toFixed(2)} %, ` +
    `${formatCount(tested.same)} the same within it, ${formatCount(tested.undecided)} undecided.`
  );
}

// The same of two calls.
export function callsSummaryText(changes: Changes): string {
  const { callsVerdicts: verdicts } = changes;
  if (verdicts === null) return `Calls are not compared: the trace ${changes.noCounts}.`;
  return (
    `How often they are called differs for ${plural(verdicts.changed, "method")} ` +
    `(${formatCount(changes.added)} in this call alone, ${formatCount(changes.gone)} in the other alone), ` +
    `and is the same for ${formatCount(verdicts.same)}.`
  );
}
