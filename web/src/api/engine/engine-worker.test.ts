import assert from "node:assert/strict";
import test from "node:test";
import type { FromWorker, ToWorker } from "../../engine/messages";
import { createEngineWorker, type EngineWorker } from "./engine-worker";

// What was said to a worker, and what it says.
function createFake() {
  const said: ToWorker[] = [];
  const port = {
    postMessage: (message: ToWorker) => void said.push(message),
    terminate: () => undefined,
    onmessage: null as ((event: MessageEvent<FromWorker>) => void) | null,
    onerror: null,
    onmessageerror: null,
  };
  const module = {} as WebAssembly.Module;
  const worker: EngineWorker = createEngineWorker(port, Promise.resolve(module));
  const say = (data: FromWorker): void => port.onmessage?.({ data } as MessageEvent<FromWorker>);
  return { said, worker, say };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const LENGTHS = { packed: 2, unpacked: 30 };

// A file of `count` pieces; `reach` is called with the number of each piece that is asked for.
const fileOf = (count: number, reach: (ix: number) => void = () => undefined) => ({
  ...LENGTHS,
  pieces: async function* () {
    for (let ix = 0; ix < count; ix++) {
      reach(ix);
      await turn();
      yield Uint8Array.of(ix);
    }
  },
});

async function settled(): Promise<void> {
  for (let ix = 0; ix < 20; ix++) await turn();
}

test("the pieces of a file go behind the call that opens it, and then its end", async () => {
  const { said, worker, say } = createFake();
  const opening = worker.call({ kind: "open", name: "x", file: fileOf(2) });
  await settled();
  assert.deepEqual(said.slice(1), [
    { kind: "open", name: "x", id: 1, file: LENGTHS },
    { kind: "take", id: 1, piece: Uint8Array.of(0) },
    { kind: "take", id: 1, piece: Uint8Array.of(1) },
    { kind: "take", id: 1, piece: null },
  ]);
  say({ kind: "answer", id: 1, status: 200, body: new ArrayBuffer(0) });
  assert.equal((await opening).status, 200);
});

test("when the worker has failed, no more pieces are asked for", async () => {
  const { said, worker, say } = createFake();
  let reached = -1;
  const opening = worker.call({ kind: "open", name: "x", file: fileOf(9, (ix) => (reached = ix)) });
  while (reached < 1) await turn();
  say({ kind: "failed", id: 1, text: "damaged" });
  await assert.rejects(opening, /damaged/);
  const count = said.length;
  await settled();
  assert.equal(said.length, count);
  assert.ok(reached < 4);
});

test("a file that ends early fails", async () => {
  const { worker } = createFake();
  const file = {
    ...LENGTHS,
    pieces: async function* () {
      yield Uint8Array.of(1);
      throw new Error("cut short");
    },
  };
  await assert.rejects(worker.call({ kind: "open", name: "x", file }), /cut short/);
});
