// Text that stands for bytes, in pages that have data in them: 13 or 14 bits are two characters (docs/report.md). The program
// writes it (src/base/bytes/base93.h).

const DIGITS = 93;
const BITS = 13;
const MASK = (1 << BITS) - 1;
// Below this the low 13 bits come with one more.
const SPARE = DIGITS * DIGITS - (1 << BITS);

// The characters are those of ASCII that can be seen, but for "<". Others stand for nothing: of text that nobody vouches for,
// some bytes come out, too.
function digitOf(code: number): number {
  if (code < 33 || code === 60 || code > 126) return 0;
  return code < 60 ? code - 33 : code - 34;
}

// The number of each two characters, as a number of 16 bits has them in memory: one look-up for both. Every browser has the
// lower byte first.
const PAIRS = Uint16Array.from(
  { length: 1 << 16 },
  (_, pair) => digitOf(pair & 0xff) + DIGITS * digitOf(pair >> 8),
);

export function bytesOfBase93(text: string): Uint8Array<ArrayBuffer> {
  const pairs = new Uint16Array(text.length >> 1);
  new TextEncoder().encodeInto(text, new Uint8Array(pairs.buffer));
  const out = new Uint16Array(Math.ceil((text.length * (BITS + 1)) / 32) + 1);
  let len = 0;
  let bits = 0;
  let count = 0;
  for (let at = 0; at < pairs.length; at++) {
    const value = PAIRS[pairs[at] ?? 0] ?? 0;
    bits |= value << count;
    count += (value & MASK) < SPARE ? BITS + 1 : BITS;
    if (count < 16) continue;
    out[len++] = bits;
    bits >>>= 16;
    count -= 16;
  }
  const bytes = new Uint8Array(out.buffer);
  len *= 2;
  if (count >= 8) {
    bytes[len++] = bits;
    bits >>>= 8;
    count -= 8;
  }
  // One character alone.
  if (text.length % 2 === 1)
    bytes[len++] = bits | (digitOf(text.charCodeAt(text.length - 1)) << count);
  return bytes.subarray(0, len);
}
