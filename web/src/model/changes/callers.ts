// Where in the tree calls changed, and which threads differ, in sentences: calls of a method that moved from some callers
// to others, and threads by name with what they called. The same as the command's sections Callers and Threads.

import { formatCount, formatDuration, plural } from "../../base/format";
import {
  OF_TRACES,
  callsText,
  type CallerChanges,
  type CallerPath,
  type Changes,
  type MovedCalls,
  type SideWords,
} from "./changes";
import type { ThreadChange, ThreadSide } from "./thread-change";

// Callers of a path that are named.
const CALLERS_SHOWN = 3;

// The name without its signature, which the row of the table has.
export function shortName(method: string): string {
  return method.replace(/ \(.*$/, "");
}

function rangeChange(was: string, is: string, words: SideWords): string {
  return words === OF_TRACES
    ? `${was} became ${is}`
    : `${was} in the other call, ${is} in this one`;
}

function endText(end: CallerPath, count: number, word: string, words: SideWords): string {
  const callers = end.path.slice(0, -1);
  const shown = callers.slice(-CALLERS_SHOWN).map(shortName);
  const isCut = end.above > 0 || shown.length < callers.length;
  const place =
    callers.length === 0 && end.above === 0
      ? "without a caller"
      : `below ${isCut ? "... > " : ""}${shown.join(" > ")}`;
  const most = count > 1 ? ` (most of ${formatCount(count)} paths with ${word})` : "";
  return `${place} ${rangeChange(callsText(end.old.calls), callsText(end.new.calls), words)}${most}`;
}

// "3 calls moved: below A > B 4 became 1, below A > C 1 became 4"
export function movedText(moved: MovedCalls, changes: Changes, words: SideWords): string {
  const isExact = changes.old.runs === 1 && changes.new.runs === 1;
  const verb =
    words === OF_TRACES ? "moved" : moved.calls === 1 ? "has another caller" : "have other callers";
  return (
    `${isExact ? "" : "at least "}${plural(moved.calls, "call")} ${verb}: ` +
    `${endText(moved.from, moved.fewerIn, "fewer", words)}, ` +
    endText(moved.to, moved.moreIn, "more", words)
  );
}

// "... > A > B > C": a path by its last callers, and the method.
export function pathText({ path, above }: CallerPath): string {
  const shown = path.slice(-CALLERS_SHOWN - 1).map(shortName);
  return `${above > 0 || shown.length < path.length ? "... > " : ""}${shown.join(" > ")}`;
}

// "4 calls became 5"
export function pathCallsText({ old, new: now }: CallerPath, words: SideWords): string {
  const was = `${callsText(old.calls)} ${old.calls[1] === 1 ? "call" : "calls"}`;
  return rangeChange(was, callsText(now.calls), words);
}

export function threadText({ old, new: now }: ThreadChange): string {
  const numbers = (side: ThreadSide): string =>
    `${callsText(side.calls)} ${side.calls[1] === 1 ? "call" : "calls"}, ${formatDuration(side.time)}`;
  if (old.threads[1] === 0) return `is new: ${numbers(now)}`;
  if (now.threads[1] === 0) return `is gone: it had ${numbers(old)}`;
  const threads =
    callsText(old.threads) === callsText(now.threads)
      ? ""
      : `${callsText(now.threads)} threads of this name, ${callsText(old.threads)} before; `;
  return `has ${threads}${numbers(now)}, before ${numbers(old)}`;
}

// What holds for all paths together, as the command says it.
export function callersText(callers: CallerChanges, words: SideWords): string {
  if (callers.changed === 0 && callers.moved === 0)
    return "No method of both sides has other calls below callers that have the same.";
  const verb = words === OF_TRACES ? "moved to other callers" : "have other callers";
  return (
    `On ${plural(callers.changed, "path")} the calls of a method of both sides ${words === OF_TRACES ? "changed" : "differ"}, ` +
    `and not only as its caller's ${words === OF_TRACES ? "did" : "do"}; ` +
    `calls of ${plural(callers.moved, "method")} ${verb}.`
  );
}

// The threads that are told of: one that is all of both traces says nothing that the totals do not.
export function toldThreads(changes: Changes): readonly ThreadChange[] {
  const threads = changes.callers?.threads ?? [];
  const [only] = threads;
  const isAll =
    threads.length === 1 &&
    only?.old.calls[1] === changes.old.calls &&
    only.new.calls[1] === changes.new.calls;
  return isAll ? [] : threads;
}

export function threadsText(threads: readonly ThreadChange[]): string {
  const added = threads.filter((thread) => thread.old.threads[1] === 0).length;
  const gone = threads.filter((thread) => thread.new.threads[1] === 0).length;
  const verb = threads.length === 1 ? "has" : "have";
  return (
    `${plural(threads.length, "name")} of threads ${verb} other calls ` +
    `(${formatCount(added)} new, ${formatCount(gone)} gone).`
  );
}
