// A worker with a trace in it, and the questions that wait for it. A worker that breaks down, or that an expression keeps
// busy without end, is ended; a new worker reads the file again and answers the questions that still wait.

import type { MappingFile, OtherTrace } from "../../engine/messages";
import {
  Broken,
  type Call,
  type EngineAnswer,
  type EngineWorker,
  type TraceFile,
} from "./engine-worker";

export interface Opened {
  readonly name: string;
  readonly file: TraceFile;
  // The mapping by which the methods are renamed.
  readonly mapping?: MappingFile;
  // The traces that this one is compared with, and other runs of its own side.
  readonly others?: readonly OtherTrace[];
  // Only the engine's second module, which makes files, knows the format.
  readonly isOther?: true;
}

interface EngineLine {
  // Answers are about this trace from now on. The worker `by` has read it; null: a worker reads it when something is asked.
  // Questions about the former trace are dropped.
  show(opened: Opened, by: EngineWorker | null): void;
  isOpen(): boolean;
  // `isStopping`: where the caller aborts the question while it runs, its worker is ended.
  put(
    call: Call,
    signal: AbortSignal,
    isStopping: boolean,
    piece: (body: ArrayBuffer) => void,
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

export interface LineOptions {
  // A question with an expression that takes longer is given up, with its worker.
  readonly expressionMs?: number;
  // A worker that nobody has asked for idleMs is ended, which frees its memory. Without idleMs a worker stays, and one
  // that was ended is replaced at once.
  readonly idleMs?: number;
  // Called when the trace could not be read again, and is given up. Without `lost`, each question tries to read it again.
  readonly lost?: (reason: unknown) => void;
}

// An expression is compared with each name. One that takes longer than this has too many ways to match, and would not
// end while somebody waits.
const EXPRESSION_MS = 8000;

const TOO_LONG =
  "this expression takes too long: it has too many ways to match a name. Write it without repetitions inside of repetitions.";

export const cancelled = (): DOMException => new DOMException("cancelled", "AbortError");

// Whether a query has an expression in it: "/expression/".
function hasExpression(call: Call): boolean {
  if (call.kind === "open" || call.kind === "add") return false;
  const query = call.kind === "report" ? call.form : call.query;
  return /(?:^|&)(?:match|q)=(?:\/|%2F)/i.test(query);
}

export function createEngineLine(
  makeWorker: (trace: Opened) => EngineWorker,
  { expressionMs = EXPRESSION_MS, idleMs, lost }: LineOptions,
): EngineLine {
  const waiting: Question[] = [];
  let shown: EngineWorker | null = null;
  let coming: EngineWorker | null = null;
  let opened: Opened | null = null;
  let running: Question | null = null;
  let idle = 0;

  const read = async (trace: Opened): Promise<void> => {
    const worker = makeWorker(trace);
    shown = null;
    coming = worker;
    try {
      await worker.call({ kind: "open", ...trace });
      if (coming === worker) shown = worker;
    } catch (problem) {
      worker.end(cancelled());
      if (coming !== worker) return;
      for (const one of waiting.splice(0)) one.reject(problem);
      if (lost === undefined) return;
      opened = null;
      lost(problem);
    } finally {
      if (coming === worker) coming = null;
    }
  };

  const run = async (one: Question, by: EngineWorker): Promise<void> => {
    const timer = hasExpression(one.call)
      ? self.setTimeout(() => by.end(new Broken(TOO_LONG)), expressionMs)
      : 0;
    // Other questions run to their end when nobody wants their answer: that takes less than a new worker.
    const stop = (): void => by.end(cancelled());
    if (one.isStopping) one.signal.addEventListener("abort", stop);
    try {
      one.resolve(await by.call(one.call, { piece: one.piece }));
    } catch (problem) {
      one.reject(problem);
      const isEnded = problem instanceof Broken || (one.isStopping && one.signal.aborted);
      if (isEnded && shown === by) {
        shown = null;
        if (opened !== null && idleMs === undefined) await read(opened);
      }
    } finally {
      self.clearTimeout(timer);
      one.signal.removeEventListener("abort", stop);
    }
  };

  const letGo = (): void => {
    if (running !== null || coming !== null) return;
    shown?.end(cancelled());
    shown = null;
  };

  const next = (): void => {
    if (running !== null || coming !== null || opened === null) return;
    self.clearTimeout(idle);
    if (waiting.length === 0) {
      if (idleMs !== undefined && shown !== null) idle = self.setTimeout(letGo, idleMs);
      return;
    }
    if (shown === null) {
      void read(opened).then(next);
      return;
    }
    const one = waiting.shift();
    if (one === undefined) return;
    running = one;
    void run(one, shown).finally(() => {
      if (running === one) running = null;
      next();
    });
  };

  return {
    show: (now, by) => {
      for (const worker of [shown, coming]) if (worker !== by) worker?.end(cancelled());
      shown = by;
      coming = null;
      opened = now;
      running = null;
      for (const one of waiting.splice(0)) one.reject(cancelled());
    },
    isOpen: () => opened !== null,
    put: (call, signal, isStopping, piece) =>
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
      }),
  };
}
