// Packed answers: little-endian columns, each starting at a multiple of eight bytes (docs/api.md).
// Every browser that runs this page is little-endian on the machines we serve, so columns are views.

import type { BoxRow, BoxRowKind, WindowAnswer } from "../model/boxes";
import type { FlameAnswer } from "../model/flame";
import { BadAnswer } from "./check";

const HEADER = 64;
const ROW_WORDS = 6;
const KINDS: readonly BoxRowKind[] = ["folded", "depth", "extents"];

// Hands out columns one after the other, checked against the buffer's end.
class Columns {
  #offset: number;
  readonly #buffer: ArrayBuffer;

  constructor(buffer: ArrayBuffer, offset: number) {
    this.#buffer = buffer;
    this.#offset = offset;
  }

  #take(bytes: number): number {
    const start = this.#offset;
    if (bytes > this.#buffer.byteLength - start)
      throw new BadAnswer("the program's answer is cut short");
    this.#offset = (start + bytes + 7) & ~7;
    return start;
  }

  f64(count: number): Float64Array {
    return new Float64Array(this.#buffer, this.#take(count * 8), count);
  }

  u32(count: number): Uint32Array {
    return new Uint32Array(this.#buffer, this.#take(count * 4), count);
  }

  u8(count: number): Uint8Array {
    return new Uint8Array(this.#buffer, this.#take(count), count);
  }
}

function headerOf(buffer: ArrayBuffer, magic: string): DataView {
  if (buffer.byteLength < HEADER)
    throw new BadAnswer("the program's answer is shorter than its header");
  const view = new DataView(buffer);
  const word = view.getUint32(0, true);
  const text = String.fromCharCode(word & 255, (word >> 8) & 255, (word >> 16) & 255, word >>> 24);
  const mirrored = [...text].reverse().join("");
  if (text !== magic && mirrored !== magic)
    throw new BadAnswer(`the program's answer is no ${magic}`);
  return view;
}

export function decodeWindow(buffer: ArrayBuffer): WindowAnswer {
  const head = headerOf(buffer, "TVW1");
  const flags = head.getUint32(4, true);
  const rowCount = head.getUint32(32, true);
  const boxCount = head.getUint32(36, true);
  const columns = new Columns(buffer, HEADER);
  const rowWords = columns.u32(rowCount * ROW_WORDS);
  const boxes = {
    start: columns.f64(boxCount),
    duration: columns.f64(boxCount),
    rank: columns.u32(boxCount),
    count: columns.u32(boxCount),
    depth: columns.u32(boxCount),
    call: columns.u32(boxCount),
    flags: columns.u8(boxCount),
  };
  const rows: BoxRow[] = [];
  for (let ix = 0; ix < rowCount; ix++) {
    const word = (place: number): number => rowWords[ix * ROW_WORDS + place] ?? 0;
    const kind = KINDS[word(1)];
    const first = word(3);
    const count = word(4);
    if (kind === undefined || first > boxCount || count > boxCount - first)
      throw new BadAnswer("the program's answer names boxes that it does not hold");
    rows.push({ thread: word(0), kind, depth: word(2), first, count });
  }
  return {
    isComplete: (flags & 1) !== 0,
    isCoarse: (flags & 2) !== 0,
    from: head.getFloat64(8, true),
    to: head.getFloat64(16, true),
    pixel: head.getFloat64(24, true),
    rows,
    boxes,
  };
}

export function decodeFlame(buffer: ArrayBuffer): FlameAnswer {
  const head = headerOf(buffer, "TVF1");
  const count = head.getUint32(24, true);
  const columns = new Columns(buffer, HEADER);
  return {
    isComplete: (head.getUint32(4, true) & 1) !== 0,
    total: head.getFloat64(8, true),
    root: head.getFloat64(16, true),
    dropped: head.getUint32(28, true),
    depths: head.getUint32(32, true),
    x: columns.f64(count),
    value: columns.f64(count),
    self: columns.f64(count),
    rank: columns.u32(count),
    depth: columns.u32(count),
    parent: columns.u32(count),
    calls: columns.u32(count),
  };
}
