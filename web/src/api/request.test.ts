import assert from "node:assert/strict";
import test from "node:test";
import { createTurns, onceRead, Refused } from "./request";

Object.assign(globalThis, { self: globalThis });
const { signal } = new AbortController();

test("a question waits until the traces are read", async () => {
  let asked = 0;
  const answer = await onceRead(() => {
    asked += 1;
    return asked < 3 ? Promise.reject(new Refused(503, "loading")) : Promise.resolve("read");
  }, signal);
  assert.equal(answer, "read");
  assert.equal(asked, 3);
});

test("what fails otherwise is told, and who is gone asks no more", async () => {
  const refused = new Refused(404, "no trace");
  await assert.rejects(
    onceRead(() => Promise.reject(refused), signal),
    refused,
  );
  const gone = new AbortController();
  gone.abort();
  const loading = () => Promise.reject(new Refused(503, "loading"));
  await assert.rejects(onceRead(loading, gone.signal), { name: "AbortError" });
});

test("questions in turn begin when the one before has ended, however it did", async () => {
  const inTurn = createTurns();
  const begun: string[] = [];
  const ask = (name: string, isGood: boolean) => async () => {
    begun.push(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (!isGood) throw new Error(name);
    return begun.length;
  };
  const first = inTurn(ask("a", false));
  const second = inTurn(ask("b", true));
  await assert.rejects(first, /a/);
  assert.deepEqual(begun, ["a", "b"]);
  assert.equal(await second, 2);
});
