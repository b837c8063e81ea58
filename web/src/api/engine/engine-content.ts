// Which trace the engine shows, and asking for another one: a file of the user's, one that was opened before, the example, an
// address, what another window hands over, or what the page itself has in it.

import { isAbortError } from "./abort";
import type { Offer } from "../../model/page/offer";
import type { RecentFile, StartList } from "../../model/page/recent";
import type { ContentApi } from "../content";
import type { EventHandlers } from "../events";
import type { MappingFile } from "../../engine/messages";
import { fieldsOf, type Fields } from "../check";
import type { EngineHost, TellProgress } from "./engine-host";
import { WrongMapping, type TraceFile } from "./engine-worker";
import { handlePicker, type Handle } from "../file-handles";
import { keepFile, keptFiles, keptHandle } from "./browser-storage";
import { forgetTrace, keepNone, keepTrace, keptTrace, keptTraces } from "./kept-traces";

// A trace that can be had: its name at once, its bytes when they are asked for, once more for each reading.
export interface Wish {
  readonly name: string;
  take(signal: AbortSignal, tell: TellProgress): Promise<TraceFile>;
  // Whether the browser keeps a copy of it from now on.
  readonly isKept?: boolean;
}

export interface Example {
  readonly name: string;
  readonly bytes: number;
  readonly address: string;
}

export interface EngineContent {
  readonly api: ContentApi;
  readonly traceNumber: number;
  readonly isLoading: boolean;
  readonly error: string | null;
  // What the mapping of the shown trace knows of it, as the state of the first answer has it; null: it has none.
  readonly names: Fields | null;
  open(wish: Wish): void;
  // Lets the user decide about a trace.
  offer(offer: Offer): void;
  listen(handlers: EventHandlers): () => void;
  // The shown trace is gone, since it could not be read again.
  lost(reason: unknown): void;
}

const messageOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message : String(problem);

// The file is read as it was chosen. Read again, it is as it is then, where the browser gives it again.
function fileWish(file: File, asking: Promise<Handle | null>): Wish {
  let isFirst = true;
  return {
    name: file.name,
    isKept: true,
    take: async (signal, tell) => {
      const handle = isFirst ? null : await asking;
      isFirst = false;
      return handle === null ? file : handleWish(handle).take(signal, tell);
    },
  };
}

// Asks for the file each time, so that a file that was recorded anew is read as it is now.
function handleWish(handle: Handle): Wish {
  return {
    name: handle.name,
    isKept: true,
    take: async () => {
      if ((await handle.requestPermission?.({ mode: "read" })) === "denied")
        throw new Error("the browser does not let this page read it: choose the file again");
      const file = await handle.getFile();
      void keepFile(handle, file);
      return file;
    },
  };
}

// A trace of which the browser has a copy.
export function keptWish(id: string, name: string): Wish {
  return {
    name,
    isKept: true,
    take: async () => {
      const kept = await keptTrace(id);
      if (kept === null) throw new Error("the browser has forgotten it: choose the file again");
      return kept.file;
    },
  };
}

// Files that the browser gives again and copies that it keeps, as one list; the copy of a file is one with it.
async function recentFiles(): Promise<RecentFile[]> {
  const [files, kept] = await Promise.all([keptFiles(), keptTraces()]);
  const left = new Set(kept);
  const listed = files.map((file) => {
    const copy = kept.find(({ name, file: { size } }) => name === file.name && size === file.bytes);
    if (copy === undefined || !left.delete(copy)) return file;
    return { ...file, keptId: copy.id };
  });
  const copies = [...left].map(({ id, name, openedSeconds, file }) => ({
    ...{ id, name, openedSeconds, bytes: file.size, keptId: id },
    folder: "kept in this browser",
  }));
  return [...listed, ...copies].sort((a, b) => b.openedSeconds - a.openedSeconds);
}

// Reads an answer piece by piece, to tell how far it is.
export function addressWish(name: string, address: string): Wish {
  return {
    name,
    take: async (signal, tell) => {
      let response: Response;
      try {
        response = await fetch(address, { signal, credentials: "same-origin" });
      } catch (problem) {
        if (isAbortError(problem)) throw problem;
        throw new Error(
          `${address} could not be fetched: it does not answer, its server does not permit other pages (CORS), or the content policy of this page does not permit its host`,
        );
      }
      if (!response.ok) throw new Error(`${address} answered ${response.status}`);
      const of = Number(response.headers.get("content-length") ?? 0);
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      const reader = response.body?.getReader();
      let done = 0;
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done) break;
        pieces.push(next.value);
        done += next.value.length;
        tell(done, Math.max(done, of), "fetching");
      }
      return new Blob(pieces);
    },
  };
}

