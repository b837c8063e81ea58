// Which trace the engine shows, and asking for another one: a file of the user's, one that was opened before, the example, an
// address, what another window hands over, or what the page itself has in it.

import { isAbortError } from "./abort";
import type { Offer } from "../../model/page/offer";
import { MOST_TWO, type StartList } from "../../model/page/recent";
import type { ContentApi } from "../content";
import type { EventHandlers } from "../events";
import type { MappingFile, OldTrace } from "../../engine/messages";
import { fieldsOf, type Fields } from "../check";
import type { EngineHost, TellProgress } from "./engine-host";
import { WrongMapping, type TraceFile } from "./engine-worker";
import { handlePicker } from "../file-handles";
import { keepFile } from "./browser-storage";
import { forgetTrace, keepNone, keepShown } from "./kept-traces";
import {
  addressWish,
  fileWish,
  handleWish,
  recentFiles,
  recentWish,
  type Wish,
} from "./trace-files";

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
  // Whether the shown trace is compared with another one.
  readonly hasOld: boolean;
  open(wish: Wish, old?: Wish | null): void;
  // Lets the user decide about a trace.
  offer(offer: Offer): void;
  listen(handlers: EventHandlers): () => void;
  // The shown trace is gone, since it could not be read again.
  lost(reason: unknown): void;
}

const messageOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message : String(problem);

// A trace that was read: what was wished for, and what came of it.
interface Shown {
  readonly wish: Wish;
  readonly file: TraceFile;
  readonly mapping: MappingFile | undefined;
}

// As the old side of the next trace. Its mapping was taken already.
function asOld({ wish, file, mapping }: Shown): OldTrace {
  if (!(file instanceof Blob)) throw new Error("a page compares no trace that is a part of itself");
  return {
    name: wish.name,
    file,
    ...(mapping === undefined ? {} : { mapping: { ...mapping, isForced: true } }),
  };
}

// The address names the trace that it was opened with no longer.
function leaveAddress(): void {
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
}

// The address names both traces the other way round.
function turnAddress(): void {
  const names = new URLSearchParams(location.search);
  const [opened, old] = [names.get("url"), names.get("against")];
  if (opened === null || old === null) return;
  names.set("url", old);
  names.set("against", opened);
  history.replaceState(null, "", `${location.pathname}?${names.toString()}${location.hash}`);
}

// What is to be shown next.
interface Request {
  readonly wish: Wish;
  readonly mapping?: MappingFile;
  // What it is compared with: a trace that was read before, or one that is to be had; null: it is not.
  readonly beside: Shown | Wish | null;
}

const alone = (wish: Wish): Request => ({ wish, beside: null });

async function taken(wish: Wish, signal: AbortSignal, tell: TellProgress): Promise<Shown> {
  return { wish, file: await wish.take(signal, tell), mapping: undefined };
}

// For a reload. Of two traces both are kept or the shown one alone.
function keep({ wish, file }: Shown, other: Shown | null): void {
  if (wish.isKept !== true || !(file instanceof Blob)) return keepNone();
  const isOldKept = other?.wish.isKept === true && other.file instanceof Blob;
  const old = isOldKept ? { name: other.wish.name, file: other.file as Blob } : null;
  void keepShown({ name: wish.name, file }, old);
}

// `example`: null where none came with the page.
export function createEngineContent(host: EngineHost, example: Example | null): EngineContent {
  const pick = handlePicker();
  const listeners = new Set<EventHandlers>();
  const each = (tell: (handlers: EventHandlers) => void): void => listeners.forEach(tell);
  let traceNumber = 0;
  let shown: Shown | null = null;
  // What the shown one is compared with.
  let old: Shown | null = null;
  let taking: AbortController | null = null;
  let error: string | null = null;
  let names: Fields | null = null;

  const run = async ({ wish, mapping, beside }: Request, mine: AbortController): Promise<void> => {
    const tell: TellProgress = (done, of, step) =>
      each((to) => to.progress({ done, of, step, file: wish.name }));
    const other =
      beside === null || "file" in beside ? beside : await taken(beside, mine.signal, tell);
    const file = await wish.take(mine.signal, tell);
    if (mine.signal.aborted) return;
    const known = await host.open(
      {
        name: wish.name,
        file,
        ...(mapping === undefined ? {} : { mapping }),
        ...(other === null ? {} : { old: asOld(other) }),
      },
      tell,
    );
    names =
      mapping === undefined
        ? null
        : { mapping: mapping.name, given: true, ...fieldsOf(JSON.parse(known), "names") };
    if (wish !== shown?.wish || other?.wish !== old?.wish) keep({ wish, file, mapping }, other);
    shown = { wish, file, mapping };
    old = other;
    traceNumber += 1;
    error = null;
  };

  const open = (request: Request): void => {
    const { wish } = request;
    taking?.abort();
    host.cancel();
    const mine = new AbortController();
    taking = mine;
    error = null;
    void run(request, mine)
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
    open(alone(wish));
  };
  const openBoth = (beside: Wish, wish: Wish): void => {
    leaveAddress();
    open({ wish, beside });
  };
  const openBeside = (wish: Wish): void => {
    if (shown === null) return openAnother(wish);
    leaveAddress();
    open({ wish, beside: shown });
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
    get hasOld() {
      return old !== null && host.isOpen();
    },
    open: (wish, other = null) => open({ wish, beside: other }),
    offer: (one) => each((to) => to.offered(one)),
    listen: (handlers) => {
      listeners.add(handlers);
      return () => listeners.delete(handlers);
    },
    lost: (reason) => {
      const name = shown?.wish.name ?? "the trace";
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
        const mapping = file === null ? {} : { mapping: { name: file.name, file, isForced } };
        open({ wish: shown.wish, beside: old, ...mapping });
        return Promise.resolve();
      },
      choose:
        pick === null
          ? null
          : async () => {
              const handles = await pick();
              const [first, second, more] = handles;
              if (more !== undefined) throw new Error(MOST_TWO);
              if (first === undefined) return;
              if (second === undefined) return openAnother(handleWish(first));
              const files = await Promise.all([first.getFile(), second.getFile()]);
              const isTurned = files[0].lastModified > files[1].lastModified;
              const [old, opened] = isTurned ? [second, first] : [first, second];
              openBoth(handleWish(old), handleWish(opened));
            },
      openRecent: async (id) => {
        openAnother(await recentWish(id));
        return null;
      },
      two: {
        compare: (file) => {
          openBeside(fileWish(file, Promise.resolve(null)));
          return Promise.resolve();
        },
        compareRecent: async (id) => openBeside(await recentWish(id)),
        openBoth: (first, second) => {
          openBoth(fileWish(first, Promise.resolve(null)), fileWish(second, Promise.resolve(null)));
          return Promise.resolve();
        },
        swap: () => {
          if (shown !== null && old !== null) {
            const { wish, mapping } = old;
            turnAddress();
            open({ wish, beside: shown, ...(mapping === undefined ? {} : { mapping }) });
          }
          return Promise.resolve();
        },
      },
      forget: forgetTrace,
      openExample: () => {
        if (example !== null) openAnother(addressWish(example.name, example.address));
        return Promise.resolve(null);
      },
      reload: () => {
        if (shown !== null) {
          const { wish, mapping } = shown;
          open({ wish, beside: old, ...(mapping === undefined ? {} : { mapping }) });
        }
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
