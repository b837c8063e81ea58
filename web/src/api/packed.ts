// Packed answers: little-endian columns, each starting at a multiple of eight bytes (docs/api.md).
// Every browser that runs this page is little-endian on the machines we serve, so columns are views.

import type { Boxes, BoxRow, BoxRowKind, Numbers, WindowAnswer } from "../model/timeline/boxes";
import { namedBoxes, type ChangeFlame } from "../model/changes/change-flame";
import type { FlameAnswer } from "../model/flame/flame";
import type { Measure } from "../model/trace";
import { BadAnswer } from "./check";

const HEADER = 64;
const ROW_WORDS = 4;
const HAS_CPU = 4;
const WIDTHS_AT = 40;
const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];
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

  f32(count: number): Float32Array {
    return new Float32Array(this.#buffer, this.#take(count * 4), count);
  }

  // Whole numbers of 1, 2 or 4 bytes.
  numbers(count: number, width: number): Numbers {
    if (width === 1) return this.u8(count);
    if (width === 4) return this.u32(count);
    if (width !== 2) throw new BadAnswer("the program's answer has a column of an unknown width");
    return new Uint16Array(this.#buffer, this.#take(count * 2), count);
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

// A plain loop: the first window is decoded before the engine has compiled any of this code.
function spansOf(
  from: number,
  starts: Float32Array,
  ends: Float32Array,
): [Float64Array, Float64Array] {
  const start = new Float64Array(starts.length);
  const duration = new Float64Array(starts.length);
  for (let ix = 0; ix < starts.length; ix++) {
    const at = starts[ix] ?? 0;
    start[ix] = from + at;
    duration[ix] = (ends[ix] ?? 0) - at;
  }
  return [start, duration];
}

function decodeBoxes(head: DataView, columns: Columns, count: number): Boxes {
  const from = head.getFloat64(8, true);
  const [start, duration] = spansOf(from, columns.f32(count), columns.f32(count));
  const width = (place: number): number => head.getUint8(WIDTHS_AT + place);
  return {
    start,
    duration,
    rank: columns.numbers(count, width(0)),
    count: columns.numbers(count, width(1)),
    depth: columns.numbers(count, width(2)),
    call: columns.numbers(count, width(3)),
    flags: columns.u8(count),
    cpu: (head.getUint32(4, true) & HAS_CPU) !== 0 ? columns.u8(count) : null,
  };
}

function decodeRows(words: Uint32Array, rowCount: number, boxCount: number): BoxRow[] {
  const rows: BoxRow[] = [];
  let first = 0;
  for (let ix = 0; ix < rowCount; ix++) {
    const word = (place: number): number => words[ix * ROW_WORDS + place] ?? 0;
    const kind = KINDS[word(1)];
    const count = word(3);
    if (kind === undefined || count > boxCount - first)
      throw new BadAnswer("the program's answer names boxes that it does not hold");
    rows.push({ thread: word(0), kind, depth: word(2), first, count });
    first += count;
  }
  return rows;
}

export function decodeWindow(buffer: ArrayBuffer): WindowAnswer {
  const head = headerOf(buffer, "TVW2");
  const flags = head.getUint32(4, true);
  const rowCount = head.getUint32(32, true);
  const boxCount = head.getUint32(36, true);
  const columns = new Columns(buffer, HEADER);
  const rows = decodeRows(columns.u32(rowCount * ROW_WORDS), rowCount, boxCount);
  return {
    isCoarse: (flags & 2) !== 0,
    from: head.getFloat64(8, true),
    to: head.getFloat64(16, true),
    rows,
    boxes: decodeBoxes(head, columns, boxCount),
  };
}

export function decodeFlame(buffer: ArrayBuffer): FlameAnswer {
  const head = headerOf(buffer, "TVF1");
  const count = head.getUint32(24, true);
  const columns = new Columns(buffer, HEADER);
  return {
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

// The texts of a column of bytes, by where each ends.
function textsOf(ends: Uint32Array, bytes: Uint8Array): string[] {
  const decoder = new TextDecoder();
  let start = 0;
  return [...ends].map((end) => {
    const text = decoder.decode(bytes.subarray(start, end));
    start = end;
    return text;
  });
}

export function decodeChangeFlame(buffer: ArrayBuffer): ChangeFlame {
  const head = headerOf(buffer, "TVD1");
  const word = (at: number): number => head.getUint32(at, true);
  const count = word(40);
  const nameCount = word(52);
  const columns = new Columns(buffer, HEADER);
  const times = {
    x: columns.f64(count),
    value: columns.f64(count),
    oldTime: columns.f64(count),
    newTime: columns.f64(count),
    change: columns.f64(count),
  };
  const nameOfBox = columns.u32(count);
  const numbers = {
    depth: columns.u32(count),
    parent: columns.u32(count),
    oldCalls: columns.u32(count),
    newCalls: columns.u32(count),
    sides: columns.u8(count),
  };
  const methods = columns.u32(nameCount);
  const ends = columns.u32(nameCount);
  const bytes = columns.u8(ends[nameCount - 1] ?? 0);
  return {
    root: times.value[0] ?? 0,
    measure: MEASURES[(word(4) >> 8) & 3] ?? "wall",
    oldTotal: head.getFloat64(8, true),
    newTotal: head.getFloat64(16, true),
    most: head.getFloat64(24, true),
    goneTime: head.getFloat64(32, true),
    dropped: word(44),
    depths: word(48),
    goneCount: word(56),
    addedCount: word(60),
    ...times,
    ...numbers,
    ...namedBoxes(nameOfBox, textsOf(ends, bytes), methods),
  };
}
