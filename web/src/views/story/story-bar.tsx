// The bar of a story: where in it one is, what is seen there, and the ways on, back and out.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { INSIGHT_STEPS, stepBy, stepCount, type Story } from "../../model/page/story";
import { useApp } from "../shared/context";
import { focusTab } from "../shared/focus";
import { endStory, hasMeanwhile, showStep } from "./story-steps";
import { useStepText } from "./use-step-text";

// The keyboard goes with the story: from the button that began it, whose tab goes away, and from a button that ends here. A
// story that a link brings takes nothing.
function useFocus(story: Story | null): RefObject<HTMLElement | null> {
  const bar = useRef<HTMLElement>(null);
  const had = useRef<Story | null>(null);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isBegun = had.current === null && story !== null;
    had.current = story;
    if (!(activeElement instanceof HTMLButtonElement)) return;
    const isLost = bar.current?.contains(activeElement) === true && activeElement.disabled;
    if (isBegun || isLost)
      bar.current?.querySelector<HTMLElement>(".story-steps :nth-child(n + 2):enabled")?.focus();
  }, [story]);
  return bar;
}

export function StoryBar() {
  const app = useApp();
  const { store } = app;
  const text = useStepText();
  const story = store.story.value;
  const bar = useFocus(story);
  if (story === null) return null;
  const facts = { marks: store.marks.value.length, hasMeanwhile: hasMeanwhile(app) };
  const count = stepCount(story, facts);
  const name = story.of === "marks" ? `Mark ${story.step}` : (INSIGHT_STEPS[story.step - 1] ?? "");
  const step = (by: 1 | -1, label: string) => {
    const next = stepBy(story, by, facts);
    return (
      <button
        class="button"
        disabled={next === null}
        onClick={() => {
          if (next !== null) showStep(app, next);
        }}
      >
        {label}
      </button>
    );
  };
  return (
    <section class="story" aria-label="Story" ref={bar}>
      <b>
        {name} <span class="muted">{`${story.step} of ${count}`}</span>
      </b>
      <p aria-live="polite">{text.value ?? "…"}</p>
      <span class="story-steps">
        {step(-1, "Back")}
        {step(1, "Next")}
        <button
          class="icon-button"
          aria-label="End the story"
          onClick={() => {
            endStory(app);
            focusTab();
          }}
        >
          <i class="cross" />
        </button>
      </span>
    </section>
  );
}
