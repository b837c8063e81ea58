// A story: an insight that is walked in three steps, or one's own marks as steps. A link carries where in it one is.

export interface Story {
  // The number of the insight in the list, from 1; or the marks.
  readonly of: number | "marks";
  // From 1.
  readonly step: number;
}

export const INSIGHT_STEPS = ["The call", "Why", "Meanwhile"] as const;

export function writeStory(story: Story): string {
  return `${story.of}.${story.step}`;
}

export function readStory(text: string | null): Story | null {
  const found = /^(marks|[1-9]\d?)\.([1-9]\d?)$/.exec(text ?? "");
  if (found === null) return null;
  const of = found[1] === "marks" ? "marks" : Number(found[1]);
  const step = Number(found[2]);
  return of !== "marks" && step > INSIGHT_STEPS.length ? null : { of, step };
}

export function stepCount(story: Story, marks: number): number {
  return story.of === "marks" ? marks : INSIGHT_STEPS.length;
}

// The step before or after; null: there is none.
export function stepBy(story: Story, by: 1 | -1, marks: number): Story | null {
  const step = story.step + by;
  return step < 1 || step > stepCount(story, marks) ? null : { ...story, step };
}
