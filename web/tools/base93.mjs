// Bytes as text of 93 characters, as the program writes it (src/base/bytes/base93.c); the page reads it (src/base/base93.ts).
const DIGITS = 93;
const BITS = 13;
const SPARE = DIGITS * DIGITS - (1 << BITS);

const digit = (value) => String.fromCharCode(value < 27 ? value + 33 : value + 34);
const pair = (value) => digit(value % DIGITS) + digit(Math.floor(value / DIGITS));

export function textOfBytes(bytes) {
  const parts = [];
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits |= byte << count;
    count += 8;
    if (count <= BITS) continue;
    const taken = (bits & ((1 << BITS) - 1)) < SPARE ? BITS + 1 : BITS;
    parts.push(pair(bits & ((1 << taken) - 1)));
    bits >>>= taken;
    count -= taken;
  }
  if (count > 7 || bits >= DIGITS) parts.push(pair(bits));
  else if (count > 0) parts.push(digit(bits));
  return parts.join("");
}
