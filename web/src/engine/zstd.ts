// Zstandard by libzstd's own decoder, as WebAssembly (docs/static-site.md). Each file gets an instance of its own, whose memory
// goes with it.

interface Decoder {
  readonly memory: WebAssembly.Memory;
  malloc(len: number): number;
  ZSTD_createDCtx(): number;
  // A struct of pointer, size and position each. Returns 0 where a frame ends, else a hint; or a negative number of an error.
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

// The highest number of an error in libzstd, ZSTD_error_maxCode.
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
    // Each call may grow the memory, which ends all views of it; so views are made anew each time and this needs no answer.
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

  // Unpacks the next bytes. A piece is valid until the next one is asked for.
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
      // A call without input and output says how much the next frame needs, and there may be no next frame.
      const isIdle = taken === packed.length && done === 0;
      taken = this.#done(this.#input);
      if (!isIdle) this.#isBetween = left === 0;
      if (done > 0) yield new Uint8Array(this.#decoder.memory.buffer, this.#unpacked, done);
      // Where the room was not filled, the decoder holds nothing back.
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

// The bytes of a dictionary's number, by the low bits of a frame's descriptor. The length of the contents follows it; before it is
// a byte for the window, unless the frame is a single segment.
const DICTIONARY_LENS = [0, 1, 2, 4];
const HEAD_LEN = 18;

// How many bytes the first frame unpacks to, by its head; 0: the head does not say it.
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
