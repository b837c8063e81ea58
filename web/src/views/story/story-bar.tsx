// The bar of a story: where in it one is, what is seen there, and the ways on, back and out.

import { INSIGHT_STEPS, stepBy, stepCount } from "../../model/page/story";
import { useApp } from "../shared/context";
import { endStory, showStep } from "./story-steps";
import { useStepText } from "./use-step-text";

export function StoryBar() {
  const app = useApp();
  const { store } = app;
  const text = useStepText();
  const story = store.story.value;
  if (story === null) return null;
  const marks = store.marks.value.length;
  const count = stepCount(story, marks);
  const name = story.of === "marks" ? `Mark ${story.step}` : (INSIGHT_STEPS[story.step - 1] ?? "");
  const step = (by: 1 | -1, label: string) => {
    const next = stepBy(story, by, marks);
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
    <section class="story" aria-label="Story">
      <b>
        {name} <span class="muted">{`${story.step} of ${count}`}</span>
      </b>
      <p aria-live="polite">{text.value ?? "…"}</p>
      <span class="story-steps">
        {step(-1, "Back")}
        {step(1, "Next")}
        <button class="icon-button" aria-label="End the story" onClick={() => endStory(app)}>
          <i class="cross" />
        </button>
      </span>
    </section>
  );
}
