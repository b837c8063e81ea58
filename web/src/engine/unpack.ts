// The bytes of a trace out of the file that the user chose, piece by piece: as they are, or unpacked from gzip by the
// browser, from zstd by libzstd where the page has that beside it, else by fzstd. The first bytes of a file tell what it is, not its name.

import { Decompress, type ZstdError } from "fzstd";
import { DamagedZstd, saidByZstd, ZstdStream } from "./zstd";

// The browser reads a large slice faster than many small ones.
const SLICE_LEN = 8 << 20;
const PACKED_SLICE_LEN = 1 << 20;
// Bytes of a file that tell how it is packed.
const HEAD_LEN = 32;

// Why a file gives no bytes, in one line for the user.
export class UnreadableFile extends Error {}

export interface Unpacked {
  readonly step: "reading" | "unpacking";
  // How many bytes the pieces have together; 0: not known before the last one.
  readonly size: number;
  // The same as the packed file itself says it, which may be wrong; 0: it says nothing.
  readonly said: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  // Whether the packed file ends early. Known after the last piece.
  isCut(): boolean;
}

// What is known of pieces.
export type About = Partial<Omit<Unpacked, "pieces">>;

export type Told = (done: number) => void;

// A browser gives a file as it was when the user chose it, or not at all.
async function bytesOf(slice: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await slice.arrayBuffer());
  } catch {
    throw new UnreadableFile(
      "the file has changed since it was chosen, or is gone: choose it again",
    );
  }
}

async function* slicesOf(
  file: Blob,
  len: number,
  tell: Told,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.size; at += len) {
    yield await bytesOf(file.slice(at, at + len));
    tell(Math.min(at + len, file.size));
  }
}

const GZIP = [0x1f, 0x8b];
// What a member of a gzip file begins with: the two bytes above, the method (deflate), flags, a time, how it was packed, and on which system.
const GZIP_HEAD_LEN = 10;

// The bytes that say how it was packed (2: as short as can be, 4: quickly), and on which system; the last one with a number is Darwin.
const EFFORTS = [0, 2, 4];
const isSystem = (system: number): boolean => system <= 19 || system === 255;

function isHead(bytes: Uint8Array, at: number): boolean {
  const byte = (ix: number): number => bytes[at + ix] ?? 0;
  if (byte(1) !== 0x8b || byte(2) !== 8 || byte(3) >= 0x20) return false;
  return EFFORTS.includes(byte(8)) && isSystem(byte(9));
}

// Where a member may begin in the bytes, at `from` or behind it; -1: nowhere. Packed data looks like a beginning by chance, too;
// only unpacking everything before it tells whether it is one.
function findMember(bytes: Uint8Array, from: number): number {
  for (let at = from - 1; ;) {
    at = bytes.indexOf(0x1f, at + 1);
    if (at < 0 || at + GZIP_HEAD_LEN > bytes.length) return -1;
    if (isHead(bytes, at)) return at;
  }
}

// Whether the bytes are one whole member: the browser checks its length and its sum.
function isMember(bytes: Blob): Promise<boolean> {
  return bytes
    .stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeTo(new WritableStream())
    .then(
      () => true,
      () => false,
    );
}

// A length of more than this many times the packed one is not believed: if the file was cut, its last bytes are any
// bytes.
const MOST_SAID = 64;

// A gzip file ends with the length of its last member, in 32 bits.
async function saidByGzip(file: Blob): Promise<number> {
  const end = await bytesOf(file.slice(Math.max(0, file.size - 4)));
  const said = end.length < 4 ? 0 : new DataView(end.buffer).getUint32(0, true);
  return said > file.size * MOST_SAID ? 0 : said;
}

type PackedWriter = WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;

// Yields what the browser unpacks from the bytes that `feed` writes. Returns whether these bytes end early.
export async function* inflate(
  feed: (writer: PackedWriter) => Promise<void>,
): AsyncGenerator<Uint8Array, boolean> {
  const unpacker = new DecompressionStream("gzip");
  const writer = unpacker.writable.getWriter();
  // A failure before all packed bytes were taken means damaged data, a later one that the data was cut.
  let isTaken = false;
  let unreadable: UnreadableFile | null = null;
  const feeding = async (): Promise<void> => {
    await feed(writer);
    isTaken = true;
    await writer.close();
  };
  // The reader hears of bytes that the unpacker refuses. It does not hear of a file that cannot be read, so that is passed to it.
  feeding().catch((problem: unknown) => {
    if (problem instanceof UnreadableFile) void writer.abort((unreadable = problem));
  });
  const reader = unpacker.readable.getReader();
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch {
      if (unreadable !== null) throw unreadable;
      if (!isTaken) throw new UnreadableFile("its gzip data is damaged: fetch the file again");
      return true;
    }
    if (piece.done) return false;
    yield piece.value;
  }
}

