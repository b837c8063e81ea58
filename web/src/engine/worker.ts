// What runs in the worker beside the page: one engine, and one trace in it, or several that are compared. Messages are worked off one after the other, as
// they come; the page decides which of its questions are still wanted.

import { createEngine } from "./engine";
import { EngineFailure, EngineStopped, MappingRefused, OtherFile } from "./failures";
import {
  OPENED_PLACE,
  type Decoder,
  type FromWorker,
  type MappingFile,
  type OtherTrace,
  type ToWorker,
} from "./messages";
import { unpack, UnreadableFile, type TakeDecoder } from "./unpack";
import { unpackComing } from "./unpack-page-trace";

// Progress is told as often as people can read it.
const TELL_MS = 40;

function say(message: FromWorker): void {
  self.postMessage(message, { transfer: "body" in message ? [message.body] : [] });
}

function createTeller(): (done: number, of: number, step: string) => void {
  let told = -TELL_MS;
  return (done, of, step) => {
    const now = performance.now();
    if (now - told < TELL_MS) return;
    told = now;
    say({ kind: "progress", done, of, step });
  };
}

const tell = createTeller();

const loadEngine = (module: WebAssembly.Module) =>
  createEngine(module, {
    progress: (done, of) => {
      tell(done, of, "reading");
      return true;
    },
  });
type Loaded = Awaited<ReturnType<typeof loadEngine>>;

type Piece = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Piece>;

// The files that come piece by piece, by the numbers of the calls that open them. The pieces come while such a call waits for its
// turn, too.
interface Incoming {
  take(message: Extract<ToWorker, { kind: "take" }>): void;
  pieces(id: number): ReadableStream<Piece>;
  forget(id: number): void;
}

function createIncoming(): Incoming {
  const files = new Map<number, { stream: ReadableStream<Piece>; give: Controller }>();
  const fileOf = (id: number): { stream: ReadableStream<Piece>; give: Controller } => {
    const known = files.get(id);
    if (known !== undefined) return known;
    let give!: Controller;
    const stream = new ReadableStream<Piece>({ start: (controller) => void (give = controller) });
    const made = { stream, give };
    files.set(id, made);
    return made;
  };
  return {
    take: ({ id, piece }) => {
      const { give } = fileOf(id);
      if (piece === null) give.close();
      else give.enqueue(piece);
    },
    pieces: (id) => fileOf(id).stream,
    forget: (id) => void files.delete(id),
  };
}

const responseOf = (decoder: Decoder): Response | Promise<Response> =>
  decoder instanceof Blob
    ? new Response(decoder.stream().pipeThrough(new DecompressionStream("gzip")))
    : fetch(decoder);

// Made when it is needed first; where that fails, once more the next time, and until then there is none.
function createDecoder(decoder: Decoder): TakeDecoder {
  let module: WebAssembly.Module | null = null;
  return async () => {
    if (module !== null || decoder === "") return module;
    try {
      const response = await responseOf(decoder);
      if (response.ok) module = await WebAssembly.compile(await response.arrayBuffer());
    } catch {
      return null;
    }
    return module;
  };
}

type OpenCall = Extract<ToWorker, { kind: "open" }>;
type Unpacked = Awaited<ReturnType<typeof unpack>>;

async function unpackFile(file: Blob, takeDecoder: TakeDecoder): Promise<Unpacked> {
  const unpacked = await unpack(file, (done) => tell(done, file.size, unpacked.step), takeDecoder);
  return unpacked;
}

// Has the next trace renamed.
async function rename(
  engine: Loaded,
  mapping: MappingFile | undefined,
  takeDecoder: TakeDecoder,
): Promise<void> {
  if (mapping === undefined) return;
  const text = await unpackFile(mapping.file, takeDecoder);
  await engine.rename(text.pieces, mapping.isForced, text);
}

// A failure says which trace it is of: all others are of the one that was opened.
async function openOther(
  engine: Loaded,
  other: OtherTrace,
  takeDecoder: TakeDecoder,
): Promise<void> {
  engine.mean(other.place);
  try {
    await rename(engine, other.mapping, takeDecoder);
    const unpacked = await unpackFile(other.file, takeDecoder);
    await engine.load(other.name, unpacked.pieces, unpacked);
  } catch (problem) {
    if (problem instanceof Error)
      problem.message = `the ${other.isOld ? "old" : "new"} trace, ${other.name}: ${problem.message}`;
    throw problem;
  } finally {
    engine.mean(OPENED_PLACE);
  }
}

