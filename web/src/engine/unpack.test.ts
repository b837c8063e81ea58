import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { unpack } from "./unpack";
import { unpackComing } from "./unpack-page-trace";

const BYTES = Buffer.from(
  Array.from({ length: 300_000 }, (_, ix) => (ix * 7919 + (ix >> 5)) & 0xff),
);
const zstd = (bytes: Buffer): Buffer =>
  execFileSync("zstd", ["-q", "-c"], { input: bytes, maxBuffer: 1 << 24 });

async function bytesOf(file: Uint8Array) {
  const told: number[] = [];
  const unpacked = await unpack(new Blob([new Uint8Array(file)]), (done) => told.push(done));
  const pieces: Uint8Array[] = [];
  for await (const piece of unpacked.pieces) pieces.push(piece);
  return { ...unpacked, bytes: Buffer.concat(pieces), told, isCut: unpacked.isCut() };
}

test("a plain file comes as it is, and its length is known before", async () => {
  const { bytes, size, step, told } = await bytesOf(Buffer.from(BYTES));
  assert.ok(bytes.equals(BYTES));
  assert.equal(size, BYTES.length);
  assert.equal(step, "reading");
  assert.equal(told.at(-1), BYTES.length);
});

test("an empty file has no pieces", async () => {
  assert.equal((await bytesOf(Buffer.alloc(0))).bytes.length, 0);
});

for (const [name, pack] of [
  ["gzip", gzipSync],
  ["zstd", zstd],
] as const) {
  test(`${name} is told by the first bytes and unpacked`, async () => {
    const packed = Buffer.from(pack(BYTES));
    const { bytes, step, told, isCut } = await bytesOf(packed);
    assert.ok(bytes.equals(BYTES));
    assert.equal(step, "unpacking");
    assert.equal(told.at(-1), packed.length);
    assert.equal(isCut, false);
  });

  test(`${name} data that ends early gives what there is, and says so`, async () => {
    const packed = Buffer.from(pack(Buffer.concat([BYTES, BYTES, BYTES])));
    const { bytes, isCut } = await bytesOf(packed.subarray(0, packed.length - 9));
    assert.equal(isCut, true);
    assert.ok(bytes.equals(Buffer.concat([BYTES, BYTES, BYTES]).subarray(0, bytes.length)));
  });
}

// Stored as they are: how small a zlib packs bytes is its own affair, and what would be packed to very little is not believed.
test("of gzip the length is said before, where it can be", async () => {
  const packed = gzipSync(BYTES, { level: 0 });
  assert.equal((await bytesOf(packed)).said, BYTES.length);
  assert.equal((await bytesOf(packed)).size, 0);
  const cut = Buffer.concat([packed.subarray(0, 200), Buffer.from([0, 0, 0, 0x7f])]);
  assert.equal((await bytesOf(cut)).said, 0);
});

test("damaged zstd data is refused", async () => {
  const packed = Buffer.from(zstd(BYTES));
  packed.fill(0xff, 9, 12); // the first block's contents
  await assert.rejects(bytesOf(packed), /zstd data is damaged/);
});

// What comes before the last slice of the file cannot be its end.
test("damaged gzip data is refused", async () => {
  const noise = Buffer.from(Array.from({ length: 3 << 20 }, (_, ix) => (ix * ix * 31) >> 7));
  const packed = gzipSync(noise, { level: 0 });
  packed.fill(0xff, 10, 40_000);
  await assert.rejects(bytesOf(packed), /gzip data is damaged/);
});

test("of several zstd frames all are unpacked", async () => {
  const { bytes } = await bytesOf(Buffer.concat([zstd(BYTES), zstd(BYTES)]));
  assert.ok(bytes.equals(Buffer.concat([BYTES, BYTES])));
});

// Beginnings of members that are none: two in data that is stored as it is, one across the end of a slice of the file.
test("of several gzip members all are unpacked, and nothing else is taken for one", async () => {
  const head = gzipSync("").subarray(0, 10);
  const noise = Buffer.alloc(2 << 20, 7);
  head.copy(noise, 1000);
  head.copy(noise, (1 << 20) - 30);
  const members = [gzipSync(BYTES), gzipSync(noise, { level: 0 }), gzipSync(""), gzipSync(BYTES)];
  const { bytes, told, isCut } = await bytesOf(Buffer.concat(members));
  assert.ok(bytes.equals(Buffer.concat([BYTES, noise, BYTES])));
  assert.equal(told.at(-1), Buffer.concat(members).length);
  assert.equal(isCut, false);
});

// Trying one means unpacking all that is before it.
test("what no packer writes is not tried as a gzip member", async () => {
  const noise = Buffer.from(BYTES);
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0x55, 3]);
  for (let at = 1000; at < 1300; at += 15) head.copy(noise, at);
  const file = new Blob([new Uint8Array(gzipSync(noise, { level: 0 }))]);
  let slices = 0;
  const slice = file.slice.bind(file);
  file.slice = (...range) => {
    slices += 1;
    return slice(...range);
  };
  const unpacked = await unpack(file, () => undefined);
  let len = 0;
  for await (const piece of unpacked.pieces) len += piece.length;
  assert.equal(len, noise.length);
  assert.ok(slices < 10, `${slices}`);
});

test("a gzip member that ends early behind a whole one gives what there is, and says so", async () => {
  const packed = Buffer.concat([gzipSync(BYTES), Buffer.from(gzipSync(BYTES)).subarray(0, -9)]);
  const { bytes, isCut } = await bytesOf(packed);
  assert.equal(isCut, true);
  assert.ok(bytes.length >= BYTES.length);
  assert.ok(bytes.equals(Buffer.concat([BYTES, BYTES]).subarray(0, bytes.length)));
});

// Pieces of `len` bytes, as a page gives them.
async function comeOf(packed: Uint8Array, len: number) {
  const told: number[] = [];
  const coming = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (let at = 0; at < packed.length; at += len)
        controller.enqueue(new Uint8Array(packed.subarray(at, at + len)));
      controller.close();
    },
  });
  const unpacked = await unpackComing(coming, 7, (done) => told.push(done));
  const pieces: Uint8Array[] = [];
  for await (const piece of unpacked.pieces) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), told, said: unpacked.said };
}

test("gzip that comes piece by piece is unpacked", async () => {
  const packed = gzipSync(BYTES);
  for (const len of [1, 1000, packed.length]) {
    const { bytes, told, said } = await comeOf(len === 1 ? gzipSync("few") : packed, len);
    assert.ok(bytes.equals(len === 1 ? Buffer.from("few") : BYTES));
    assert.equal(told.at(-1), len === 1 ? gzipSync("few").length : packed.length);
    assert.equal(said, 7);
  }
});

test("a page's trace that is not whole is damaged", async () => {
  const packed = gzipSync(BYTES);
  const changed = (at: number): Buffer => {
    const copy = Buffer.from(packed);
    copy.writeUInt8(copy.readUInt8(at) ^ 0x55, at);
    return copy;
  };
  for (const bytes of [
    Buffer.alloc(0),
    packed.subarray(0, packed.length - 9),
    packed.subarray(0, packed.length - 1),
    changed(0),
    changed(packed.length >> 1),
    // The sum, and the length.
    changed(packed.length - 8),
    changed(packed.length - 1),
  ])
    await assert.rejects(
      comeOf(bytes, 512),
      /the trace in this file is damaged: get the file again/,
    );
});
