// The keyboard in the flame graph: arrows walk from box to box, Enter zooms, with Shift it lists the calls of the box, Backspace
// goes one up, letters transform.

import { FLAME_PITCH, flameNeighbour, type FlameBoxes } from "../../model/flame/flame";
import type { App } from "../../state/page/app";
import { isLensKey } from "../shared/lens-menu";
import {
  listBox,
  lookThroughBox,
  selectIfHere,
  shownChange,
  zoomFlame,
  zoomFlameOut,
} from "./flame-actions";
import { transformByKey } from "./transforms";

const STEPS: Readonly<Record<string, "parent" | "child" | "next" | "previous">> = {
  ArrowUp: "parent",
  ArrowDown: "child",
  ArrowRight: "next",
  ArrowLeft: "previous",
};

// The box to which the key leads; null when the key leads to none.
export function walkFlame(app: App, from: number | null, event: KeyboardEvent): number | null {
  const answer = app.panels.flame.shown.peek().value;
  if (answer === null || answer.x.length === 0 || event.ctrlKey || event.metaKey) return null;
  const step = STEPS[event.key];
  let next: number | null = null;
  if (step !== undefined) next = from === null ? 0 : (flameNeighbour(answer, from, step) ?? from);
  else if (event.key === "Enter" && from !== null && !event.shiftKey) zoomFlame(app, from);
  else if (event.key === "Backspace") zoomFlameOut(app);
  else if (shownChange(app) !== null) return null;
  else if (event.key === "Enter" && from !== null) {
    if (!listBox(app, from)) return null;
  } else if (isLensKey(app, event) && from !== null) {
    if (!lookThroughBox(app, from)) return null;
  } else if (!transformByKey(app, rankOf(answer, from, app), event)) return null;
  event.preventDefault();
  event.stopPropagation();
  if (next !== null) selectIfHere(app, next);
  return next;
}

// The method that a transform is about: the one of the box under the pointer or reached by keys,
// else the selected one.
function rankOf(answer: FlameBoxes, from: number | null, app: App): number | null {
  return from === null ? app.store.method.peek() : (answer.rank[from] ?? null);
}

// The place of the card of a box that was reached by keys.
export function cardPlace(
  app: App,
  ix: number,
  width: number,
  scrollTop: number,
): { ix: number; x: number; y: number } | null {
  const answer = app.panels.flame.shown.peek().value;
  if (answer === null) return null;
  const x = ((answer.x[ix] ?? 0) / Math.max(1, answer.root)) * width;
  return { ix, x: x + 8, y: ((answer.depth[ix] ?? 0) + 1) * FLAME_PITCH - scrollTop };
}
