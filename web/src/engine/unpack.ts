// The bytes of a trace out of the file that the user chose, piece by piece: as they are, or unpacked from gzip by the
// browser, from zstd by fzstd. What a file is, its first bytes tell, not its name.

import { Decompress, type ZstdError } from "fzstd";

// The browser reads a large slice faster than many small ones.
const SLICE_LEN = 8 << 20;
const PACKED_SLICE_LEN = 1 << 20;

// Why a file gives no bytes, in one line for the user.
export class UnreadableFile extends Error {}

interface Unpacked {
  readonly step: "reading" | "unpacking";
  // How many bytes the pieces have together; 0: not known before the last one.
  readonly size: number;
  readonly pieces: AsyncIterable<Uint8Array>;
  // Whether the packed file ends early. Known after the last piece.
  isCut(): boolean;
}

type Told = (done: number) => void;

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

function unpackGzip(file: Blob, tell: Told): Unpacked {
  let cut = false;
  // Notes whether all of the packed bytes were taken: what fails before that is damaged, what fails then is cut.
  let hasAll = false;
  let unreadable: UnreadableFile | null = null;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const unpacker = new DecompressionStream("gzip");
    const writer = unpacker.writable.getWriter();
    const feed = async (): Promise<void> => {
      for await (const slice of slicesOf(file, PACKED_SLICE_LEN, tell)) await writer.write(slice);
      hasAll = true;
      await writer.close();
    };
    // What the unpacker does not take, the reader is told; a file that cannot be read, it is not.
    feed().catch((problem: unknown) => {
      if (problem instanceof UnreadableFile) void writer.abort((unreadable = problem));
    });
    const reader = unpacker.readable.getReader();
    for (;;) {
      let next;
      try {
        next = await reader.read();
      } catch {
        if (unreadable !== null) throw unreadable;
        if (!hasAll) throw new UnreadableFile("its gzip data is damaged: fetch the file again");
        cut = true;
        return;
      }
      if (next.done) return;
      yield next.value;
    }
  }
  return { step: "unpacking", size: 0, pieces: pieces(), isCut: () => cut };
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
        if (!isEarlyEnd(problem))
          throw new UnreadableFile("its zstd data is damaged: fetch the file again");
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
  return { step: "unpacking", size: 0, pieces: pieces(), isCut: () => cut };
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

// `tell` is told how many bytes of the file have been read.
export async function unpack(file: Blob, tell: Told): Promise<Unpacked> {
  const head = await bytesOf(file.slice(0, ZSTD.length));
  if (GZIP.every((byte, ix) => head[ix] === byte)) return unpackGzip(file, tell);
  if (ZSTD.every((byte, ix) => head[ix] === byte)) return unpackZstd(file, tell);
  return {
    step: "reading",
    size: file.size,
    pieces: slicesOf(file, SLICE_LEN, tell),
    isCut: () => false,
  };
}
