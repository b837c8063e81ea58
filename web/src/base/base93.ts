// Text that stands for bytes, in pages that have data in them: 13 or 14 bits are two characters (docs/report.md). The program
// writes it (src/base/base93.h).

const DIGITS = 93;
const BITS = 13;
const MASK = (1 << BITS) - 1;
// Below this the low 13 bits come with one more.
const SPARE = DIGITS * DIGITS - (1 << BITS);

// The characters are those of ASCII that can be seen, but for "<".
const valueAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 60 ? code - 33 : code - 34;
};

// Of text that nobody vouches for, some bytes come out, too.
export function bytesOfBase93(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((text.length * (BITS + 1)) / 16));
  let len = 0;
  let bits = 0;
  let count = 0;
  let at = 0;
  for (; at + 1 < text.length; at += 2) {
    const value = valueAt(text, at) + DIGITS * valueAt(text, at + 1);
    bits |= value << count;
    count += (value & MASK) < SPARE ? BITS + 1 : BITS;
    for (; count >= 8; count -= 8) {
      bytes[len++] = bits;
      bits >>>= 8;
    }
  }
  if (at < text.length) bytes[len++] = bits | (valueAt(text, at) << count);
  return bytes.subarray(0, len);
}