async function openOthers(
  engine: Loaded,
  others: readonly OtherTrace[],
  takeDecoder: TakeDecoder,
): Promise<void> {
  for (const other of others) await openOther(engine, other, takeDecoder);
}

async function open(
  engine: Loaded,
  incoming: Incoming,
  takeDecoder: TakeDecoder,
  { id, name, file, mapping, others = [] }: OpenCall,
): Promise<Uint8Array<ArrayBuffer>> {
  await rename(engine, mapping, takeDecoder);
  const unpacked =
    file instanceof Blob
      ? await unpackFile(file, takeDecoder)
      : await unpackComing(
          incoming.pieces(id),
          file.unpacked,
          (done) => tell(done, file.packed, "unpacking"),
          takeDecoder,
        );
  const known = await engine.load(name, unpacked.pieces, unpacked);
  await openOthers(engine, others, takeDecoder);
  return known;
}

async function packed(pieces: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  const packing = new Blob(pieces).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packing).arrayBuffer());
}

type ReportCall = Extract<ToWorker, { kind: "report" }>;

async function report(engine: Loaded, { id, form, ...page }: ReportCall): Promise<void> {
  const part: Uint8Array<ArrayBuffer>[] = [];
  const cut = engine.cutForPage(form, (piece) => part.push(piece) > 0);
  if (cut.status >= 400)
    return say({ kind: "answer", id, status: cut.status, body: cut.body.buffer });
  const trace = await packed(part.splice(0));
  const pieces = {
    template: new TextEncoder().encode(page.template),
    engine: new Uint8Array(page.engine),
    trace,
  };
  const { status, body } = engine.makePage(form, pieces, (piece) => {
    say({ kind: "piece", id, body: piece.buffer });
    return true;
  });
  return say({ kind: "answer", id, status, body: body.buffer });
}

type Call = Exclude<ToWorker, { kind: "start" | "take" }>;

async function work(
  engine: Loaded,
  incoming: Incoming,
  takeDecoder: TakeDecoder,
  message: Call,
): Promise<void> {
  const { id } = message;
  switch (message.kind) {
    case "open": {
      const known = await open(engine, incoming, takeDecoder, message).finally(() =>
        incoming.forget(id),
      );
      return say({ kind: "answer", id, status: 200, body: known.buffer });
    }
    case "add":
      await openOthers(engine, message.others, takeDecoder);
      return say({ kind: "answer", id, status: 200, body: new ArrayBuffer(0) });
    case "ask": {
      engine.mean(message.place);
      const { status, body } = engine.ask(message.route, message.query);
      engine.mean(OPENED_PLACE);
      return say({ kind: "answer", id, status, body: body.buffer });
    }
    case "export": {
      const { status, body } = engine.exporting(message.query, (piece) => {
        say({ kind: "piece", id, body: piece.buffer });
        return true;
      });
      return say({ kind: "answer", id, status, body: body.buffer });
    }
    case "report":
      return report(engine, message);
  }
}

// A refusal of the engine's is a line for the user; anything else is a fault, after which it is of no use.
function tellFailure(id: number, problem: unknown): void {
  const text = problem instanceof Error ? problem.message : String(problem);
  if (problem instanceof MappingRefused) return say({ kind: "refused", id, text });
  if (problem instanceof OtherFile) return say({ kind: "other", id, text });
  const isRefusal =
    (problem instanceof EngineFailure && !(problem instanceof EngineStopped)) ||
    problem instanceof UnreadableFile;
  say({ kind: isRefusal ? "failed" : "broken", id, text });
}

function serve(): void {
  const incoming = createIncoming();
  let engine: Promise<Loaded> | null = null;
  let takeDecoder = createDecoder("");
  let last: Promise<void> = Promise.resolve();
  self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
    if (data.kind === "start") {
      engine = loadEngine(data.module);
      takeDecoder = createDecoder(data.decoder);
      return;
    }
    if (data.kind === "take") return incoming.take(data);
    last = last
      .then(async () => {
        if (engine !== null) await work(await engine, incoming, takeDecoder, data);
      })
      .catch((problem: unknown) => tellFailure(data.id, problem));
  });
}

serve();
