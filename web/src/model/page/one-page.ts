// The trace as one page: what the program is asked for, and the view that the page opens at.

import type { Range } from "../../base/time";
import { wholeRange } from "../../base/time";
import type { Measure } from "../trace";
import { exportedPart, firstChoice, type DownloadChoice, type InView } from "./download";
import { readUrl, writeUrl, type UrlState } from "./url-state";

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
  return { ...seen, filter: "", hidden: [] };
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

function cutOf(choice: PageChoice, seen: InView): Range | null {
  if (choice.time === "whole") return null;
  const range = choice.time === "view" ? seen.view : seen.range;
  return range === null ? null : wholeRange(range);
}

// Times of a part begin where it begins. Null: it is not in the part.
function moved(range: Range | null, cut: Range | null): Range | null {
  if (range === null || cut === null) return range;
  const from = Math.max(range.from, cut.from) - cut.from;
  const to = Math.min(range.to, cut.to) - cut.from;
  return from < to ? { from, to } : null;
}

const NAMELESS = {
  threads: null,
  unfolded: null,
  pinned: [],
  hidden: [],
  order: [],
  method: null,
  call: null,
  search: "",
  filter: "",
  without: [],
  ops: [],
  zoom: [],
};

function cutState(state: UrlState, cut: Range | null): UrlState {
  if (cut === null) return state;
  return {
    ...state,
    view: moved(state.view, cut),
    crumbs: state.crumbs.flatMap((range) => moved(range, cut) ?? []),
    picked: moved(state.picked, cut),
    marks: state.marks.flatMap((mark) => {
      const range = moved(mark, cut);
      return range === null ? [] : [{ ...mark, ...range, call: null }];
    }),
    // Its calls are counted anew: the method stays selected.
    call: null,
  };
}

// The link of a view, for the page: its times are those of the part, and where names are redacted it has none.
export function pageLink(hash: string, choice: PageChoice, seen: InView): string {
  const state = cutState(readUrl(hash), cutOf(choice, seen));
  if (!choice.isRedacted) return writeUrl(state);
  const marks = state.marks.map((mark) => ({ ...mark, text: "", call: null }));
  return writeUrl({ ...state, ...NAMELESS, marks });
}

// The form of the program's route `report`.
export function pageForm(
  choice: PageChoice,
  seen: InView,
  hash: string,
): Record<string, string | number> {
  return {
    ...exportedPart(choice, wholeCalls(seen)),
    title: choice.title.trim(),
    note: choice.note.trim(),
    link: pageLink(hash, choice, seen),
  };
}
