import assert from "node:assert/strict";
import test from "node:test";
import { createEngineHost, type EngineHost } from "./engine-host";
import type { Opened } from "./engine-line";
import { Broken, type Call, type EngineAnswer, type EngineWorker } from "./engine-worker";

// The page's timers are those of its window. No test waits for the minute after which an engine of exports gives its memory
// back, and this process does not, either.
const A_MINUTE_MS = 60_000;
const { setTimeout } = globalThis;
Object.assign(globalThis, {
  self: globalThis,
  setTimeout: (then: () => void, ms: number) => {
    const timer = setTimeout(then, ms);
    return ms < A_MINUTE_MS ? timer : timer.unref();
  },
});

interface Asked {
  readonly call: Call;
  readonly worker: number;
  answer(text?: string): void;
  fail(reason: unknown): void;
}

// Workers that answer when the test says so.
function createFake(): { make(): EngineWorker; asked: Asked[]; ended: Set<number> } {
  const asked: Asked[] = [];
  const ended = new Set<number>();
  let count = 0;
  return {
    asked,
    ended,
    make: () => {
      const worker = count++;
      const rejects: ((reason: unknown) => void)[] = [];
      return {
        call: (call) =>
          new Promise<EngineAnswer>((resolve, reject) => {
            rejects.push(reject);
            const answer = (text = ""): void =>
              resolve({ status: 200, body: new TextEncoder().encode(text).buffer });
            asked.push({ call, worker, answer, fail: reject });
          }),
        end: (reason) => {
          ended.add(worker);
          rejects.forEach((reject) => reject(reason));
        },
      };
    },
  };
}

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const traceOf = (name: string): Opened => ({ name, file: new Blob([name]) });
const textOf = ({ body }: EngineAnswer): string => new TextDecoder().decode(body);

async function openHost(
  lost = (_: unknown): void => undefined,
  expressionMs = 8000,
  exporter: ReturnType<typeof createFake> | null = null,
): Promise<{ host: EngineHost; fake: ReturnType<typeof createFake> }> {
  const fake = createFake();
  const host = createEngineHost(fake.make, exporter?.make ?? null, { lost, expressionMs });
  const opening = host.open(traceOf("a.trace"), () => undefined);
  fake.asked.shift()?.answer();
  await opening;
  return { host, fake };
}

test("a question is sent when the one before is answered", async () => {
  const { host, fake } = await openHost();
  const first = host.ask(0, "top", "", never);
  const second = host.ask(0, "tree", "", never);
  assert.equal(fake.asked.length, 1);
  fake.asked[0]?.answer("one");
  assert.equal(textOf(await first), "one");
  await turn();
  fake.asked[1]?.answer("two");
  assert.equal(textOf(await second), "two");
});

test("a question that was given up while it waited is never sent", async () => {
  const { host, fake } = await openHost();
  const abort = new AbortController();
  const first = host.ask(0, "top", "", never);
  const second = host.ask(0, "tree", "", abort.signal);
  const third = host.ask(0, "calls", "", never);
  abort.abort();
  await assert.rejects(second, { name: "AbortError" });
  fake.asked[0]?.answer();
  await first;
  await turn();
  assert.deepEqual(fake.asked[1]?.call, { kind: "ask", place: 0, route: "calls", query: "" });
  fake.asked[1]?.answer();
  await third;
});

test("the shown trace answers until the next one is read, which then answers alone", async () => {
  const { host, fake } = await openHost();
  const opening = host.open(traceOf("b.trace"), () => undefined);
  const before = host.ask(0, "info", "", never);
  const [reading, asking] = fake.asked.splice(0);
  assert.notEqual(reading?.worker, asking?.worker);
  asking?.answer("of a");
  assert.equal(textOf(await before), "of a");
  reading?.answer();
  await opening;
  assert.deepEqual([...fake.ended], [asking?.worker]);
  void host.ask(0, "info", "", never);
  assert.equal(fake.asked[0]?.worker, reading?.worker);
});

