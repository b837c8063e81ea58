import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { App } from "../../state/page/app";
import { createChoices } from "../../state/choices";
import { endStory, showStep } from "./story-steps";

const CALL = {
  thread: 1,
  depth: 2,
  call: 3,
  start: 500,
  end: 900,
  rank: 4,
  ordinal: 0,
  method: {},
};

// An app whose store answers each question for a call after the next of `delays`, in milliseconds.
function appOf(delays: number[]): App {
  const call = () => new Promise((resolve) => setTimeout(() => resolve(CALL), delays.shift() ?? 0));
  const store = {
    ...createChoices(),
    api: { call },
    hide: signal(""),
    names: { learn: () => undefined },
    insights: signal({ value: { list: [{ call: CALL }] } }),
    info: signal({
      hasCommonAxis: true,
      threads: [
        { id: 1, records: 9 },
        { id: 2, records: 9 },
      ],
    }),
    revealed: signal(null),
    report: (problem: unknown) => assert.fail(String(problem)),
  };
  return { store, views: { glideTo: () => undefined } } as unknown as App;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

void test("of steps in quick turns the last one is shown, whichever is answered first", async () => {
  const app = appOf([15, 1]);
  showStep(app, { of: 1, step: 1 });
  showStep(app, { of: 1, step: 3 });
  await settled();
  assert.equal(app.store.tab.value, "profile");
  assert.deepEqual([...(app.store.threads.value ?? [])], [2]);
});

void test("a story that was ended sets nothing any more", async () => {
  const app = appOf([5]);
  showStep(app, { of: 1, step: 3 });
  endStory(app);
  await settled();
  assert.equal(app.store.picked.value, null);
  assert.equal(app.store.threads.value, null);
});

void test("the end of a story gives back the part of the trace that was looked at before", async () => {
  const app = appOf([1, 1]);
  const { store } = app;
  const part = { picked: { from: 30, to: 100 }, threads: new Set([1, 2]) };
  const lens = { kind: "search", text: "load" } as const;
  store.picked.value = part.picked;
  store.threads.value = part.threads;
  store.lens.value = lens;
  showStep(app, { of: 1, step: 1 });
  await settled();
  assert.equal(store.threads.value, null);
  showStep(app, { of: 1, step: 3 });
  await settled();
  assert.deepEqual(store.picked.value, { from: 500, to: 900 });
  endStory(app);
  assert.deepEqual(store.picked.value, part.picked);
  assert.equal(store.threads.value, part.threads);
  assert.equal(store.lens.value, lens);
});
