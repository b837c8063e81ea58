// The engine that has the trace which is shown, and the questions that wait for it. Another trace is read by an engine of its own,
// so that the shown one stays until the next is there. An engine that breaks down, or that an expression keeps busy
// without end, is ended; another one reads the file again, and goes on with what waits.

import {
  Broken,
  type Call,
  type EngineAnswer,
  type EngineWorker,
  type PagePieces,
} from "./engine-worker";

export interface Opened {
  readonly name: string;
  readonly file: Blob;
}

export type TellProgress = (done: number, of: number, step: string) => void;

export interface EngineHost {
  // Reads a trace; it is shown when the promise is fulfilled. Ends the reading of another one.
  open(opened: Opened, tell: TellProgress): Promise<void>;
  // Ends what `open` began.
  cancel(): void;
  isOpen(): boolean;
  ask(route: string, query: string, signal: AbortSignal): Promise<EngineAnswer>;
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

interface Question {
  readonly call: Call;
  readonly piece: (body: ArrayBuffer) => void;
  readonly isStopping: boolean;
  readonly signal: AbortSignal;
  resolve(answer: EngineAnswer): void;
  reject(reason: unknown): void;
}

// An expression is compared with each name: who has not answered by then goes through its combinations without end.
const EXPRESSION_MS = 8000;

const TOO_LONG =
  "this expression takes too long: it has too many ways to match a name. Write it without repetitions inside of repetitions.";

const cancelled = (): DOMException => new DOMException("cancelled", "AbortError");

// Whether a query has an expression in it: "/expression/".
function hasExpression(call: Call): boolean {
  const query = call.kind === "open" ? "" : call.kind === "report" ? call.form : call.query;
  return /(?:^|&)(?:match|q)=(?:\/|%2F)/i.test(query);
}

// `lost` is called when the shown trace could not be read again.
export function createEngineHost(
  makeWorker: () => EngineWorker,
  lost: (reason: unknown) => void,
  expressionMs = EXPRESSION_MS,
): EngineHost {
  const waiting: Question[] = [];
  // A worker that is ready for the first trace.
  let spare: EngineWorker | null = makeWorker();
  let coming: EngineWorker | null = null;
  let shown: EngineWorker | null = null;
  let opened: Opened | null = null;
  let running: Question | null = null;

  const restart = async (): Promise<void> => {
    if (opened === null) return;
    const next = makeWorker();
    shown = null;
    try {
      await next.call({ kind: "open", ...opened });
      shown = next;
    } catch (problem) {
      next.end(cancelled());
      opened = null;
      for (const one of waiting.splice(0)) one.reject(problem);
      lost(problem);
    }
  };

  const run = async (one: Question, by: EngineWorker): Promise<void> => {
    const timer = hasExpression(one.call)
      ? self.setTimeout(() => by.end(new Broken(TOO_LONG)), expressionMs)
      : 0;
    // A running export is ended with its engine; an answer that nobody wants any more comes soon.
    const stop = (): void => by.end(cancelled());
    if (one.isStopping) one.signal.addEventListener("abort", stop);
    try {
      one.resolve(await by.call(one.call, { piece: one.piece }));
    } catch (problem) {
      one.reject(problem);
      const isEnded = problem instanceof Broken || (one.isStopping && one.signal.aborted);
      if (isEnded && shown === by) await restart();
    } finally {
      self.clearTimeout(timer);
      one.signal.removeEventListener("abort", stop);
    }
  };

  const next = (): void => {
    if (running !== null || shown === null) return;
    const one = waiting.shift();
    if (one === undefined) return;
    running = one;
    void run(one, shown).finally(() => {
      if (running === one) running = null;
      next();
    });
  };

  const put = (
    call: Call,
    signal: AbortSignal,
    isStopping: boolean,
    piece: (body: ArrayBuffer) => void,
  ): Promise<EngineAnswer> =>
    new Promise((resolve, reject) => {
      const one: Question = { call, piece, isStopping, signal, resolve, reject };
      if (signal.aborted) return reject(cancelled());
      signal.addEventListener("abort", () => {
        const ix = waiting.indexOf(one);
        if (ix >= 0) waiting.splice(ix, 1);
        reject(cancelled());
      });
      waiting.push(one);
      next();
    });

  // Questions to the former trace are nobody's any more.
  const replace = (by: EngineWorker, now: Opened): void => {
    const former = shown;
    shown = by;
    opened = now;
    running = null;
    for (const one of waiting.splice(0)) one.reject(cancelled());
    former?.end(cancelled());
  };

  const cancel = (): void => {
    coming?.end(cancelled());
    coming = null;
  };

  return {
    open: async (now, tell) => {
      cancel();
      const worker = spare ?? makeWorker();
      spare = null;
      coming = worker;
      try {
        await worker.call({ kind: "open", ...now }, { progress: tell });
      } catch (problem) {
        worker.end(cancelled());
        throw problem;
      } finally {
        if (coming === worker) coming = null;
      }
      replace(worker, now);
    },
    cancel,
    isOpen: () => opened !== null,
    ask: (route, query, signal) =>
      put({ kind: "ask", route, query }, signal, false, () => undefined),
    exporting: (query, piece, signal) => put({ kind: "export", query }, signal, true, piece),
    reporting: (form, pieces, piece, signal) =>
      put({ kind: "report", form, ...pieces }, signal, true, piece),
  };
}
