// The first answer: how the program stands, the settings, the trace, and the site where there is one.

import { readRuns, type Runs } from "../model/changes/runs";
import type { Site } from "../model/site/site";
import type { TraceInfo } from "../model/trace";
import { fieldsOf, flagOr, nameOr, numberOr, textOr, type Fields } from "./check";
import { decodeInfo } from "./decode";
import type { NamesKnown } from "../model/mapping";
import { decodeSite } from "./site";

// How things stand when the page asks for the first time, or again.
export interface First {
  // The number of traces that the program has shown so far; 0 before the first.
  readonly trace: number;
  readonly isLoading: boolean;
  // The program can make a page that has the trace in it.
  readonly isPageMaker: boolean;
  // What the page holds beside the shown trace; null: each trace has a page of its own.
  readonly held: Held | null;
  // Why the file that was asked for last is not shown.
  readonly error: string | null;
  readonly settings: Fields;
  // The trace that is shown.
  readonly info: TraceInfo | null;
  readonly site: Site | null;
}

// The traces of a page that holds several.
export interface Held {
  // The name of the shown one in questions.
  readonly own: string;
  // Which traces it is compared with, by a number of those that were read at once; 0: it is not.
  readonly compared: number;
  // All of them, where there are more than one of each side; null: there are not.
  readonly runs: Runs | null;
}

function decodeHeld(state: Fields): Held | null {
  const own = textOr(state, "own", "");
  const runs = readRuns(textOr(state, "runs", ""));
  return own === "" ? null : { own, compared: numberOr(state, "compared", 0), runs };
}

function decodeNames(value: unknown): NamesKnown | null {
  if (value === undefined) return null;
  const fields = fieldsOf(value, "names");
  return {
    mapping: nameOr(fields, "mapping", "a mapping"),
    isGiven: flagOr(fields, "given", false),
    counts:
      fields["renamed"] === undefined
        ? null
        : {
            isById: flagOr(fields, "by_id", false),
            renamed: numberOr(fields, "renamed", 0),
            asked: numberOr(fields, "asked", 0),
            known: numberOr(fields, "known", 0),
          },
  };
}

// The trace, and by which mapping its methods have their names.
function infoOf(value: unknown, names: NamesKnown | null): TraceInfo | null {
  if (value === undefined) return null;
  return { ...decodeInfo(value), ...(names === null ? {} : { names }) };
}

export function decodeFirst(value: unknown): First {
  const fields = fieldsOf(value, "first");
  const state = fieldsOf(fields["state"], "state");
  const error = textOr(state, "error", "");
  return {
    trace: numberOr(state, "trace", 0),
    isLoading: flagOr(state, "loading", false),
    isPageMaker: flagOr(state, "saves", false),
    held: decodeHeld(state),
    error: error === "" ? null : error,
    settings: fieldsOf(fields["settings"], "settings"),
    info: infoOf(fields["info"], decodeNames(state["names"])),
    site: decodeSite(fields["site"]),
  };
}
