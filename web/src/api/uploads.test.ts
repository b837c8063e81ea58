import assert from "node:assert/strict";
import test from "node:test";
import { createUploadApi } from "./uploads";

// What the browser has for a request; it is answered at once.
class Answered extends EventTarget {
  static sent = 0;
  readonly upload = new EventTarget();
  readonly status = 204;
  open(): void {}
  setRequestHeader(): void {}
  abort(): void {
    this.dispatchEvent(new Event("abort"));
  }
  send(): void {
    Answered.sent += 1;
    this.dispatchEvent(new Event("load"));
    this.dispatchEvent(new Event("loadend"));
  }
}
Object.assign(globalThis, { XMLHttpRequest: Answered });

const piece = { id: "i", token: "t", offset: 0, bytes: new Blob(["1234"]) };
const send = (signal: AbortSignal): Promise<void> =>
  createUploadApi("").send(piece, () => undefined, signal);

test("a piece is not sent after a cancel", async () => {
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(send(abort.signal), { name: "AbortError" });
  assert.equal(Answered.sent, 0);
});

test("a piece that was sent is no longer held by what cancels", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListener) => {
    listeners += 1;
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListener) => {
    listeners -= 1;
    remove(type, listener);
  };
  await send(signal);
  assert.equal(listeners, 0);
});
