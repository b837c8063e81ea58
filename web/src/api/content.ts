// Which trace this page shows, and opening another one, which has a page of its own where this one shows a trace. What cannot be
// read is refused here, so that nobody is led to a page that has nothing. A file is sent by XMLHttpRequest, since fetch does not tell
// how much of it has been sent.

import type { RecentFile, StartList } from "../model/page/recent";
import type { Handle } from "./file-handles";
import { Refused, Unreachable } from "./request";
import { visibleText } from "../base/text";
import { fieldsOf, listOf, nameOr, numberOr, textOf, textOr } from "./check";

// The address of the page that shows an opened trace; null: this page does.
export type OtherPage = string | null;

// Asks for the file's handle; to be called at once or not at all.
export type AskHandle = () => Promise<Handle | null>;

// Of a page that holds several traces: opening others. What was shown is the old side then.
interface TwoApi {
  compare(files: readonly File[]): Promise<void>;
  compareRecent(id: string): Promise<void>;
  // Opens both sides; either has a file.
  openSides(old: readonly File[], opened: readonly File[]): Promise<void>;
  swap(): Promise<void>;
  // Shows another run of the new side.
  show(name: string): Promise<void>;
}

export interface ContentApi {
  recent(signal: AbortSignal): Promise<StartList>;
  send(
    file: File,
    tell: (done: number) => void,
    signal: AbortSignal,
    askHandle: AskHandle,
  ): Promise<OtherPage>;
  // Lets the user choose files, and opens one; of several it gives them back. Null: any input for files will do.
  readonly choose: (() => Promise<readonly File[]>) | null;
  // Has the shown trace renamed by a mapping, though it be of another build where that is forced; null: as it was before.
  rename(
    mapping: File | null,
    isForced: boolean,
    tell: (done: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  openRecent(id: string): Promise<OtherPage>;
  // Null: each trace has a page of its own.
  readonly two: TwoApi | null;
  // Forgets the copy of a trace that the browser keeps; null: there are none.
  readonly forget: ((keptId: string) => Promise<void>) | null;
  openExample(): Promise<OtherPage>;
  reload(): Promise<void>;
  cancel(): Promise<void>;
}

function reasonIn(text: string, status: number): string {
  try {
    const reason = textOr(fieldsOf(JSON.parse(text), "error"), "error", "");
    if (reason !== "") return reason;
  } catch {
    // The body holds no reason that can be read: the status stands for it.
  }
  return `the program answered ${status}`;
}

const GONE = "the program does not answer; it may have ended";

export function otherPage(value: unknown): OtherPage {
  const page = textOr(fieldsOf(value, "answer"), "page", "");
  return page === "" || page === self.location.pathname ? null : page;
}

// What is damaged is known as such after its first bytes, mostly. A trace that is read for longer than this tells the rest on its own
// page; the browser lets a page open another one for some seconds after a gesture.
const LOOK_MS = 25;
const LOOKS_MOST_MS = 1500;

// Waits a moment for what the program says of the trace at an address: an error is thrown, anything else is for its own page to tell.
export async function unlessUnreadable(page: OtherPage): Promise<OtherPage> {
  if (page === null) return page;
  for (let waitedMs = 0; waitedMs < LOOKS_MOST_MS; waitedMs += LOOK_MS) {
    const response = await fetch(`${page}api/first`, { cache: "no-store" });
    if (!response.ok) break;
    const first = fieldsOf(await response.json(), "first");
    if (first["info"] !== undefined) break;
    const error = textOr(fieldsOf(first["state"], "state"), "error", "");
    if (error !== "") throw new Refused(response.status, error);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return page;
}

async function put(address: string): Promise<OtherPage> {
  let response: Response;
  try {
    response = await fetch(address, { method: "PUT", cache: "no-store" });
  } catch {
    throw new Unreachable(GONE);
  }
  if (!response.ok)
    throw new Refused(response.status, reasonIn(await response.text(), response.status));
  return otherPage(await response.json());
}

function sendTo(
  address: string,
  file: File,
  tell: (done: number) => void,
  signal: AbortSignal,
  more = "",
): Promise<OtherPage> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `${address}?name=${encodeURIComponent(file.name)}${more}`);
    request.upload.addEventListener("progress", (event) => tell(event.loaded));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve(otherPage(JSON.parse(request.responseText)));
      else reject(new Refused(request.status, reasonIn(request.responseText, request.status)));
    });
    request.addEventListener("error", () => reject(new Unreachable(GONE)));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function decodeFile(value: unknown, path: string): RecentFile {
  const fields = fieldsOf(value, path);
  return {
    id: textOf(fields, "id"),
    name: visibleText(textOf(fields, "name")),
    folder: nameOr(fields, "folder", ""),
    bytes: numberOr(fields, "bytes", 0),
    openedSeconds: numberOr(fields, "opened_s", 0),
  };
}

export function decodeStartList(value: unknown): StartList {
  const fields = fieldsOf(value, "recent");
  const example = fields["example"] ?? null;
  const known = example === null ? null : fieldsOf(example, "example");
  return {
    files: listOf(fields["recent"] ?? [], "recent", decodeFile),
    example:
      known === null ? null : { name: textOf(known, "name"), bytes: numberOr(known, "bytes", 0) },
  };
}

async function recent(signal: AbortSignal): Promise<StartList> {
  const response = await fetch("api/recent", { cache: "no-store", signal });
  if (!response.ok)
    throw new Refused(response.status, reasonIn(await response.text(), response.status));
  return decodeStartList(await response.json());
}

export function createContentApi(): ContentApi {
  return {
    recent,
    send: (file, tell, signal) => sendTo("api/open", file, tell, signal).then(unlessUnreadable),
    rename: async (mapping, isForced, tell, signal) => {
      if (mapping === null) await put("api/mapping?none=1");
      else await sendTo("api/mapping", mapping, tell, signal, isForced ? "&force=1" : "");
    },
    choose: null,
    forget: null,
    two: null,
    openRecent: (id) => put(`api/open?recent=${encodeURIComponent(id)}`).then(unlessUnreadable),
    openExample: () => put("api/open?example=1").then(unlessUnreadable),
    reload: () => put("api/reload").then(() => undefined),
    cancel: () => put("api/cancel").then(() => undefined),
  };
}
