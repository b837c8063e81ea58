// The engine: the program's own code as WebAssembly, which reads a trace and answers what the server would (docs/engine.md).
// It runs in a worker, and in node.

import { EngineFailure, EngineStopped, MappingRefused, OtherFile } from "./failures";
import { Matches } from "./match";
import type { Exports } from "./module";
import type { About } from "./unpack";

// Memory in units of 64 KiB: what the module begins with (src/engine/meson.build), and what 32 bits can address.
const FIRST_PAGES = 64;
const MOST_PAGES = 65536;

interface Host {
  // Is called while work goes on, with how much is done; false ends the work.
  progress(done: number, of: number): boolean;
}

interface EngineAnswer {
  status: number;
  type: string;
  body: Uint8Array<ArrayBuffer>;
}

// The bytes of a file: all at once, or piece by piece.
type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

// What reading a trace returns (src/engine/wasm.c).
const REFUSED_MAPPING = 2;
const OTHER_FILE = 3;

const TWO_TO_32 = 2 ** 32;
// The first room for a file whose length is not known.
const FIRST_ROOM = 2 ** 22;
// The room grows by at most this many bytes at a time.
const MOST_GROWTH = 2 ** 28;

// Takes a piece of a file that is made; false ends it.
type Take = (piece: Uint8Array<ArrayBuffer>) => boolean;

// The function that gets the pieces of the file that is being made; null: none is.
interface Taking {
  take: Take | null;
}

// What a page with a trace in it is made of: the template, and engine and trace as they are packed.
interface PagePieces {
  readonly template: Uint8Array;
  readonly engine: Uint8Array;
  readonly trace: Uint8Array;
}

// A view that holds until the engine's memory grows. Pointers above 2 GiB come as negative numbers.
function bytesAt(memory: WebAssembly.Memory, at: number, len: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(memory.buffer as ArrayBuffer, at >>> 0, len >>> 0);
}

function importsFor(
  host: Host,
  memory: WebAssembly.Memory,
  taking: Taking,
): WebAssembly.ModuleImports {
  const matches = new Matches();
  const decoder = new TextDecoder();
  const bytes = (at: number, len: number): Uint8Array<ArrayBuffer> => bytesAt(memory, at, len);
  const textAt = (at: number, len: number): string => decoder.decode(bytes(at, len));
  return {
    memory,
    tv_host_progress: (done: number, of: number) => (host.progress(done, of) ? 1 : 0),
    tv_host_take: (at: number, len: number) => (taking.take?.(bytes(at, len).slice()) ? 1 : 0),
    tv_host_match_compile: (
      at: number,
      len: number,
      ignoresCase: number,
      why: number,
      whyCap: number,
    ) => {
      const made = matches.compile(textAt(at, len), ignoresCase !== 0);
      if (typeof made === "number") return made;
      const room = bytes(why, whyCap);
      const { written } = new TextEncoder().encodeInto(made, room.subarray(0, whyCap - 1));
      room[written] = 0;
      return -1;
    },
    tv_host_match_run: (handle: number, at: number, len: number) =>
      matches.isMatch(handle, textAt(at, len)) ? 1 : 0,
    tv_host_match_release: (handle: number) => {
      matches.release(handle);
    },
  };
}

class Engine {
  readonly #module: Exports;
  readonly #memory: WebAssembly.Memory;
  readonly #taking: Taking;

  constructor(module: Exports, memory: WebAssembly.Memory, taking: Taking) {
    this.#module = module;
    this.#memory = memory;
    this.#taking = taking;
  }

  // Later calls are about the trace in this place, 0 or 1. At first it is 0.
  mean(place: number): void {
    if (this.#run(() => this.#module.tv_engine_mean(place)) === 0)
      throw new EngineFailure(`an engine has no place ${place} for a trace`);
  }

  // Takes a mapping, by which the methods of the next trace that is read are renamed. Only the module that makes files can.
  async rename(bytes: Bytes, isForced: boolean, about: About = {}): Promise<void> {
    const len = await this.#putAll(bytes, about);
    const taking = this.#module.tv_engine_mapping;
    if (taking === undefined) throw new EngineFailure("this module takes no mapping");
    if (this.#run(() => taking(len, isForced ? 1 : 0)) !== 0) throw this.#failure();
  }

  // Reads a trace, in place of the one before. Fails with the line that says why. Gives what a mapping knows of it, as JSON;
  // empty without one.
  async load(name: string, bytes: Bytes, about: About = {}): Promise<Uint8Array<ArrayBuffer>> {
    const len = await this.#putAll(bytes, about);
    const text = new TextEncoder().encode(name);
    const at = this.#room(text.length);
    this.#bytes(at, text.length).set(text);
    const result = this.#run(() =>
      this.#module.tv_engine_load(at, text.length, len, about.isCut?.() ? 1 : 0),
    );
    if (result === REFUSED_MAPPING) throw new MappingRefused(this.#failure().message);
    if (result === OTHER_FILE) throw new OtherFile(this.#failure().message);
    if (result !== 0) throw this.#failure();
    return this.#body();
  }

  // Asks a route of the api ("top") with a query ("n=20"). A refusal is an answer, too.
  ask(route: string, query: string): EngineAnswer {
    const texts = new TextEncoder().encode(route + query);
    const routeLen = new TextEncoder().encode(route).length;
    const at = this.#room(texts.length);
    this.#bytes(at, texts.length).set(texts);
    return this.#answer(() =>
      this.#module.tv_engine_ask(at, routeLen, at + routeLen, texts.length - routeLen),
    );
  }

  // Makes an export, whose pieces go to `take`, which ends it by false. The answer says as JSON what the file is called
  // and whether it is still to be packed, or why there is none.
  exporting(query: string, take: Take): EngineAnswer {
    return this.#giving(query, take, (at, len) => this.#module.tv_engine_export(at, len));
  }

  // Gives to `take` the part of the trace that a page will hold; the caller packs it. The answer says what the file is
  // called, or why there is none.
  cutForPage(form: string, take: Take): EngineAnswer {
    return this.#giving(form, take, (at, len) => this.#module.tv_engine_report_cut(at, len));
  }

  // Makes the page, with the packed part of cutForPage in it.
  makePage(form: string, pieces: PagePieces, take: Take): EngineAnswer {
    const { template, engine, trace } = pieces;
    const room = this.#run(() =>
      this.#module.tv_engine_report_reserve(template.length + engine.length + trace.length),
    );
    if (room === 0) throw this.#failure();
    let at = room >>> 0;
    for (const piece of [template, engine, trace]) {
      this.#bytes(at, piece.length).set(piece);
      at += piece.length;
    }
    return this.#giving(form, take, (text, len) =>
      this.#module.tv_engine_report_write(text, len, template.length, engine.length, trace.length),
    );
  }

