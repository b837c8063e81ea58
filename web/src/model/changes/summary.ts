// What holds for all methods of a comparison together, in sentences.

import { formatCount, plural } from "../../base/format";
import { signedShare, type Changes } from "./changes";
import type { Median } from "./median";

function undecidedText(undecided: number, byMapping: number): string {
  const varying = undecided - byMapping;
  const mapped =
    byMapping > 0
      ? ` ${plural(byMapping, "method")} cannot be compared: one side's mapping of names says that they were inlined or merged there.`
      : "";
  return (varying > 0 ? `, and of ${formatCount(varying)} they vary by themselves.` : ".") + mapped;
}

// Of two traces, or of several runs a side.
export function summaryText(changes: Changes): string {
  const { callsVerdicts: verdicts } = changes;
  if (changes.inBoth === 0 && verdicts !== null) return "The two traces have no method in common.";
  const calls =
    verdicts === null
      ? `Calls are not compared: a trace ${changes.noCounts}.`
      : `Calls of ${plural(verdicts.changed, "method")} changed (${formatCount(changes.added)} new, ` +
        `${formatCount(changes.gone)} gone); of ${formatCount(verdicts.same)} they are the same` +
        undecidedText(verdicts.undecided, changes.byMapping ?? 0);
  return `${calls} ${timesText(changes)}`;
}

// Where no sentence tells of a method. `own` is the same comparison by exclusive time.
export function nothingText(whole: Changes, own: Changes): string {
  const calls =
    whole.callsVerdicts === null
      ? "Calls are not compared"
      : whole.callsVerdicts.undecided > 0
        ? "No count of calls is sure to have changed"
        : "No count of calls changed";
  return `${calls}, and ${nothingOfTimes(own)}.`;
}

function nothingOfTimes({ timeVerdicts: tested, isOneSample }: Changes): string {
  if (isOneSample) return "no time of a method's own code differs by a hundredth of the total";
  if (tested === null) return "times are not tested";
  return (
    `no time of a method's own code ${tested.undecided > 0 ? "is sure to have changed" : "changed"} ` +
    "by a hundredth of the total"
  );
}

// What the times of both sides decide.
function timesText(changes: Changes): string {
  const { timeVerdicts: tested, by, least } = changes;
  if (changes.noTimes !== "" && changes.noTimes === changes.noCounts) return "Nor are times.";
  if (changes.noTimes !== "") return `Times are not tested: a trace ${changes.noTimes}.`;
  if (changes.hasMixedKinds)
    return "Times are of samples here and of each call there, and are not tested.";
  if (changes.hasOtherProcessors) return "Times are of different processors, and are not tested.";
  if (changes.isOneSample)
    return changes.old.runs + changes.new.runs > 2
      ? "A side has one run: its times are one sample, and decide nothing."
      : "Times are one sample of each side, and decide nothing.";
  if (tested === null) return "";
  const count = tested.changed + tested.same + tested.undecided;
  return (
    `${medianText(changes.median)}${by === "inclusive" ? "Inclusive" : "Exclusive"} time of ${plural(count, "method")} was tested: ` +
    `${formatCount(tested.changed)} changed by more than ${+(least * 100).toFixed(2)} %, ` +
    `${formatCount(tested.same)} the same within it, ${formatCount(tested.undecided)} undecided.`
  );
}

// What all methods have in common is told, as it is in none of the changes.
function medianText(median: Median | null): string {
  if (median === null) return "";
  const { noMachine, methods, leftOut, unmoved } = median;
  const told = `The median method: ${signedShare(1 + (median.share ?? 0), 1)}`;
  const notDivided = "times are not divided by";
  switch (noMachine) {
    case "":
      return `${told}, which is the machine, or a change of everything; tested changes are beside it, and times are as measured. `;
    case "few":
      return `Fewer than 20 methods have 0.1 ms of their own: ${notDivided} the machine. `;
    case "other_calls":
      return (
        `Fewer than 20 methods call and are called as before (${formatCount(methods)} of ${formatCount(methods + leftOut)} ` +
        `with 0.1 ms of their own): ${notDivided} the machine. `
      );
    case "two_clusters":
      return (
        `${told}, but ${formatCount(unmoved)} of ${formatCount(methods)} moved by less than half of that, ` +
        `so it is not the machine: ${notDivided} it. `
      );
    case "other_total":
      return `${told}, but all methods together moved by less than half of that, so it is not the machine: ${notDivided} it. `;
  }
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
