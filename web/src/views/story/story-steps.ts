// The steps of a story: what each sets, and how one ends.

import { batch } from "@preact/signals";
import { INSIGHT_STEPS, WHOLE_PART, type Story, type StoryPart } from "../../model/page/story";
import type { Insight } from "../../model/insights/insights";
import type { PlacedCall } from "../../model/trace";
import { askCall } from "../../state/levels";
import { lensOfCall, setLens } from "../../state/actions/lens-actions";
import type { App } from "../../state/page/app";
import { otherThreads } from "../../state/panels/meanwhile";
import type { Store } from "../../state/store";

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

function partOf({ lens, pickedCalls, picked, threads }: Store): StoryPart {
  return {
    lens: lens.peek(),
    pickedCalls: pickedCalls.peek(),
    picked: picked.peek(),
    threads: threads.peek(),
  };
}

// Looks at a part, in place of the one that a step set.
function takeBack(store: Store, part: StoryPart): void {
  setLens(store, null);
  store.lens.value = part.lens;
  store.pickedCalls.value = part.pickedCalls;
  store.picked.value = part.picked;
  store.threads.value = part.threads;
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
    takeBack(store, WHOLE_PART);
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
  if (store.story.peek() === null) store.storyPart.value = partOf(store);
  store.story.value = story;
  if (story.of === "marks") {
    const mark = store.marks.peek()[story.step - 1];
    if (mark !== undefined) app.marks.jump(mark);
    return;
  }
  const call = insightOf(app, story)?.call ?? null;
  if (call !== null) showCall(app, call, story).catch(store.report);
}

export function endStory({ store }: App): void {
  batch(() => {
    if (store.story.peek()?.of !== "marks") takeBack(store, store.storyPart.peek());
    store.storyPart.value = WHOLE_PART;
    store.story.value = null;
  });
}