// A gzip file may have several members, one behind the other. The browser unpacks one member and refuses what follows it, so
// each member is given to an unpacker of its own.
function unpackGzip(file: Blob, said: number, tell: Told): Unpacked {
  let cut = false;
  // Bytes that may be unpacked in vain, for places that look like a member's beginning and are none.
  let patience = 4 * file.size;
  let start = 0;

  // Where in this slice the member ends; the slice's length if it goes on.
  async function endIn(slice: Uint8Array, at: number): Promise<number> {
    for (
      let ix = findMember(slice, at === start ? 1 : 0);
      ix >= 0;
      ix = findMember(slice, ix + 1)
    ) {
      if (at + ix - start > patience) return slice.length;
      if (await isMember(file.slice(start, at + ix))) return ix;
      patience -= at + ix - start;
    }
    return slice.length;
  }

  // Gives the member at `start` to the unpacker. Returns where the next one begins.
  async function feed(writer: PackedWriter): Promise<number> {
    for (let at = start; at < file.size; at += PACKED_SLICE_LEN) {
      const len = Math.min(PACKED_SLICE_LEN, file.size - at);
      // A beginning may stand across the end of the slice.
      const slice = await bytesOf(file.slice(at, at + len + GZIP_HEAD_LEN - 1));
      const end = Math.min(await endIn(slice, at), len);
      await writer.write(slice.subarray(0, end));
      tell(at + end);
      if (end < len) return at + end;
    }
    return file.size;
  }

  async function* member(): AsyncGenerator<Uint8Array> {
    let next = file.size;
    cut = yield* inflate(async (writer) => {
      next = await feed(writer);
    });
    start = cut ? file.size : next;
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    while (start < file.size) yield* member();
  }
  return { step: "unpacking", size: 0, said, pieces: pieces(), isCut: () => cut };
}

// libzstd's decoder; null: the page has none, or it could not be fetched.
export type TakeDecoder = () => Promise<WebAssembly.Module | null>;

const DAMAGED_ZSTD = "its zstd data is damaged: fetch the file again";

function unpackByLibrary(
  file: Blob,
  module: WebAssembly.Module,
  said: number,
  tell: Told,
): Unpacked {
  const stream = new ZstdStream(module);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const slice of slicesOf(file, PACKED_SLICE_LEN, tell)) yield* stream.push(slice);
    } catch (problem) {
      throw problem instanceof DamagedZstd ? new UnreadableFile(DAMAGED_ZSTD) : problem;
    }
  }
  return {
    step: "unpacking",
    size: 0,
    said: said > file.size * MOST_SAID ? 0 : said,
    pieces: pieces(),
    isCut: () => !stream.isBetween,
  };
}

const UNEXPECTED_END: ZstdError["code"] = 5;

function isEarlyEnd(problem: unknown): boolean {
  return problem instanceof Error && "code" in problem && problem.code === UNEXPECTED_END;
}

function unpackZstd(file: Blob, tell: Told): Unpacked {
  let cut = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let ready: Uint8Array[] = [];
    const unpacker = new Decompress((piece) => ready.push(piece));
    const push = (slice: Uint8Array, isLast: boolean): void => {
      try {
        unpacker.push(slice, isLast);
      } catch (problem) {
        if (!isEarlyEnd(problem)) throw new UnreadableFile(DAMAGED_ZSTD);
        cut = true;
      }
    };
    let read = 0;
    for await (const slice of slicesOf(file, PACKED_SLICE_LEN, tell)) {
      read += slice.length;
      push(slice, read === file.size);
      yield* ready;
      ready = [];
    }
  }
  return { step: "unpacking", size: 0, said: 0, pieces: pieces(), isCut: () => cut };
}

export const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
export const isOf = (magic: readonly number[], head: Uint8Array): boolean =>
  magic.every((byte, ix) => head[ix] === byte);
export const noDecoder: TakeDecoder = () => Promise.resolve(null);

// `tell` is told how many bytes of the file have been read. A piece holds until the next one is asked for.
export async function unpack(
  file: Blob,
  tell: Told,
  takeDecoder: TakeDecoder = noDecoder,
): Promise<Unpacked> {
  const head = await bytesOf(file.slice(0, HEAD_LEN));
  if (isOf(GZIP, head)) return unpackGzip(file, await saidByGzip(file), tell);
  if (isOf(ZSTD, head)) {
    const decoder = await takeDecoder();
    return decoder === null
      ? unpackZstd(file, tell)
      : unpackByLibrary(file, decoder, saidByZstd(head), tell);
  }
  return {
    step: "reading",
    size: file.size,
    said: 0,
    pieces: slicesOf(file, SLICE_LEN, tell),
    isCut: () => false,
  };
}
