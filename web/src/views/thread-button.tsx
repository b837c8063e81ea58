// The thread filter in the bar.

import { formatCount, plural } from "../base/format";
import { threadLabel } from "../model/trace";
import type { App } from "../state/app";
import { choice, item, LINE, type MenuItem } from "../state/menu";
import { useApp } from "./shared/context";
import { menuBelow } from "./shared/menu-below";

function threadItemsOf(app: App): MenuItem[] {
  const { store } = app;
  const info = store.info.value;
  const chosen = store.threads.value;
  const withRecords = (info?.threads ?? []).filter((thread) => thread.records > 0);
  const shown = withRecords.slice(0, 40);
  return [
    item("All threads", () => (store.threads.value = null)),
    ...(withRecords.length > shown.length
      ? [
          item(
            `Choose among ${formatCount(withRecords.length)}…`,
            () => (store.dialog.value = "thread"),
          ),
        ]
      : []),
    LINE,
    ...shown.map((thread) =>
      choice(
        threadLabel(thread),
        chosen === null || chosen.has(thread.id),
        () => toggleThread(app, thread.id),
        String(thread.id),
      ),
    ),
  ];
}

function toggleThread(app: App, id: number): void {
  const { threads, info } = app.store;
  const all = (info.peek()?.threads ?? []).map((thread) => thread.id);
  // While all threads show, the first press shows one alone.
  const next = new Set(threads.peek() ?? []);
  if (!next.delete(id)) next.add(id);
  threads.value = next.size === 0 || next.size === all.length ? null : next;
}

export function ThreadButton() {
  const app = useApp();
  const chosen = app.store.threads.value;
  const only =
    chosen?.size === 1
      ? app.store.info.value?.threads.find((thread) => chosen.has(thread.id))
      : undefined;
  const text =
    chosen === null
      ? "All threads"
      : only !== undefined
        ? threadLabel(only)
        : plural(chosen.size, "thread");
  return (
    <button
      id="thread-button"
      class={chosen === null ? "button" : "button active"}
      aria-haspopup="menu"
      onClick={(event) => menuBelow(app, event.currentTarget, "Threads", () => threadItemsOf(app))}
    >
      <span class="clip">{text}</span> <i class="caret" />
    </button>
  );
}
