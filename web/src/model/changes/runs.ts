// Several runs a side: which traces they are, as a link has them ("2,3~1,5": the old ones, then the new ones), and what is told
// of the one that is shown.

import { formatCount } from "../../base/format";

// Traces of the page's source by their names.
export interface Runs {
  readonly old: readonly string[];
  readonly new: readonly string[];
}

export type RunsSide = keyof Runs;

// The most traces that a question takes.
export const MOST_RUNS = 32;

export function isTraceName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

export function writeRuns(runs: Runs): string {
  return `${runs.old.join(",")}~${runs.new.join(",")}`;
}

// Null: the text names no runs, one of them twice, or too many.
export function readRuns(text: string | null): Runs | null {
  const sides = (text ?? "").split("~").map((side) => side.split(","));
  const [old, now] = sides;
  const all = sides.flat();
  if (sides.length !== 2 || old === undefined || now === undefined) return null;
  if (all.length > MOST_RUNS || new Set(all).size < all.length || !all.every(isTraceName))
    return null;
  return { old, new: now };
}

// What a side is as a whole: of several runs one is the most typical.
export interface RunsTold {
  readonly files: readonly string[];
  // The place among the files.
  readonly typical: number;
}

interface RunsSideShown extends RunsTold {
  readonly shown: number;
}

// "run 3 of 5 is shown"; -1: the trace that is shown is none of them.
export function runText(shown: number, { files }: RunsTold): string {
  if (shown < 0) return `none of ${formatCount(files.length)} runs is shown`;
  return `run ${formatCount(shown + 1)} of ${formatCount(files.length)} is shown`;
}

// Below what is of one run of each side, where there are several: "of one run a side: old run 3 of 5, the most typical, …".
export function oneRunText(old: RunsSideShown | null, now: RunsSideShown | null): string {
  const of = (word: string, side: RunsSideShown | null): string[] => {
    if (side === null || side.files.length < 2) return [];
    const { shown, files, typical } = side;
    const which =
      shown < 0
        ? `${word} one that is none of the ${formatCount(files.length)} runs`
        : `${word} run ${formatCount(shown + 1)} of ${formatCount(files.length)}`;
    return [shown === typical ? `${which}, the most typical` : which];
  };
  const sides = [...of("old", old), ...of("new", now)];
  return sides.length === 0 ? "" : `of one run a side: ${sides.join("; ")}`;
}

// Behind that text.
export function whyText(shown: number, { typical }: RunsTold): string {
  return shown === typical ? ": the most typical" : "";
}
