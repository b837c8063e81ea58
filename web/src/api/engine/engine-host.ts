// The engines of the page: one answers about the trace that is shown, and about those that it is compared with. Another trace is read by an engine of its own, so that the
// shown one stays until the next is there; and exports are made by an engine of their own, so that questions do not wait for them.

import { OPENED_PLACE } from "../../engine/messages";
import {
  Broken,
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
  // another one. The others are read behind it, when one of them is asked about or a second later, so that the page can draw
  // first; `lostOthers` is called where one of them cannot be read, and the trace is alone then.
  open(opened: Opened, tell: TellProgress, lostOthers?: (reason: unknown) => void): Promise<string>;
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

const NEVER = new AbortController().signal;

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

// How long other traces wait once the opened one is read, unless they are asked for, as in the viewer.
const BEHIND_MS = 1000;

// Others that are read behind the opened trace.
interface Behind {
  begin(): void;
  readonly done: Promise<void>;
}

// Whether a question is about other traces than the one that was opened. Two calls are of one.
const isOfOthers = (place: number, route: string, query: string): boolean =>
  place !== OPENED_PLACE || (route !== "calldiff" && /(?:^|&)(?:old|new)=/.test(query));

// An engine of exports gives its memory back when nobody has asked for it for this long.
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
  let behind: Behind | null = null;

  const readBehind = (
    { others = [], ...own }: Opened,
    worker: EngineWorker,
    lostOthers: (reason: unknown) => void,
  ): Behind => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const timer = self.setTimeout(begin, BEHIND_MS);
    const read = async (): Promise<void> => {
      await begun;
      self.clearTimeout(timer);
      if (behind !== mine) throw cancelled();
      await answers.put({ kind: "add", others }, NEVER, false, () => undefined);
    };
    const mine: Behind = { begin: () => begin(), done: read() };
    mine.done.catch((problem: unknown) => {
      if (behind !== mine) return;
      behind = null;
      hasOthers = false;
      answers.show(own, problem instanceof Broken ? null : worker);
      lostOthers(problem);
    });
    return mine;
  };

  const cancel = (): void => {
    coming?.end(cancelled());
    coming = null;
  };

  // Of one trace alone.
  const makeFilesOf = ({ others: _, ...one }: Opened): void => {
    if (exports !== answers) exports.show(one, null);
  };

  // Has a worker read the trace: gives what its mapping knows.
  const read = async (
    now: Opened,
    tell: TellProgress,
    lostOthers: (reason: unknown) => void,
  ): Promise<string> => {
    const { others, ...own } = now;
    const worker = isPlain(now) ? (spare ?? makeWorker()) : makeFor(now);
    if (worker === spare) spare = null;
    coming = worker;
    const begun = performance.now();
    let known: string;
    try {
      const { body } = await worker.call({ kind: "open", ...own }, { progress: tell });
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
        return await read({ ...now, isOther: true }, tell, lostOthers);
      throw problem;
    } finally {
      if (coming === worker) coming = null;
    }
    answers.show(now, worker);
    hasOthers = others !== undefined;
    behind = hasOthers ? readBehind(now, worker, lostOthers) : null;
    makeFilesOf(now);
    return known;
  };

  return {
    open: async (now, tell, lostOthers = () => undefined) => {
      cancel();
      return read(now, tell, lostOthers);
    },
    cancel,
    isOpen: answers.isOpen,
    makeFilesOf,
    ask: async (place, route, query, signal) => {
      if (behind !== null && isOfOthers(place, route, query)) {
        behind.begin();
        await behind.done;
      }
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
