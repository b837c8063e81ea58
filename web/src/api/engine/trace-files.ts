// Traces that a page alone can have: a file of the user's, one that was opened before, an address.

import { isAbortError } from "./abort";
import type { RecentFile } from "../../model/page/recent";
import type { Handle } from "../file-handles";
import { keepFile, keptFiles, keptHandle } from "./browser-storage";
import type { TellProgress } from "./engine-host";
import type { TraceFile } from "./engine-worker";
import { keptTrace, keptTraces } from "./kept-traces";

// A trace that can be had: its name at once, its bytes when they are asked for, once more for each reading.
export interface Wish {
  readonly name: string;
  take(signal: AbortSignal, tell: TellProgress): Promise<TraceFile>;
  // Whether the browser keeps a copy of it from now on.
  readonly isKept?: boolean;
}

// The file is read as it was chosen. Read again, it is as it is then, where the browser gives it again.
export function fileWish(file: File, asking: Promise<Handle | null>): Wish {
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
export function handleWish(handle: Handle): Wish {
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

// One of the list below.
export async function recentWish(id: string): Promise<Wish> {
  const handle = await keptHandle(id);
  if (handle !== null) return handleWish(handle);
  return keptWish(id, (await keptTrace(id))?.name ?? "the trace");
}

// Files that the browser gives again and copies that it keeps, as one list; the copy of a file is one with it.
export async function recentFiles(): Promise<RecentFile[]> {
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
