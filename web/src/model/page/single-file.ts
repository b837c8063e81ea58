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

export interface PageChoice extends DownloadChoice {
  readonly title: string;
  readonly note: string;
}

// Calls stay whole in a page: filters and hidden packages are of the view.
export function wholeCalls(seen: InView): InView {
  return { ...seen, filter: "", hidden: [], lens: null, chosenCalls: null };
}

// A selected range or chosen threads are most likely meant; what the timeline shows is only where the reader begins.
export function firstPageChoice(seen: InView, measure: Measure): PageChoice {
  return {
    ...firstChoice([], seen, measure),
    time: seen.range === null ? "whole" : "range",
    title: "",
    note: "",
  };
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
    link: hash.replace(/^#/, ""),
  };
}
