// Zstandard by libzstd's own decoder, as WebAssembly (docs/static-site.md). Each file gets an instance of its own, whose memory
// goes with it.

interface Decoder {
  readonly memory: WebAssembly.Memory;
  malloc(len: number): number;
  ZSTD_createDCtx(): number;
  // A struct of pointer, size and position each. Returns 0 where a frame ends, else a hint; or a negative number of an error.
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

// What libzstd numbers its errors up to, ZSTD_error_maxCode.
const ERRORS = 120;
const ROOM = 1 << 20;
const STRUCT_LEN = 12;
const SIZE_AT = 4;
const DONE_AT = 8;

// The data is damaged, or wants a window that the decoder refuses.
export class DamagedZstd extends Error {}

export class ZstdStream {
  readonly #decoder: Decoder;
  readonly #context: number;
  readonly #input: number;
  readonly #output: number;
  readonly #packed: number;
  readonly #unpacked: number;
  #isBetween = true;

  constructor(module: WebAssembly.Module) {
    // The memory may have grown after each call, so that views of it are made anew each time.
    const imports = { env: { emscripten_notify_memory_growth: () => undefined } };
    this.#decoder = new WebAssembly.Instance(module, imports).exports as unknown as Decoder;
    const { malloc } = this.#decoder;
    this.#context = this.#decoder.ZSTD_createDCtx();
    this.#input = malloc(2 * STRUCT_LEN);
    this.#output = this.#input + STRUCT_LEN;
    this.#packed = malloc(ROOM);
    this.#unpacked = malloc(ROOM);
  }

  // Whether the bytes so far end with a frame.
  get isBetween(): boolean {
    return this.#isBetween;
  }

  // What the next packed bytes unpack to. A piece holds until the next one is asked for.
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += ROOM)
      yield* this.#step(bytes.subarray(at, at + ROOM));
  }

  *#step(packed: Uint8Array): Generator<Uint8Array> {
    new Uint8Array(this.#decoder.memory.buffer).set(packed, this.#packed);
    this.#tell(this.#input, this.#packed, packed.length);
    for (let taken = -1; ;) {
      this.#tell(this.#output, this.#unpacked, ROOM);
      const left = this.#decoder.ZSTD_decompressStream(this.#context, this.#output, this.#input);
      if (left < 0 && left >= -ERRORS) throw new DamagedZstd();
      const done = this.#done(this.#output);
      // A call that is given nothing, and gives nothing, asks for a frame that may not come.
      const isIdle = taken === packed.length && done === 0;
      taken = this.#done(this.#input);
      if (!isIdle) this.#isBetween = left === 0;
      if (done > 0) yield new Uint8Array(this.#decoder.memory.buffer, this.#unpacked, done);
      // Room that was not filled says that nothing is left inside.
      if (taken === packed.length && done < ROOM) return;
    }
  }

  #tell(struct: number, at: number, size: number): void {
    const view = new DataView(this.#decoder.memory.buffer);
    view.setUint32(struct, at, true);
    view.setUint32(struct + SIZE_AT, size, true);
    view.setUint32(struct + DONE_AT, 0, true);
  }

  #done(struct: number): number {
    return new DataView(this.#decoder.memory.buffer).getUint32(struct + DONE_AT, true);
  }
}

// Where the length of a frame's contents stands behind its descriptor, by the descriptor's low bits: the window's byte, unless
// there is a single segment, and the number of a dictionary.
const DICTIONARY_LENS = [0, 1, 2, 4];
const HEAD_LEN = 18;

// How many bytes the first frame says that it unpacks to; 0: it does not say it.
export function saidByZstd(head: Uint8Array): number {
  const descriptor = head[4] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + (DICTIONARY_LENS[descriptor & 3] ?? 0);
  const bytes = new Uint8Array(HEAD_LEN);
  bytes.set(head.subarray(0, HEAD_LEN));
  const view = new DataView(bytes.buffer);
  switch (descriptor >> 6) {
    case 0:
      return isSingle ? view.getUint8(at) : 0;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
