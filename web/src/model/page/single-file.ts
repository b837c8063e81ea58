// The trace as one page: what is asked for.

import type { Measure } from "../trace";
import { exportedPart, firstChoice, type DownloadChoice, type InView } from "./download";

// The program takes a form of 64 KiB, and a letter may need nine of them.
export const TITLE_MOST = 200;
export const NOTE_MOST = 4000;

// A page that was made and is not saved yet.
export interface PageFile {
  readonly name: string;
  readonly blob: Blob;
}

// What the sender of a page writes.
export interface PageWords {
  readonly title: string;
  readonly note: string;
}
export const NO_WORDS: PageWords = { title: "", note: "" };

export interface PageChoice extends DownloadChoice, PageWords {}

// Calls stay whole in a page: filters and hidden packages are of the view.
export function wholeCalls(seen: InView): InView {
  return { ...seen, filter: "", hidden: [], lens: null, chosenCalls: null };
}

// A selected range or chosen threads are most likely meant; what the timeline shows is only where the reader begins.
export function firstPageChoice(
  seen: InView,
  measure: Measure,
  words: PageWords = NO_WORDS,
): PageChoice {
  return {
    ...firstChoice([], seen, measure),
    time: seen.range === null ? "whole" : "range",
    ...words,
  };
}

// Whether less than the whole trace is saved.
export function isPartOfTrace(choice: PageChoice, seen: InView): boolean {
  const { from, to, threads } = exportedPart(choice, wholeCalls(seen));
  return from !== undefined || to !== undefined || threads !== undefined;
}

// A story is told by the number of an insight, which is another one in a part.
function linkOf(hash: string, isPart: boolean): string {
  const parts = hash.replace(/^#/, "").split("&");
  return parts.filter((part) => !(isPart && part.startsWith("story="))).join("&");
}

// The form of the route `report`. Whoever makes the page fits the link to the part.
export function pageForm(
  choice: PageChoice,
  seen: InView,
  hash: string,
): Record<string, string | number> {
  return {
    ...exportedPart(choice, wholeCalls(seen)),
    title: choice.title.trim(),
    note: choice.note.trim(),
    link: linkOf(hash, isPartOfTrace(choice, seen)),
  };
}
