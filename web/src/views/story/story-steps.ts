// The steps of a story: what each sets, and how one ends.

import { batch } from "@preact/signals";
import { INSIGHT_STEPS, type Story } from "../../model/page/story";
import type { Insight } from "../../model/insights/insights";
import type { PlacedCall } from "../../model/trace";
import { askCall } from "../../state/levels";
import { lensOfCall, setLens } from "../../state/actions/lens-actions";
import type { App } from "../../state/page/app";
import { otherThreads } from "../../state/panels/meanwhile";

export function insightOf(app: App, story: Story): Insight | null {
  const list = app.store.insights.value.value?.list ?? [];
  return story.of === "marks" ? null : (list[story.of - 1] ?? null);
}

// Whether there is a step of what ran meanwhile.
export function hasMeanwhile({ store }: App): boolean {
  const info = store.info.value;
  return (
    info !== null &&
    info.hasCommonAxis &&
    info.threads.filter((thread) => thread.records > 0).length > 1
  );
}

// Takes back what steps set: the lens, the picked range, the threads.
function takeBack(app: App): void {
  const { store } = app;
  setLens(store, null);
  store.pickedCalls.value = null;
  store.picked.value = null;
  store.threads.value = null;
}

// Shows a step of an insight, unless another one was chosen, or the story was ended, while its call was asked for.
async function showCall(app: App, call: PlacedCall, story: Story): Promise<void> {
  const { store } = app;
  const { step } = story;
  const { thread, depth, call: number } = call;
  const found = await askCall(store, { thread, depth, call: number }, new AbortController().signal);
  if (store.story.peek() !== story) return;
  store.names.learn([found.method]);
  const air = Math.max(100, (call.end - call.start) * 0.1);
  app.views.glideTo({ from: call.start - air, to: call.end + air });
  batch(() => {
    takeBack(app);
    store.method.value = found.rank;
    store.call.value = found;
    store.tab.value = (["calls", "flame", "profile"] as const)[step - 1] ?? "profile";
    if (step === 2) {
      setLens(store, lensOfCall(found));
      store.flameView.value = { ...store.flameView.peek(), isSandwich: false };
      store.flameChoice.value = null;
    }
    if (step === INSIGHT_STEPS.length && hasMeanwhile(app)) {
      store.picked.value = { from: call.start, to: Math.max(call.end, call.start + 1) };
      store.threads.value = new Set(otherThreads(store.info.peek(), call));
    } else store.revealed.value = found;
  });
}

export function showStep(app: App, story: Story): void {
  const { store } = app;
  store.story.value = story;
  if (story.of === "marks") {
    const mark = store.marks.peek()[story.step - 1];
    if (mark !== undefined) app.marks.jump(mark);
    return;
  }
  const call = insightOf(app, story)?.call ?? null;
  if (call !== null) showCall(app, call, story).catch(store.report);
}

export function endStory(app: App): void {
  batch(() => {
    if (app.store.story.peek()?.of !== "marks") takeBack(app);
    app.store.story.value = null;
  });
}
