// One worker with an engine in it: messages to it as promises. What is said of the engine's breakdown is said here, since
// this is where it is noticed.

import type {
  Decoder,
  FromWorker,
  Lengths,
  MappingFile,
  OtherTrace,
  ToWorker,
} from "../../engine/messages";

export interface EngineAnswer {
  readonly status: number;
  readonly body: ArrayBuffer;
}

// A packed trace that is still on its way into the page. Each time it is asked for, its pieces come from the first on.
export interface ComingFile extends Lengths {
  pieces(): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export type TraceFile = Blob | ComingFile;

// A message that is answered, before it gets its number.
export type Call =
  | {
      readonly kind: "open";
      readonly name: string;
      readonly file: TraceFile;
      readonly mapping?: MappingFile;
      readonly others?: readonly OtherTrace[];
    }
  | { readonly kind: "add"; readonly others: readonly OtherTrace[] }
  | {
      readonly kind: "ask";
      readonly place: number;
      readonly route: string;
      readonly query: string;
    }
  | { readonly kind: "export"; readonly query: string }
  | ({ readonly kind: "report"; readonly form: string } & PagePieces);

// What a page is made of besides the trace: the template, and the engine by gzip.
export interface PagePieces {
  readonly template: string;
  readonly engine: ArrayBuffer;
}

interface Told {
  progress(done: number, of: number, step: string): void;
  piece(body: ArrayBuffer): void;
}

export interface EngineWorker {
  call(call: Call, told?: Partial<Told>): Promise<EngineAnswer>;
  // What is under way fails with `reason`.
  end(reason: unknown): void;
}

// The engine is gone: it broke down, or it was ended because it did not come to an end.
export class Broken extends Error {}

// The mapping is of another build than the trace: it could be forced.
export class WrongMapping extends Error {}

// The engine does not know the format of the file.
export class UnknownFile extends Error {}

// What of a Worker is used; a test has its own.
interface Port {
  postMessage(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

interface Pending {
  readonly told: Partial<Told>;
  resolve(answer: EngineAnswer): void;
  reject(reason: unknown): void;
}

const broke = (text: string): Broken =>
  new Broken(
    `the engine in this page broke down at this (${text}). Try again; if that does not help, ` +
      "open the file with the program: traceview FILE",
  );

export function createEngineWorker(
  port: Port,
  module: Promise<WebAssembly.Module>,
  decoder: Decoder = "",
): EngineWorker {
  const pending = new Map<number, Pending>();
  let count = 0;
  let ended: unknown = null;

  const end = (reason: unknown): void => {
    if (ended !== null) return;
    ended = reason;
    port.terminate();
    for (const { reject } of pending.values()) reject(reason);
    pending.clear();
  };
  const settle = (id: number, how: (one: Pending) => void): void => {
    const one = pending.get(id);
    pending.delete(id);
    if (one !== undefined) how(one);
  };

  port.onmessage = ({ data }) => {
    switch (data.kind) {
      case "answer":
        return settle(data.id, (one) => one.resolve(data));
      case "failed":
        return settle(data.id, (one) => one.reject(new Error(data.text)));
      case "refused":
        return settle(data.id, (one) => one.reject(new WrongMapping(data.text)));
      case "other":
        return settle(data.id, (one) => one.reject(new UnknownFile(data.text)));
      case "piece":
        return pending.get(data.id)?.told.piece?.(data.body);
      case "progress":
        for (const { told } of pending.values()) told.progress?.(data.done, data.of, data.step);
        return undefined;
      case "broken":
        return end(broke(data.text));
    }
  };
  port.onerror = (event) => end(broke(event.message));
  port.onmessageerror = () => end(broke("a message could not be read"));
  module.then(
    (code) => {
      if (ended === null) port.postMessage({ kind: "start", module: code, decoder });
    },
    (problem: unknown) => end(problem),
  );

  // Sends the pieces of a file behind the call that opens it, for as long as they are wanted.
  const sendPieces = async (id: number, file: ComingFile): Promise<void> => {
    try {
      for await (const piece of file.pieces()) {
        if (!pending.has(id)) return;
        port.postMessage({ kind: "take", id, piece }, [piece.buffer]);
      }
      if (pending.has(id)) port.postMessage({ kind: "take", id, piece: null });
    } catch (problem) {
      settle(id, (one) => one.reject(problem));
    }
  };
  const send = (call: Call, id: number): void => {
    if (call.kind !== "open" || call.file instanceof Blob)
      return port.postMessage({ ...call, id } as ToWorker);
    const { packed, unpacked } = call.file;
    port.postMessage({ ...call, id, file: { packed, unpacked } });
    void sendPieces(id, call.file);
  };

  return {
    call: async (call, told = {}) => {
      await module;
      if (ended !== null) throw ended;
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        pending.set(id, { told, resolve, reject });
        send(call, id);
      });
    },
    end,
  };
}
