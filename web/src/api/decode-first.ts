// The first answer: how the program stands, the settings, the trace, and the site where there is one.

import type { Site } from "../model/site/site";
import type { TraceInfo } from "../model/trace";
import { fieldsOf, flagOr, numberOr, textOr, type Fields } from "./check";
import { decodeInfo } from "./decode";
import { decodeSite } from "./site";

// How things stand when the page asks for the first time, or again.
export interface First {
  // The number of traces that the program has shown so far; 0 before the first.
  readonly trace: number;
  readonly isLoading: boolean;
  // The program can make a page that has the trace in it.
  readonly isPageMaker: boolean;
  // Why the file that was asked for last is not shown.
  readonly error: string | null;
  readonly settings: Fields;
  // The trace that is shown.
  readonly info: TraceInfo | null;
  readonly site: Site | null;
}

export function decodeFirst(value: unknown): First {
  const fields = fieldsOf(value, "first");
  const state = fieldsOf(fields["state"], "state");
  const error = textOr(state, "error", "");
  return {
    trace: numberOr(state, "trace", 0),
    isLoading: flagOr(state, "loading", false),
    isPageMaker: flagOr(state, "saves", false),
    error: error === "" ? null : error,
    settings: fieldsOf(fields["settings"], "settings"),
    info: fields["info"] === undefined ? null : decodeInfo(fields["info"]),
    site: decodeSite(fields["site"]),
  };
}