test("a trace that cannot be read leaves the shown one", async () => {
  const { host, fake } = await openHost();
  const opening = host.open(traceOf("b.trace"), () => undefined);
  fake.asked.shift()?.fail(new Error("is no trace"));
  await assert.rejects(opening, /is no trace/);
  const after = host.ask(0, "info", "", never);
  fake.asked[0]?.answer("of a");
  assert.equal(textOf(await after), "of a");
});

test("cancelling ends the worker that reads", async () => {
  const { host, fake } = await openHost();
  const opening = host.open(traceOf("b.trace"), () => undefined);
  const reading = fake.asked[0]?.worker ?? -1;
  host.cancel();
  await assert.rejects(opening, { name: "AbortError" });
  assert.ok(fake.ended.has(reading));
  assert.equal(host.isOpen(), true);
});

test("after a breakdown another engine reads the file, and goes on with what waits", async () => {
  const { host, fake } = await openHost();
  const first = host.ask(0, "top", "", never);
  const second = host.ask(0, "tree", "", never);
  fake.asked.shift()?.fail(new Broken("unreachable"));
  await assert.rejects(first, /unreachable/);
  await turn();
  const [again] = fake.asked.splice(0);
  assert.equal(again?.call.kind, "open");
  again?.answer();
  await turn();
  fake.asked[0]?.answer("two");
  assert.equal(textOf(await second), "two");
});

test("a file that cannot be read again is told of, and nothing waits for it", async () => {
  const told: unknown[] = [];
  const { host, fake } = await openHost((reason) => told.push(reason));
  const first = host.ask(0, "top", "", never);
  const second = host.ask(0, "tree", "", never);
  fake.asked.shift()?.fail(new Broken("unreachable"));
  await assert.rejects(first);
  await turn();
  fake.asked.shift()?.fail(new Error("choose it again"));
  await assert.rejects(second, /choose it again/);
  assert.match(String(told[0]), /choose it again/);
  assert.equal(host.isOpen(), false);
});

test("an expression without end ends its engine, with what to do; other questions may take long", async () => {
  const { host, fake } = await openHost(() => undefined, 1);
  const long = host.ask(0, "insights", "", never);
  await new Promise((resolve) => setTimeout(resolve, 20));
  fake.asked.shift()?.answer("late");
  assert.equal(textOf(await long), "late");
  await turn();
  const hanging = host.ask(0, "search", "q=%2F(a%2B)%2Bb%2F&n=10", never);
  await assert.rejects(hanging, /this expression takes too long/);
  await turn();
  assert.equal(fake.asked.at(-1)?.call.kind, "open");
});

test("an export that is given up is ended with its engine", async () => {
  const { host, fake } = await openHost();
  const abort = new AbortController();
  const exporting = host.exporting("format=chrome", () => undefined, abort.signal);
  const worker = fake.asked.shift()?.worker ?? -1;
  abort.abort();
  await assert.rejects(exporting, { name: "AbortError" });
  await turn();
  assert.ok(fake.ended.has(worker));
  assert.equal(fake.asked[0]?.call.kind, "open");
});

test("an engine of exports reads the trace when it is asked first, and questions do not wait for it", async () => {
  const exporter = createFake();
  const { host, fake } = await openHost(undefined, undefined, exporter);
  assert.equal(exporter.asked.length, 0);
  const formats = host.ask(0, "exports", "", never);
  const exporting = host.exporting("format=chrome", () => undefined, never);
  const question = host.ask(0, "top", "", never);
  fake.asked.shift()?.answer("top");
  assert.equal(textOf(await question), "top");
  assert.deepEqual(
    exporter.asked.map(({ call }) => call.kind),
    ["open"],
  );
  exporter.asked.shift()?.answer();
  await turn();
  exporter.asked.shift()?.answer("formats");
  assert.equal(textOf(await formats), "formats");
  await turn();
  exporter.asked.shift()?.answer("made");
  assert.equal(textOf(await exporting), "made");
  assert.equal(exporter.ended.size, 0);
});

