import assert from "node:assert/strict";
import test from "node:test";
import { createEngineHost, type EngineHost } from "./engine-host";
import { Broken, UnknownFile, type EngineAnswer, type EngineWorker } from "./engine-worker";

// Workers of one module that do in turns what `does` says: fail, or answer where there is null. What they were asked is told.
function workersOf(name: string, does: (Error | null)[], told: string[]): () => EngineWorker {
  return () => ({
    call: (call): Promise<EngineAnswer> => {
      told.push(`${name} ${call.kind}`);
      const failure = does.shift() ?? null;
      return failure === null
        ? Promise.resolve({ status: 200, body: new ArrayBuffer(0) })
        : Promise.reject(failure);
    },
    end: () => undefined,
  });
}

function hostOf(
  short: (Error | null)[],
  whole: (Error | null)[],
): { host: EngineHost; told: string[] } {
  const told: string[] = [];
  const host = createEngineHost(
    workersOf("short", short, told),
    workersOf("whole", whole, told),
    {},
  );
  return { host, told };
}

const open = (host: EngineHost, name: string): Promise<string> =>
  host.open({ name, file: new Blob([name]) }, () => undefined);
const ask = (host: EngineHost): Promise<EngineAnswer> =>
  host.ask(0, "info", "", new AbortController().signal);
const unknown = new UnknownFile("not known");

Object.assign(globalThis, { self: globalThis });

test("a file that the short engine does not know is read by the one that knows all, after a breakdown, too", async () => {
  const { host, told } = hostOf([unknown], [null, new Broken("unreachable")]);
  await open(host, "dump.trace");
  await assert.rejects(ask(host), /unreachable/);
  await ask(host);
  assert.deepEqual(told, ["short open", "whole open", "whole ask", "whole open", "whole ask"]);
});

test("what no engine knows is refused by the one that knows all, and the shown trace stays", async () => {
  const { host, told } = hostOf([null, unknown], [new UnknownFile("a PNG picture, not a trace")]);
  await open(host, "a.trace");
  await assert.rejects(open(host, "a.png"), /a PNG picture/);
  await ask(host);
  assert.deepEqual(told, ["short open", "short open", "whole open", "short ask"]);
});

test("a file that cannot be read is not tried again", async () => {
  const { host, told } = hostOf([new Error("is cut")], []);
  await assert.rejects(open(host, "cut.trace"), /is cut/);
  assert.deepEqual(told, ["short open"]);
});
