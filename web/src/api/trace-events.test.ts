import assert from "node:assert/strict";
import test from "node:test";
import { followTrace } from "./trace-events";

// A stream as a browser has it, as far as `followTrace` uses it.
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static made: Stream[] = [];
  readyState = 1;
  constructor() {
    super();
    Stream.made.push(this);
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
}

class Page extends EventTarget {
  hidden = false;
  show(isShown: boolean): void {
    this.hidden = !isShown;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

function begin(isShown: boolean): { page: Page; told: string[] } {
  const page = new Page();
  const told: string[] = [];
  page.hidden = !isShown;
  Stream.made = [];
  Object.assign(globalThis, { document: page, EventSource: Stream });
  followTrace(
    ({ state, place }) => told.push(`${state} ${place}`),
    () => told.push("lost"),
  );
  return { page, told };
}

const openOnes = (): Stream[] => Stream.made.filter(({ readyState }) => readyState === 1);

test("a page that waits has a stream while it is looked at", () => {
  const { page, told } = begin(true);
  openOnes()[0]?.dispatchEvent(new MessageEvent("queued", { data: '{"place":3}' }));
  assert.deepEqual(told, ["queued 3"]);
  page.show(false);
  assert.equal(openOnes().length, 0);
  page.show(true);
  assert.equal(openOnes().length, 1);
  openOnes()[0]?.dispatchEvent(new MessageEvent("ready", { data: "{}" }));
  assert.deepEqual(told, ["queued 3", "ready 0"], "and is not lost by having none");
});

test("a page that is opened in the background begins when it is shown", () => {
  const { page } = begin(false);
  assert.equal(Stream.made.length, 0);
  page.show(true);
  assert.equal(openOnes().length, 1);
});

test("a stream that the browser gives up is told", () => {
  const { told } = begin(true);
  const [stream] = openOnes();
  stream?.dispatchEvent(new Event("error"));
  assert.deepEqual(told, []);
  stream?.close();
  stream?.dispatchEvent(new Event("error"));
  assert.deepEqual(told, ["lost"]);
});
