// The decoder that the static site has beside it, and long reports in them, in the code that the page's worker runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { bundle } from "./bundle.mjs";
import { zstdDecoder } from "./zstd.mjs";

const load = async (entry) => {
  const script = await bundle(entry, { format: "esm", platform: "node" });
  return import(`data:text/javascript;base64,${Buffer.from(script).toString("base64")}`);
};
const { unpack, UnreadableFile } = await load("engine/unpack.ts");
const { unpackComing } = await load("engine/unpack-page-trace.ts");
const module = new WebAssembly.Module(await zstdDecoder());

// Longer than the room that the decoder has at a time, and not packed to nothing.
const BYTES = Buffer.from(
  Array.from({ length: 3_000_000 }, (_, ix) => (ix * 7919 + (ix >> 5)) & 0xff),
);
const pack = (bytes, ...options) =>
  execFileSync("zstd", ["-q", "-c", ...options], { input: bytes, maxBuffer: 1 << 26 });

async function unpacked(file) {
  let asked = 0;
  const told = [];
  const found = await unpack(
    new Blob([file]),
    (done) => told.push(done),
    async () => {
      asked += 1;
      return module;
    },
  );
  const pieces = [];
  for await (const piece of found.pieces) pieces.push(Buffer.from(piece));
  return { bytes: Buffer.concat(pieces), said: found.said, isCut: found.isCut(), asked, told };
}

test("a file comes whole, its length is known before, and the decoder is asked for once", async () => {
  const file = pack(BYTES, "--no-progress");
  const { bytes, isCut, asked, told } = await unpacked(file);
  assert.ok(bytes.equals(BYTES));
  assert.deepEqual([isCut, asked, told.at(-1)], [false, 1, file.length]);
});

test("frames follow each other, of any length", async () => {
  for (const len of [0, 1, 200, 255, 256, 70_000, 1 << 20]) {
    const part = BYTES.subarray(0, len);
    const file = Buffer.concat([pack(part), pack(BYTES), pack(part)]);
    const { bytes, isCut } = await unpacked(file);
    assert.ok(bytes.equals(Buffer.concat([part, BYTES, part])), `${len}`);
    assert.equal(isCut, false);
  }
});

test("the length that a frame says is that of its bytes, where it is likely", async () => {
  // As a file has it, whose length zstd knows.
  for (const len of [200, 300, 66_000, 3_000_000]) {
    const part = randomBytes(len);
    const { said } = await unpacked(pack(part, `--stream-size=${len}`));
    assert.equal(said, len, `${len}`);
  }
  const zeros = Buffer.alloc(3_000_000);
  assert.equal((await unpacked(pack(zeros, `--stream-size=${zeros.length}`))).said, 0);
});

test("a file that ends early gives what there is, and says so", async () => {
  const file = pack(BYTES);
  for (const len of [file.length - 1, file.length >> 1, 20]) {
    const { bytes, isCut } = await unpacked(file.subarray(0, len));
    assert.equal(isCut, true);
    assert.ok(bytes.equals(BYTES.subarray(0, bytes.length)));
  }
});

test("damaged data, and data behind the last frame, are refused in a line", async () => {
  const file = Buffer.from(pack(BYTES, "--check"));
  file[file.length >> 1] ^= 0xff;
  await assert.rejects(unpacked(file), UnreadableFile);
  await assert.rejects(unpacked(Buffer.concat([pack(BYTES), Buffer.from("rest")])), UnreadableFile);
});

test("other files do not ask for the decoder", async () => {
  assert.equal((await unpacked(BYTES)).asked, 0);
});

// A page's trace, in pieces of `len` bytes.
async function come(packed, len, decoder = module) {
  const told = [];
  const coming = new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < packed.length; at += len)
        controller.enqueue(new Uint8Array(packed.subarray(at, at + len)));
      controller.close();
    },
  });
  const tell = (done) => told.push(done);
  const found = await unpackComing(coming, 7, tell, async () => decoder);
  const pieces = [];
  for await (const piece of found.pieces) pieces.push(Buffer.from(piece));
  return { bytes: Buffer.concat(pieces), said: found.said, told };
}

test("a page's trace that comes piece by piece is unpacked", async () => {
  const packed = pack(BYTES, "--check");
  for (const len of [1000, packed.length]) {
    const { bytes, said, told } = await come(packed, len);
    assert.ok(bytes.equals(BYTES));
    assert.deepEqual([said, told.at(-1)], [7, packed.length]);
  }
});

test("one that is cut short, damaged or has more behind it is refused, and so is one without a decoder", async () => {
  const packed = pack(BYTES, "--check");
  const changed = (at) => {
    const copy = Buffer.from(packed);
    copy[at] ^= 0x55;
    return copy;
  };
  for (const bytes of [
    packed.subarray(0, packed.length - 1),
    packed.subarray(0, packed.length >> 1),
    changed(packed.length >> 1),
    // The sum.
    changed(packed.length - 2),
    Buffer.concat([packed, Buffer.from("more")]),
  ])
    await assert.rejects(
      come(bytes, 4096),
      /the trace in this file is damaged: get the file again/,
    );
  await assert.rejects(come(packed, 4096, null), /what unpacks the trace in this file is damaged/);
});
