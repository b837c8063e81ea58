import assert from "node:assert/strict";
import test from "node:test";
import { curveShares, curveText, curveThread, hasCurve } from "./curve";
import type { RowLayout } from "./rows";

test("what waited stands on what was on the CPU, and both are no more than the stretch", () => {
  const curve = { thread: 1, called: [100, 50, 0, 90], cpu: [40, 60, 0, 120] };
  assert.deepEqual(curveShares(curve, 400), [
    { cpu: 0.4, wait: 0.6 },
    { cpu: 0.6, wait: 0 },
    { cpu: 0, wait: 0 },
    { cpu: 1, wait: 0 },
  ]);
});

test("the sentence adds the stretches up", () => {
  const curve = { thread: 1, called: [100, 50], cpu: [40, 10] };
  assert.equal(
    curveText(curve, "main", 200),
    "main: 25 % of the time on the CPU, 50 % waiting in calls",
  );
});

test("the thread is the only one chosen, else the first with calls", () => {
  const row = (id: number, calls: number) => ({ thread: { id, calls } });
  const layout = { rows: [row(1, 0), row(2, 5), row(3, 9)] } as unknown as RowLayout;
  assert.equal(curveThread(null, layout)?.id, 2);
  assert.equal(curveThread(new Set([3]), layout)?.id, 3);
  assert.equal(curveThread(new Set([3, 1]), layout)?.id, 2);
  assert.equal(curveThread(null, { rows: [] }), null);
});

test("a trace of one clock, and a sampled one, has none", () => {
  assert.equal(hasCurve({ clocks: ["wall", "cpu"], sampled: false }), true);
  assert.equal(hasCurve({ clocks: ["wall"], sampled: false }), false);
  assert.equal(hasCurve({ clocks: ["wall", "cpu"], sampled: true }), false);
});
