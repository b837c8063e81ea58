// The menu entries of a thread's row.

import { isolated } from "../../../base/text";
import { threadLabel, type Thread } from "../../../model/trace";
import type { App } from "../../../state/page/app";
import { stepRow } from "./row-drag";
import { choice, item, LINE, type MenuItem } from "../../../state/page/menu";

function toggled(set: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
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
    item("Move up", () => stepRow(app, thread.id, -1), "Alt+↑"),
    item("Move down", () => stepRow(app, thread.id, 1), "Alt+↓"),
    LINE,
    isOnly
      ? item("All threads", () => (store.threads.value = null))
      : item(
          `Only ${isolated(threadLabel(thread))}`,
          () => (store.threads.value = new Set([thread.id])),
        ),
    item("Its flame graph", () => {
      store.threads.value = new Set([thread.id]);
      store.tab.value = "flame";
      store.isLowerHidden.value = false;
    }),
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
