// The engines of the page: one answers about the trace that is shown, and about those that it is compared with. Another trace is read by an engine of its own, so that the
// shown one stays until the next is there; and exports are made by an engine of their own, so that questions do not wait for them.

import {
  UnknownFile,
  type Call,
  type EngineAnswer,
  type EngineWorker,
  type PagePieces,
} from "./engine-worker";
import { cancelled, createEngineLine, type LineOptions, type Opened } from "./engine-line";

export type TellProgress = (done: number, of: number, step: string) => void;

export interface EngineHost {
  // Reads a trace; it is shown when the promise is fulfilled, with what its mapping knows as JSON. Ends the reading of
  // another one.
  open(opened: Opened, tell: TellProgress): Promise<string>;
  // Ends what `open` began.
  cancel(): void;
  isOpen(): boolean;
  // Files are made of this trace from now on, which is another run of those that `open` has read.
  makeFilesOf(one: Opened): void;
  // `place`: of the trace that is meant, in the engine.
  ask(place: number, route: string, query: string, signal: AbortSignal): Promise<EngineAnswer>;
  // The pieces of the file come before the answer, which says what became of it.
  exporting(
    query: string,
    piece: (body: ArrayBuffer) => void,
    signal: AbortSignal,
  ): Promise<EngineAnswer>;
  // The same for a page with the trace in it.
  reporting(
    form: string,
    pieces: PagePieces,
    piece: (body: ArrayBuffer) => void,
    signal: AbortSignal,
  ): Promise<EngineAnswer>;
}

// The routes about what is made of a trace, beside "export".
const OF_EXPORTS: ReadonlySet<string> = new Set([
  "before",
  "calldiff",
  "checkdiff",
  "counts",
  "diff",
  "exports",
  "flamediff",
  "insightsdiff",
  "lanesdiff",
  "preview",
  "rules",
  "trend",
]);

// An engine of exports that nobody has asked for so long gives its memory back.
const EXPORTER_IDLE_MS = 60_000;

// `makeExporter`: null where the engine that answers makes the exports, too. Only an engine that makes exports knows
// mappings, compares traces, and reads files that phones do not write as such: the first one has to be short.
export function createEngineHost(
  makeWorker: () => EngineWorker,
  makeExporter: (() => EngineWorker) | null,
  options: LineOptions,
): EngineHost {
  const isPlain = ({ mapping, others, isOther }: Opened): boolean =>
    mapping === undefined && others === undefined && isOther === undefined;
  const makeFor = (opened: Opened): EngineWorker =>
    isPlain(opened) ? makeWorker() : (makeExporter ?? makeWorker)();
  const answers = createEngineLine(makeFor, options);
  const exports =
    makeExporter === null ? answers : createEngineLine(makeExporter, { idleMs: EXPORTER_IDLE_MS });
  // A worker that is ready for the first trace.
  let spare: EngineWorker | null = makeWorker();
  let coming: EngineWorker | null = null;
  let hasOthers = false;

  const cancel = (): void => {
    coming?.end(cancelled());
    coming = null;
  };

  // Of one trace alone.
  const makeFilesOf = ({ others: _, ...one }: Opened): void => {
    if (exports !== answers) exports.show(one, null);
  };

  // Has a worker read the trace: gives what its mapping knows.
  const read = async (now: Opened, tell: TellProgress): Promise<string> => {
    const worker = isPlain(now) ? (spare ?? makeWorker()) : makeFor(now);
    if (worker === spare) spare = null;
    coming = worker;
    const begun = performance.now();
    let known: string;
    try {
      const { body } = await worker.call({ kind: "open", ...now }, { progress: tell });
      known = new TextDecoder().decode(body);
      // For who measures (bench/page_alone.mjs).
      performance.measure("trace read", { start: begun });
    } catch (problem) {
      worker.end(cancelled());
      if (
        problem instanceof UnknownFile &&
        coming === worker &&
        isPlain(now) &&
        makeExporter !== null
      )
        return await read({ ...now, isOther: true }, tell);
      throw problem;
    } finally {
      if (coming === worker) coming = null;
    }
    answers.show(now, worker);
    hasOthers = now.others !== undefined;
    makeFilesOf(now);
    return known;
  };

  return {
    open: async (now, tell) => {
      cancel();
      return read(now, tell);
    },
    cancel,
    isOpen: answers.isOpen,
    makeFilesOf,
    ask: (place, route, query, signal) => {
      const isChecking = route === "export"; // what a file would be called
      const call: Call = isChecking
        ? { kind: "export", query }
        : { kind: "ask", place, route, query };
      const line = isChecking || (OF_EXPORTS.has(route) && !hasOthers) ? exports : answers;
      return line.put(call, signal, false, () => undefined);
    },
    exporting: (query, piece, signal) =>
      exports.put({ kind: "export", query }, signal, true, piece),
    reporting: (form, pieces, piece, signal) =>
      exports.put({ kind: "report", form, ...pieces }, signal, true, piece),
  };
}
