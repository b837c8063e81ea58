// The Profile by keyboard: up and down walk the methods in their order, right opens, left closes,
// Enter does either, Home and End go to the ends.

import type { App } from "../state/app";

const PAGE_ROWS = 10;

async function select(app: App, to: (here: number, count: number) => number): Promise<void> {
  const order = await app.profile.ranksInOrder();
  const here = order.indexOf(app.store.method.peek() ?? -1);
  const next = order[Math.min(order.length - 1, Math.max(0, to(here, order.length)))];
  if (next !== undefined) app.select.method(next);
}

const MOVES: Readonly<Record<string, (here: number, count: number) => number>> = {
  ArrowDown: (here) => here + 1,
  ArrowUp: (here) => (here < 0 ? 0 : here - 1),
  PageDown: (here) => here + PAGE_ROWS,
  PageUp: (here) => here - PAGE_ROWS,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function walkProfile(app: App, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isBody =
    event.target instanceof HTMLElement && event.target.classList.contains("table-body");
  if (!isBody) return;
  const move = MOVES[event.key];
  const rank = app.store.method.peek();
  const isOpen = rank !== null && app.profile.isOpen(rank);
  const toggles =
    event.key === "Enter" ||
    (event.key === "ArrowRight" && !isOpen) ||
    (event.key === "ArrowLeft" && isOpen);
  if (move !== undefined) void select(app, move).catch(app.store.report);
  else if (toggles && rank !== null) app.profile.toggle(rank);
  else if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  event.preventDefault();
  event.stopPropagation();
}
