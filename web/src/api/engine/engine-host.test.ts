import assert from "node:assert/strict";
import test from "node:test";
import { createEngineHost, type EngineHost, type Opened } from "./engine-host";
import { Broken, type Call, type EngineAnswer, type EngineWorker } from "./engine-worker";

// The page's timers are those of its window.
Object.assign(globalThis, { self: globalThis });

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
  expressionMs?: number,
): Promise<{ host: EngineHost; fake: ReturnType<typeof createFake> }> {
  const fake = createFake();
  const host = createEngineHost(fake.make, lost, expressionMs);
  const opening = host.open(traceOf("a.trace"), () => undefined);
  fake.asked.shift()?.answer();
  await opening;
  return { host, fake };
}

test("a question is sent when the one before is answered", async () => {
  const { host, fake } = await openHost();
  const first = host.ask("top", "", never);
  const second = host.ask("tree", "", never);
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
  const first = host.ask("top", "", never);
  const second = host.ask("tree", "", abort.signal);
  const third = host.ask("calls", "", never);
  abort.abort();
  await assert.rejects(second, { name: "AbortError" });
  fake.asked[0]?.answer();
  await first;
  await turn();
  assert.deepEqual(fake.asked[1]?.call, { kind: "ask", route: "calls", query: "" });
  fake.asked[1]?.answer();
  await third;
});

test("the shown trace answers until the next one is read, which then answers alone", async () => {
  const { host, fake } = await openHost();
  const opening = host.open(traceOf("b.trace"), () => undefined);
  const before = host.ask("info", "", never);
  const [reading, asking] = fake.asked.splice(0);
  assert.notEqual(reading?.worker, asking?.worker);
  asking?.answer("of a");
  assert.equal(textOf(await before), "of a");
  reading?.answer();
  await opening;
  assert.deepEqual([...fake.ended], [asking?.worker]);
  void host.ask("info", "", never);
  assert.equal(fake.asked[0]?.worker, reading?.worker);
});

test("a trace that cannot be read leaves the shown one", async () => {
  const { host, fake } = await openHost();
  const opening = host.open(traceOf("b.trace"), () => undefined);
  fake.asked.shift()?.fail(new Error("is no trace"));
  await assert.rejects(opening, /is no trace/);
  const after = host.ask("info", "", never);
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
  const first = host.ask("top", "", never);
  const second = host.ask("tree", "", never);
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
  const first = host.ask("top", "", never);
  const second = host.ask("tree", "", never);
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
  const long = host.ask("insights", "", never);
  await new Promise((resolve) => setTimeout(resolve, 20));
  fake.asked.shift()?.answer("late");
  assert.equal(textOf(await long), "late");
  await turn();
  const hanging = host.ask("search", "q=%2F(a%2B)%2Bb%2F&n=10", never);
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
