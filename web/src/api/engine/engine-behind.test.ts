import assert from "node:assert/strict";
import test from "node:test";
import { createEngineHost, type EngineHost } from "./engine-host";
import { Broken, type Call, type EngineAnswer, type EngineWorker } from "./engine-worker";

// The page's timers are those of its window.
Object.assign(globalThis, { self: globalThis });

interface Waiting {
  readonly call: Call;
  answer(text: string): void;
  fail(reason: unknown): void;
}

// What any worker was asked and has not answered yet.
const waiting: Waiting[] = [];
const make = (): EngineWorker => ({
  call: (call) =>
    new Promise<EngineAnswer>((resolve, fail) =>
      waiting.push({
        ...{ call, fail },
        answer: (text) => resolve({ status: 200, body: new TextEncoder().encode(text).buffer }),
      }),
    ),
  end: () => undefined,
});
const next = (): Waiting => {
  const one = waiting.shift();
  if (one === undefined) throw new Error("no worker was asked");
  return one;
};

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => globalThis.setTimeout(resolve, 0));
const textOf = ({ body }: EngineAnswer): string => new TextDecoder().decode(body);
const own = { name: "new.trace", file: new Blob(["new"]) };
const others = [{ place: 1, isOld: true, name: "old.trace", file: new Blob(["old"]) }];

// The new trace is open, and the old one waits behind it.
async function openBoth(lost: (reason: unknown) => void = () => undefined): Promise<EngineHost> {
  waiting.length = 0;
  const host = createEngineHost(make, null, { lost: () => undefined });
  const opening = host.open({ ...own, others }, () => undefined, lost);
  assert.deepEqual(waiting[0]?.call, { kind: "open", ...own });
  next().answer("");
  await opening;
  return host;
}

test("the new trace answers before the old one is read, which the first question about it begins", async () => {
  const host = await openBoth();
  const drawn = host.ask(0, "window", "width=9", never);
  next().answer("drawn");
  assert.equal(textOf(await drawn), "drawn");
  assert.equal(waiting.length, 0);
  const changes = host.ask(0, "diff", "old=1", never);
  const top = host.ask(1, "top", "", never);
  await turn();
  assert.deepEqual(waiting[0]?.call, { kind: "add", others });
  next().answer("");
  await turn();
  next().answer("changes");
  assert.equal(textOf(await changes), "changes");
  await turn();
  next().answer("top of the old one");
  assert.equal(textOf(await top), "top of the old one");
});

test("two calls of the new trace are compared without the old one", async () => {
  const host = await openBoth();
  void host.ask(0, "calldiff", "old=1.0.0&new=1.0.1", never);
  assert.equal(waiting[0]?.call.kind, "ask");
});

test("an old trace that cannot be read leaves the new one alone, and is told", async () => {
  const lost: unknown[] = [];
  const host = await openBoth((reason) => lost.push(reason));
  const changes = host.ask(0, "diff", "old=1", never);
  await turn();
  next().fail(new Error("the old trace, old.trace: is no trace"));
  await assert.rejects(changes, /is no trace/);
  assert.equal(lost.length, 1);
  const top = host.ask(0, "top", "", never);
  assert.equal(waiting[0]?.call.kind, "ask");
  next().answer("of the new one");
  assert.equal(textOf(await top), "of the new one");
});

test("an engine that breaks at the old trace reads the new one alone again", async () => {
  const host = await openBoth();
  const changes = host.ask(0, "diff", "old=1", never);
  await turn();
  next().fail(new Broken("no memory"));
  await assert.rejects(changes, /no memory/);
  await turn();
  const top = host.ask(0, "top", "", never);
  await turn();
  const opened = waiting.at(-1);
  assert.deepEqual(opened?.call, { kind: "open", ...own });
  opened?.answer("");
  await turn();
  waiting.at(-1)?.answer("of the new one");
  assert.equal(textOf(await top), "of the new one");
});
