// The sentence of the step that a story is at; null while it is on its way.

import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatRange } from "../../base/format";
import { whyText } from "../../model/detail/step-text";
import { insightText } from "../../model/insights/insights";
import { nameApart } from "../../model/names";
import type { Story } from "../../model/page/story";
import type { Measure } from "../../model/trace";
import { hideOf } from "../../state/levels";
import { createLoader } from "../../state/loader";
import type { App } from "../../state/page/app";
import { askMeanwhile } from "../../state/panels/meanwhile";
import { useApp } from "../shared/context";
import { threadNamer } from "../shared/thread-namer";
import { insightOf } from "./story-steps";

function markText(app: App, step: number): string | null {
  const mark = app.store.marks.value[step - 1];
  if (mark === undefined) return null;
  const when = formatRange(mark.from, mark.to);
  return mark.text === "" ? when : `${mark.text} (${when})`;
}

async function stepText(
  app: App,
  { story, measure, hide }: Asked,
  signal: AbortSignal,
): Promise<string> {
  const { store } = app;
  const info = store.info.peek();
  const insight = insightOf(app, story);
  const call = insight?.call ?? null;
  if (info === null || insight === null || call === null)
    return "This trace has no such insight: the link is of another one.";
  const nameOf = threadNamer(info);
  if (story.step === 1)
    return insightText(insight, info.axis, nameOf, store.insights.peek().value?.mainThread ?? null);
  const { thread, depth, call: number } = call;
  if (story.step === 2) {
    const place = { thread, depth, call: number, clock: measure, ...hideOf(hide) };
    return whyText(await store.api.detail(place, signal), measure, nameApart);
  }
  return askMeanwhile(store, info, call, measure, signal);
}

// A step, told by the clock and without the packages that the panels below it have.
interface Asked {
  readonly story: Story;
  readonly measure: Measure;
  readonly hide: string;
}

export function useStepText(): ReadonlySignal<string | null> {
  const app = useApp();
  const { store } = app;
  return useMemo(() => {
    const loaded = createLoader(
      () => {
        const story = store.story.value;
        if (story === null || story.of === "marks" || store.insights.value.value === null)
          return null;
        const [measure, hide] = [store.measure.value, store.hide.value];
        return { story, measure, hide, trace: store.info.value?.file };
      },
      async (asked, abort) => ({ asked, text: await stepText(app, asked, abort) }),
    );
    return computed(() => {
      const story = store.story.value;
      if (story === null) return null;
      if (story.of === "marks") return markText(app, story.step);
      const { value } = loaded.value;
      return value !== null &&
        value.asked.story.of === story.of &&
        value.asked.story.step === story.step &&
        value.asked.measure === store.measure.value &&
        value.asked.hide === store.hide.value
        ? value.text
        : null;
    });
  }, []);
}
