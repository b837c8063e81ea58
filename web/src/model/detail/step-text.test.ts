import assert from "node:assert/strict";
import test from "node:test";
import type { Detail } from "./detail";
import { meanwhileText, whyText } from "./step-text";
import type { Method } from "../trace";

const method = (name: string): Method => ({ method: name }) as unknown as Method;
const nameOf = (one: Method): string => one.method;
const part = (name: string, cpu: number) => ({ method: method(name), inclusive: { cpu } });
const detail = (self: number, ...parts: unknown[]): Detail =>
  ({
    inclusive: { cpu: 10_000_000 },
    self: { cpu: self },
    parts,
    waits: [],
  }) as unknown as Detail;

test("why names the largest parts and its own code", () => {
  const parts = [part("a", 1_000_000), part("b", 5_000_000), part("c", 2_000_000), part("d", 1)];
  assert.equal(
    whyText(detail(2_000_000, ...parts), "cpu", nameOf),
    "Of 10.0 ms CPU time: 5.00 ms in b, 2.00 ms in c, 1.00 ms in a, 2.00 ms in its own code.",
  );
  assert.equal(
    whyText(detail(10_000_000), "cpu", nameOf),
    "Of 10.0 ms CPU time: 10.0 ms in its own code.",
  );
  assert.equal(whyText(detail(0), "cpu", nameOf), "It had no CPU time.");
});

test("meanwhile tells of other threads alone", () => {
  const facts = { threads: 3, isCommon: true, measure: "cpu", total: { cpu: 9_000_000 } } as const;
  const busiest = { ...method("x"), exclusive: { cpu: 4_000_000 } };
  assert.equal(
    meanwhileText({ ...facts, busiest }, nameOf),
    "The 3 other threads had 9.00 ms CPU time meanwhile, 4.00 ms of it in x.",
  );
  assert.equal(
    meanwhileText({ ...facts, threads: 1, total: { cpu: 0 }, busiest: null }, nameOf),
    "The other thread had no CPU time meanwhile.",
  );
  assert.equal(
    meanwhileText({ ...facts, threads: 0, busiest: null }, nameOf),
    "No other thread made calls.",
  );
  assert.equal(
    meanwhileText({ ...facts, isCommon: false, busiest }, nameOf),
    "Each thread has a clock of its own: what ran meanwhile is not known.",
  );
});
