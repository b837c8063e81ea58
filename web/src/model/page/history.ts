// Which changes of the page get an entry of their own in the browser's history, so that Back leads
// through the views; other changes replace the present entry.

import { writeUrl, type UrlState } from "./url-state";

// What of the state makes a step: where the user is, and what of the time axis is in view.
export interface Step {
  readonly place: string;
  readonly view: string;
}

export const NO_STEP: Step = { place: "", view: "" };

// Moves of the view that follow one another this soon are one step.
const MOVE_MS = 1000;

export function stepOf(state: UrlState): Step {
  const place = writeUrl({
    ...state,
    view: null,
    search: "",
    // Showing only matches is a step, each letter of the search is none.
    filter: state.filter === "" ? "" : "on",
    sort: null,
    unfolded: null,
    marks: [],
  });
  const { view } = state;
  return { place, view: view === null ? "" : `${view.from}-${view.to}` };
}

export function isNewEntry(former: Step, now: Step, sinceMoveMs: number): boolean {
  if (now.place !== former.place) return true;
  return now.view !== former.view && sinceMoveMs > MOVE_MS;
}
