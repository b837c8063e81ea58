// The bytes of the trace that a page has in it, unpacked while the page is still on its way: by gzip or by zstd, as its first bytes tell.

import { damagedPart } from "./messages";
import {
  inflate,
  isOf,
  noDecoder,
  UnreadableFile,
  ZSTD,
  type TakeDecoder,
  type Told,
  type Unpacked,
} from "./unpack";
import { ZstdStream } from "./zstd";

type Piece = Uint8Array<ArrayBuffer>;

async function* comingPieces(
  reader: ReadableStreamDefaultReader<Piece>,
  first: ReadableStreamReadResult<Piece>,
  tell: Told,
): AsyncGenerator<Piece> {
  let done = 0;
  for (let next = first; !next.done; next = await reader.read()) {
    yield next.value;
    done += next.value.length;
    tell(done);
  }
}

// Returns whether the packed bytes end early.
async function* decode(
  packed: AsyncGenerator<Piece>,
  module: WebAssembly.Module,
): AsyncGenerator<Uint8Array, boolean> {
  const stream = new ZstdStream(module);
  for await (const piece of packed) yield* stream.push(piece);
  return !stream.isBetween;
}

// `said`: how many bytes the page says that they unpack to, which may be wrong.
export async function unpackComing(
  coming: ReadableStream<Piece>,
  said: number,
  tell: Told,
  takeDecoder: TakeDecoder = noDecoder,
): Promise<Unpacked> {
  const reader = coming.getReader();
  const first = await reader.read();
  const packed = comingPieces(reader, first, tell);
  const isZstd = first.value !== undefined && isOf(ZSTD, first.value);
  const decoder = isZstd ? await takeDecoder() : null;
  if (isZstd && decoder === null) throw new UnreadableFile(damagedPart("what unpacks the trace"));
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let isCut;
    try {
      isCut = yield* decoder === null
        ? inflate(async (writer) => {
            for await (const piece of packed) await writer.write(piece);
          })
        : decode(packed, decoder);
    } catch {
      isCut = true;
    }
    if (isCut) throw new UnreadableFile(damagedPart("the trace"));
  }
  return { step: "unpacking", size: 0, said, pieces: pieces(), isCut: () => false };
}