test("an export that is given up leaves the questions their engine; the next one gets another", async () => {
  const exporter = createFake();
  const { host, fake } = await openHost(undefined, undefined, exporter);
  const abort = new AbortController();
  const exporting = host.exporting("format=chrome", () => undefined, abort.signal);
  exporter.asked.shift()?.answer();
  await turn();
  const former = exporter.asked.shift()?.worker ?? -1;
  abort.abort();
  await assert.rejects(exporting, { name: "AbortError" });
  await turn();
  assert.ok(exporter.ended.has(former));
  assert.equal(fake.ended.size, 0);
  assert.equal(exporter.asked.length, 0);
  void host.ask(0, "exports", "", never);
  assert.equal(exporter.asked[0]?.call.kind, "open");
});

test("where the engine of exports cannot read the trace, the next export tries once more", async () => {
  const exporter = createFake();
  const { host } = await openHost(
    () => assert.fail("the shown trace is lost"),
    undefined,
    exporter,
  );
  const first = host.ask(0, "exports", "", never);
  exporter.asked.shift()?.fail(new Error("no memory"));
  await assert.rejects(first, /no memory/);
  await turn();
  const second = host.ask(0, "exports", "", never);
  exporter.asked.shift()?.answer();
  await turn();
  exporter.asked.shift()?.answer("formats");
  assert.equal(textOf(await second), "formats");
  assert.equal(host.isOpen(), true);
});

test("comparisons are asked of the engine of exports", async () => {
  const exporter = createFake();
  const { host } = await openHost(
    () => assert.fail("the shown trace is lost"),
    undefined,
    exporter,
  );
  void host.ask(0, "calldiff", "old=1.0.0&new=1.0.1", never);
  assert.equal(exporter.asked[0]?.call.kind, "open");
});

test("another trace ends the engine of exports", async () => {
  const exporter = createFake();
  const { host, fake } = await openHost(undefined, undefined, exporter);
  const first = host.ask(0, "exports", "", never);
  const opening = host.open(traceOf("b.trace"), () => undefined);
  fake.asked.shift()?.answer();
  await opening;
  await assert.rejects(first, { name: "AbortError" });
  assert.equal(exporter.ended.size, 1);
  void host.ask(0, "exports", "", never);
  const call = exporter.asked.at(-1)?.call;
  assert.equal(call?.kind === "open" && call.name, "b.trace");
});

test("two traces are read and compared by the engine that knows comparisons, and files are made of one", async () => {
  const exporter = createFake();
  const { host } = await openHost(undefined, undefined, exporter);
  const others = [{ place: 1, isOld: true, name: "old.trace", file: new Blob(["old"]) }];
  const opening = host.open({ ...traceOf("new.trace"), others }, () => undefined);
  exporter.asked.shift()?.answer();
  await opening;
  const [changes, top] = [host.ask(0, "diff", "old=1", never), host.ask(1, "top", "", never)];
  await turn();
  exporter.asked.shift()?.answer();
  await turn();
  const [first] = exporter.asked.splice(0);
  first?.answer("changes");
  assert.equal(textOf(await changes), "changes");
  await turn();
  exporter.asked.shift()?.answer("top of the old one");
  assert.equal(textOf(await top), "top of the old one");
  host.ask(0, "export", "format=csv&check=1", never).catch(() => undefined);
  await turn();
  assert.deepEqual(exporter.asked[0]?.call, { kind: "open", ...traceOf("new.trace") });
  exporter.asked.shift()?.answer();
  await turn();
  assert.equal(exporter.asked.shift()?.call.kind, "export");
  host.makeFilesOf(traceOf("another run.trace"));
  void host.ask(0, "export", "", never);
  assert.deepEqual(exporter.asked[0]?.call, { kind: "open", ...traceOf("another run.trace") });
});
