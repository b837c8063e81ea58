import assert from "node:assert/strict";
import test from "node:test";
import { bytesOfBase93 } from "./base93";

// As the program writes it: tests/base/bytes/test_base93.c.
test("the program's text becomes its bytes", () => {
  const bytes = bytesOfBase93("-{\"=SCo/m9}m3'W&#PP]-");
  assert.equal(new TextDecoder().decode(bytes), "a trace in a page");
});

test("no text is no bytes", () => {
  assert.equal(bytesOfBase93("").length, 0);
});

// By the rule alone, with whole numbers of any size.
function textOf(bytes: Uint8Array): string {
  const digit = (value: bigint): string =>
    String.fromCharCode(Number(value) + (value < 27n ? 33 : 34));
  let bits = 0n;
  bytes.forEach((byte, ix) => (bits |= BigInt(byte) << BigInt(8 * ix)));
  let text = "";
  for (let left = bytes.length * 8; left > 0;) {
    if (left < 8 && bits < 93n) return text + digit(bits);
    const taken = (bits & 8191n) < 93n * 93n - 8192n ? 14n : 13n;
    const value = bits & ((1n << taken) - 1n);
    text += digit(value % 93n) + digit(value / 93n);
    bits >>= taken;
    left -= Number(taken);
  }
  return text;
}

test("bytes of each length come back", () => {
  const all = Uint8Array.from({ length: 400 }, (_, ix) => (ix * ix * 7 + ix / 3) & 0xff);
  for (let len = 0; len <= all.length; len++)
    assert.deepEqual(bytesOfBase93(textOf(all.subarray(0, len))), all.slice(0, len));
});

test("other characters do no harm", () => {
  for (const text of ["<", "\n\n", "ü€😀<", "aaaaaaaaa\u2028"]) bytesOfBase93(text);
});
