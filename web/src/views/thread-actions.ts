// What can be done with a thread's row, for its menu.

import { threadLabel, type Thread } from "../model/trace";
import type { App } from "../state/app";
import { choice, item, LINE, type MenuItem } from "../state/menu";

function toggled(set: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

// Moves a thread's row by one place among those on the screen.
function move(app: App, thread: Thread, by: number): void {
  const { store } = app;
  const ids = store.rows.peek().rows.map((row) => row.thread.id);
  const from = ids.indexOf(thread.id);
  const to = from + by;
  const other = ids[to];
  if (from < 0 || other === undefined) return;
  ids[to] = thread.id;
  ids[from] = other;
  store.order.value = ids;
}

export function threadItems(app: App, thread: Thread): MenuItem[] {
  const { store } = app;
  const isOnly = store.threads.value?.size === 1 && store.threads.value.has(thread.id);
  return [
    choice(
      "Unfolded",
      store.unfolded.value.has(thread.id),
      () => (store.unfolded.value = toggled(store.unfolded.peek(), thread.id)),
    ),
    choice(
      "All levels",
      store.deep.value.has(thread.id),
      () => (store.deep.value = toggled(store.deep.peek(), thread.id)),
    ),
    choice(
      "Pinned on top",
      store.pinned.value.has(thread.id),
      () => (store.pinned.value = toggled(store.pinned.peek(), thread.id)),
    ),
    LINE,
    item("Move up", () => move(app, thread, -1)),
    item("Move down", () => move(app, thread, 1)),
    LINE,
    isOnly
      ? item("All threads", () => (store.threads.value = null))
      : item(`Only ${threadLabel(thread)}`, () => (store.threads.value = new Set([thread.id]))),
    item("Hide this row", () => (store.hidden.value = toggled(store.hidden.peek(), thread.id))),
    ...(store.hidden.value.size > 0
      ? [
          item(
            `Show ${store.hidden.value.size} hidden`,
            () => (store.hidden.value = new Set<number>()),
          ),
        ]
      : []),
  ];
}
