// A story: an insight that is walked in three steps, or one's own marks as steps. A link carries where in it one is.

import type { Range } from "../../base/time";
import type { Lens } from "../lens";

export interface Story {
  // The number of the insight in the list, from 1; or the marks.
  readonly of: number | "marks";
  // From 1.
  readonly step: number;
}

// What steps set: the lens, the calls that are picked with a method, the picked range and the threads.
export interface StoryPart {
  readonly lens: Lens | null;
  readonly pickedCalls: Lens | null;
  readonly picked: Range | null;
  readonly threads: ReadonlySet<number> | null;
}

export const WHOLE_PART: StoryPart = { lens: null, pickedCalls: null, picked: null, threads: null };

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

// What a trace has of steps.
interface StepFacts {
  readonly marks: number;
  // Whether other threads have calls, and times that are those of the call's thread.
  readonly hasMeanwhile: boolean;
}

export function stepCount(story: Story, { marks, hasMeanwhile }: StepFacts): number {
  if (story.of === "marks") return marks;
  return hasMeanwhile ? INSIGHT_STEPS.length : INSIGHT_STEPS.length - 1;
}

// The step before or after; null: there is none.
export function stepBy(story: Story, by: 1 | -1, facts: StepFacts): Story | null {
  const step = story.step + by;
  return step < 1 || step > stepCount(story, facts) ? null : { ...story, step };
}