  // Lets go of the trace. The memory stays the engine's until nothing refers to it.
  release(): void {
    this.#run(() => this.#module.tv_engine_release());
  }

  // Bytes of memory that the engine has taken.
  get memory(): number {
    return this.#memory.buffer.byteLength;
  }

  #bytes(at: number, len: number): Uint8Array<ArrayBuffer> {
    return bytesAt(this.#memory, at, len);
  }

  #textAt(at: number): string {
    const bytes = new Uint8Array(this.#memory.buffer, at >>> 0);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  #failure(): EngineFailure {
    return new EngineFailure(this.#textAt(this.#module.tv_engine_error()));
  }

  // Calls the module. A module that the browser has stopped, for want of memory or for a fault of ours, stays stopped.
  #run<T>(call: () => T): T {
    try {
      return call();
    } catch (problem) {
      if (problem instanceof WebAssembly.RuntimeError)
        throw new EngineStopped(`the engine stopped (${problem.message}): open the trace again`);
      throw problem;
    }
  }

  #answer(call: () => number): EngineAnswer {
    const status = this.#run(call);
    if (status === 0) throw this.#failure();
    return { status, type: this.#textAt(this.#module.tv_engine_type()), body: this.#body() };
  }

  #body(): Uint8Array<ArrayBuffer> {
    return this.#bytes(this.#module.tv_engine_body(), this.#module.tv_engine_body_len()).slice();
  }

  // Makes a call of the module that passes bytes to `take`.
  #giving(query: string, take: Take, call: (at: number, len: number) => number): EngineAnswer {
    const text = new TextEncoder().encode(query);
    const at = this.#room(text.length);
    this.#bytes(at, text.length).set(text);
    this.#taking.take = take;
    try {
      return this.#answer(() => call(at, text.length));
    } finally {
      this.#taking.take = null;
    }
  }

  #room(len: number): number {
    const at = this.#run(() => this.#module.tv_engine_room(len));
    if (at === 0) throw this.#failure();
    return at >>> 0;
  }

  #reserve(len: number): number {
    const at = this.#run(() =>
      this.#module.tv_engine_reserve(len % TWO_TO_32, Math.floor(len / TWO_TO_32)),
    );
    if (at === 0) throw this.#failure();
    return at >>> 0;
  }

  async #putAll(bytes: Bytes, about: About): Promise<number> {
    return bytes instanceof Uint8Array ? this.#put(bytes) : this.#putPieces(bytes, about);
  }

  #put(bytes: Uint8Array): number {
    const at = this.#reserve(bytes.length);
    this.#bytes(at, bytes.length).set(bytes);
    return bytes.length;
  }

  // Reserves the length that a packed file claims, or less where the browser gives no memory for that.
  #reserveSaid(said: number): [number, number] {
    if (said > FIRST_ROOM && said < TWO_TO_32)
      try {
        return [this.#reserve(said), said];
      } catch (problem) {
        if (problem instanceof EngineStopped) throw problem;
      }
    return [this.#reserve(FIRST_ROOM), FIRST_ROOM];
  }

  // Makes room before it reads, so that a file which is too long is refused at once, and bytes are seldom copied to a larger room.
  async #putPieces(
    pieces: AsyncIterable<Uint8Array>,
    { size = 0, said = 0 }: About,
  ): Promise<number> {
    let [at, room] = size > 0 ? [this.#reserve(size), size] : this.#reserveSaid(said);
    let len = 0;
    for await (const piece of pieces) {
      if (len + piece.length > room) {
        room = Math.max(len + piece.length, Math.min(room * 2, room + MOST_GROWTH));
        at = this.#reserve(room);
      }
      this.#bytes(at + len, piece.length).set(piece);
      len += piece.length;
    }
    return len;
  }
}

// `mostPages` keeps the memory smaller than a page may have at most, for tests.
export async function createEngine(
  module: WebAssembly.Module,
  host: Host,
  mostPages = MOST_PAGES,
): Promise<Engine> {
  const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: mostPages });
  const taking: Taking = { take: null };
  const instance = await WebAssembly.instantiate(module, {
    env: importsFor(host, memory, taking),
  });
  const exports = instance.exports as unknown as Exports;
  exports._initialize();
  return new Engine(exports, memory, taking);
}