// The address names the trace that it was opened with no longer.
function leaveAddress(): void {
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
}

// `example`: null where none came with the page.
export function createEngineContent(host: EngineHost, example: Example | null): EngineContent {
  const pick = handlePicker();
  const listeners = new Set<EventHandlers>();
  const each = (tell: (handlers: EventHandlers) => void): void => listeners.forEach(tell);
  let traceNumber = 0;
  let shown: Wish | null = null;
  let shownMapping: MappingFile | undefined;
  let taking: AbortController | null = null;
  let error: string | null = null;
  let names: Fields | null = null;

  const run = async (
    wish: Wish,
    mine: AbortController,
    mapping: MappingFile | undefined,
  ): Promise<void> => {
    const tell: TellProgress = (done, of, step) =>
      each((to) => to.progress({ done, of, step, file: wish.name }));
    const file = await wish.take(mine.signal, tell);
    if (mine.signal.aborted) return;
    const known = await host.open(
      { name: wish.name, file, ...(mapping === undefined ? {} : { mapping }) },
      tell,
    );
    names =
      mapping === undefined
        ? null
        : { mapping: mapping.name, given: true, ...fieldsOf(JSON.parse(known), "names") };
    if (wish !== shown) {
      if (wish.isKept === true && file instanceof Blob) void keepTrace(wish.name, file);
      else keepNone();
    }
    shown = wish;
    shownMapping = mapping;
    traceNumber += 1;
    error = null;
  };

  const open = (wish: Wish, mapping?: MappingFile): void => {
    taking?.abort();
    host.cancel();
    const mine = new AbortController();
    taking = mine;
    error = null;
    void run(wish, mine, mapping)
      .catch((problem: unknown) => {
        if (isAbortError(problem) || taking !== mine) return;
        const isMapping = problem instanceof WrongMapping;
        // The trace is shown as it was before, and the mapping alone is refused.
        if (!isMapping) error = `${wish.name}: ${messageOf(problem)}`;
        each((to) => to.failed(wish.name, messageOf(problem), isMapping));
      })
      .finally(() => {
        if (taking !== mine) return;
        taking = null;
        each((to) => to.ready(traceNumber));
      });
  };

  const openAnother = (wish: Wish): void => {
    leaveAddress();
    open(wish);
  };

  return {
    get traceNumber() {
      return host.isOpen() ? traceNumber : 0;
    },
    get isLoading() {
      return taking !== null;
    },
    get error() {
      return error;
    },
    get names() {
      return names;
    },
    open: (wish) => open(wish),
    offer: (one) => each((to) => to.offered(one)),
    listen: (handlers) => {
      listeners.add(handlers);
      return () => listeners.delete(handlers);
    },
    lost: (reason) => {
      const name = shown?.name ?? "the trace";
      each((to) => to.failed(name, messageOf(reason), false));
    },
    api: {
      recent: async (): Promise<StartList> => ({
        files: await recentFiles(),
        example: example === null ? null : { name: example.name, bytes: example.bytes },
      }),
      send: (file, _tell, _signal, askHandle) => {
        const asking = askHandle();
        void asking.then((handle) => (handle === null ? undefined : keepFile(handle, file)));
        openAnother(fileWish(file, asking));
        return Promise.resolve(null);
      },
      rename: (file, isForced) => {
        if (shown === null)
          return Promise.reject(new Error("open its trace first, then give its mapping"));
        open(shown, file === null ? undefined : { name: file.name, file, isForced });
        return Promise.resolve();
      },
      choose:
        pick === null
          ? null
          : async () => {
              const handle = await pick();
              if (handle !== null) openAnother(handleWish(handle));
            },
      openRecent: async (id) => {
        const handle = await keptHandle(id);
        if (handle !== null) openAnother(handleWish(handle));
        else openAnother(keptWish(id, (await keptTrace(id))?.name ?? "the trace"));
        return null;
      },
      forget: forgetTrace,
      openExample: () => {
        if (example !== null) openAnother(addressWish(example.name, example.address));
        return Promise.resolve(null);
      },
      reload: () => {
        if (shown !== null) open(shown, shownMapping);
        return Promise.resolve();
      },
      cancel: () => {
        taking?.abort();
        taking = null;
        host.cancel();
        each((to) => to.ready(traceNumber));
        return Promise.resolve();
      },
    },
  };
}
