import assert from "node:assert/strict";
import test from "node:test";
import { listen, type EventHandlers } from "./events";

const TOKEN = "0123456789abcdef0123456789abcdef";

// What a browser has, as far as `listen` uses it: a connection that a test opens and closes.
class Connection extends EventTarget {
  static made: Connection[] = [];
  isClosed = false;
  constructor(readonly address: string) {
    super();
    Connection.made.push(this);
  }
  close(): void {
    this.isClosed = true;
  }
  say(name: string, data?: string): void {
    this.dispatchEvent(data === undefined ? new Event(name) : new MessageEvent(name, { data }));
  }
}
class Socket extends Connection {}
class Stream extends Connection {}

let timers = new Map<number, () => void>();

function passTime(): void {
  const due = [...timers.values()];
  timers.clear();
  for (const run of due) run();
}

function begin(pathname: string): { told: unknown[]; end: () => void } {
  const told: unknown[] = [];
  const note =
    (name: string) =>
    (...values: unknown[]): void => {
      told.push([name, ...values]);
    };
  Connection.made = [];
  timers = new Map();
  Object.assign(globalThis, {
    self: {
      setTimeout: (run: () => void) => timers.set(1, run) && 1,
      clearTimeout: (timer: number) => timers.delete(timer),
    },
    location: new URL(pathname, "http://127.0.0.1:8192"),
    WebSocket: Socket,
    EventSource: Stream,
  });
  const handlers: EventHandlers = {
    progress: note("progress"),
    ready: note("ready"),
    failed: note("failed"),
    anew: note("anew"),
    offered: note("offered"),
    connected: note("connected"),
  };
  return { told, end: listen(handlers) };
}

function last(): Connection {
  const one = Connection.made.at(-1);
  assert.ok(one);
  return one;
}

test("a page of a program listens by a WebSocket of its trace", () => {
  const { told, end } = begin(`/${TOKEN}/t/2/`);
  assert.ok(last() instanceof Socket);
  assert.equal(last().address, `ws://127.0.0.1:8192/${TOKEN}/t/2/api/events`);
  last().say("open");
  last().say("message", 'event: ready\ndata: {"trace":3}\n\n');
  last().say("message", "event: reload\ndata: {}\n\n");
  last().say("message", "event: ping\ndata: {}\n\n");
  last().say("message", 'event: failed\ndata: {"file":"a","error":"b","mapping":true}\n\n');
  last().say("message", 'event: progress\ndata: {"done":1,"of":2,"step":"s","file":"f"}\n\n');
  assert.deepEqual(told, [
    ["connected", true],
    ["ready", 3],
    ["anew"],
    ["failed", "a", "b", true],
    ["progress", { done: 1, of: 2, step: "s", file: "f" }],
  ]);
  end();
  assert.ok(last().isClosed);
  last().say("close");
  assert.equal(told.length, 5, "what was ended by the page did not break");
});

test("where no WebSocket opens, an event stream says the same", () => {
  const { told, end } = begin(`/${TOKEN}/`);
  last().say("close");
  assert.ok(last() instanceof Stream);
  last().say("open");
  last().say("ready", '{"trace":1}');
  last().say("error");
  assert.deepEqual(told, [
    ["connected", true],
    ["ready", 1],
    ["connected", false],
  ]);
  end();
  assert.ok(last().isClosed);
});

test("a WebSocket that broke is opened again, as one", () => {
  const { told, end } = begin(`/${TOKEN}/`);
  last().say("open");
  for (const count of [2, 3]) {
    last().say("close");
    passTime();
    assert.equal(Connection.made.length, count);
    assert.ok(last() instanceof Socket);
  }
  assert.deepEqual(told, [
    ["connected", true],
    ["connected", false],
    ["connected", false],
  ]);
  last().say("close");
  end();
  passTime();
  assert.equal(Connection.made.length, 3);
});

test("a page of a site has an event stream", () => {
  begin(`/trace/${TOKEN}/`).end();
  assert.ok(last() instanceof Stream);
});
