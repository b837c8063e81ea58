import assert from "node:assert/strict";
import { File as FileOfNode } from "node:buffer";
import test from "node:test";
import { Unreachable } from "../api/request";
import type { UploadApi } from "../api/uploads";
import { readKept } from "../model/site/upload-history";
import type { Keeper } from "../state/page/site-storage";
import { createSender, type Step } from "./file-uploader";

// Node 18 has files, but not by that name.
Object.assign(globalThis, { self: globalThis, File: FileOfNode });

// A file of 40 bytes; `read` is called before the one byte is read that shows whether the file is still there.
class Watched extends File {
  readonly #read: () => void;

  constructor(read: () => void) {
    super([new Uint8Array(40)], "a.trace");
    this.#read = read;
  }

  override slice(from: number, to: number): Blob {
    const part = super.slice(from, to);
    if (to - from > 1) return part;
    return Object.assign(part, {
      arrayBuffer: () => {
        this.#read();
        return Promise.resolve(new ArrayBuffer(1));
      },
    });
  }
}

// Sends the file in pieces of 4 bytes to a site that answers as `send` does.
async function sendAll(
  signal: AbortSignal,
  read: () => void,
  send: () => Promise<void>,
  tell: (step: Step) => void,
): Promise<number> {
  let sent = 0;
  const api: UploadApi = {
    begin: () => Promise.resolve({ id: "i", token: "t", pieceMost: 4 }),
    offset: () => Promise.resolve(0),
    send: () => {
      sent += 1;
      return send();
    },
    complete: () => Promise.reject(new Error("not to be completed")),
    giveUp: () => Promise.resolve(),
  };
  const keeper: Keeper = {
    read: () => readKept(null),
    tokenOf: () => "",
    addOwn: () => undefined,
    removeOwn: () => undefined,
    addUnfinished: () => undefined,
    removeUnfinished: () => undefined,
    settings: () => ({}),
    saveSettings: () => undefined,
    forget: () => undefined,
  };
  const wake = new EventTarget();
  const sending = { fields: {}, secret: "", pieceMost: 4, signal, tell, wake };
  await assert.rejects(createSender(api, keeper)({ file: new Watched(read), ...sending }), {
    name: "AbortError",
  });
  return sent;
}

test("no piece is sent after a cancel that comes while the file is read", async () => {
  const abort = new AbortController();
  const sent = await sendAll(
    abort.signal,
    () => abort.abort(),
    () => Promise.resolve(),
    () => undefined,
  );
  assert.equal(sent, 0);
});

test("a cancel that comes before the wait for a lost connection ends it", async () => {
  const abort = new AbortController();
  const began = performance.now();
  const sent = await sendAll(
    abort.signal,
    () => undefined,
    () => Promise.reject(new Unreachable("gone")),
    (step) => {
      if (step.kind === "lost") abort.abort();
    },
  );
  assert.equal(sent, 1);
  assert.ok(performance.now() - began < 500);
});
