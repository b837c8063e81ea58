// The one listener for keys: looks a key up in the table and runs its action.

import { actionFor, type ActionId } from "../model/page/keys";
import type { App } from "../state/page/app";
import { runAction } from "./run-action";

function isTyping(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "radio") ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

// Whether a focused control needs the key for itself.
function isOwnKey(event: KeyboardEvent): boolean {
  if (!(event.target instanceof HTMLElement)) return false;
  const isButton =
    event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement;
  return isButton && (event.key === "Enter" || event.key === " ");
}

const CALL_STEPS: readonly ActionId[] = ["parent", "child", "prev-sibling", "next-sibling"];

// Arrows walk the calls of the timeline while it has the keyboard, or while nothing has it. In a
// panel, and among buttons, they are the panel's.
function isForTimeline(target: EventTarget | null, panel: string): boolean {
  return panel === "timeline" || target === document.body || target === document.documentElement;
}

export function attachKeyboard(app: App): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || app.menu.peek() !== null) return;
    const pressed = {
      key: event.key,
      code: event.code,
      isCtrl: event.ctrlKey || event.metaKey,
      isShift: event.shiftKey,
      isAlt: event.altKey,
    };
    if (isTyping(event.target) && !pressed.isCtrl && event.key !== "Escape") return;
    if (isOwnKey(event)) return;
    const action = actionFor(pressed);
    if (action === null) return;
    // Ctrl+C copies the text that the user marked, if there is one.
    const isCopy = action === "copy-name";
    if (isCopy && (isTyping(event.target) || (self.getSelection()?.toString() ?? "") !== ""))
      return;
    const panel =
      event.target instanceof Element
        ? (event.target.closest("[data-panel]")?.getAttribute("data-panel") ?? "")
        : "";
    if (CALL_STEPS.includes(action) && !isForTimeline(event.target, panel)) return;
    if (runAction(app, action, panel)) event.preventDefault();
  };
  self.addEventListener("keydown", onKey);
  return () => self.removeEventListener("keydown", onKey);
}
