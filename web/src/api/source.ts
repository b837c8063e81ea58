// Where the page's answers come from: a server, or an engine inside the page. Nothing above this folder knows which of
// the two it is; what only one of them can do is told by `can`.

import type { PageFile } from "../model/page/single-file";
import type { Shared } from "../model/page/report-note";
import type { ContentApi } from "./content";
import type { Fields } from "./check";
import type { EventHandlers } from "./events";
import type { RecordingApi } from "./recording";

export type Query = Readonly<Record<string, string | number | undefined>>;

// What a source can do besides answering. Views leave out what it cannot.
export interface Abilities {
  // Another trace can be opened.
  readonly open: boolean;
  // A file that was recorded anew is noticed.
  readonly watch: boolean;
  // There is a command line that shows the same: commands can be copied.
  readonly command: boolean;
  // Whom a page that stands alone may speak to; null: a program stands behind the page.
  readonly reach: readonly string[] | null;
  // The page has the traces that the shown one is compared with beside it, and no pages of their own for those.
  readonly holdsTwo?: boolean;
  // Apps on devices can be recorded.
  readonly record?: boolean;
  // What is said about the trace by the maker of the report that the page is; null: it is none.
  readonly shared: Shared | null;
}

// A response of fetch is one.
export interface Answer {
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

// Names a trace of a source. The page's own trace is that which it shows.
export type TraceName = string;
export const OWN_TRACE: TraceName = "";
// The old trace of a page that holds two, in its questions and in its link; of several the first.
export const OLD_TRACE: TraceName = "1";

export interface Source {
  readonly can: Abilities;
  // Which trace is shown, and asking for another one.
  readonly content: ContentApi;
  // Of a source that can record.
  readonly recording?: RecordingApi;
  // One question, as docs/api.md has it, of which `trace` is meant. Throws Refused, Unreachable, or what the signal aborts with.
  ask(trace: TraceName, route: string, query: Query, signal: AbortSignal): Promise<Answer>;
  // Keeps a change (model/page/settings-change.ts) of what is kept.
  saveSettings(change: Fields): Promise<void>;
  // Has a file saved: an export under its name. What becomes of it, the route `exporting` tells by the id.
  saveExport(query: Query, id: number, name: string): void;
  cancelExport(id: number): Promise<void>;
  // Of a source that makes pages with the trace in them.
  makePage?(form: Query, signal: AbortSignal): Promise<PageFile>;
  // Tells what goes on; the function that comes back ends that.
  listen(handlers: EventHandlers): () => void;
}

// The query of an address, without the question mark.
export function queryText(query: Query): string {
  return Object.entries(query)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3A/g, ":")}`,
    )
    .join("&");
}

// Of a site's page: its trace is that of its address, stays what it is, and is no file of the reader's.
export const ON_A_SITE: Abilities = {
  open: false,
  watch: false,
  command: false,
  reach: null,
  shared: null,
};
