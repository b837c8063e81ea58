// The thread filter in the bar.

import { formatCount, plural } from "../base/format";
import { processLabel, threadLabel, type Process } from "../model/trace";
import type { App } from "../state/page/app";
import { choice, head, item, LINE, oneOf, type MenuItem } from "../state/page/menu";
import { inRowOrder } from "../state/row-threads";
import { useApp } from "./shared/context";
import { menuBelow } from "./shared/menu-below";

// The most processes, and the most threads, that the menu names; the dialog finds the others.
const MOST_SHOWN = 40;

function threadItemsOf(app: App): MenuItem[] {
  const { store } = app;
  const info = store.info.value;
  const chosen = store.threads.value;
  const known = (info?.threads ?? []).filter((thread) => thread.records > 0);
  const withRecords = info === null ? [] : inRowOrder(store, info, store.settings.value, known);
  const shown = withRecords.slice(0, MOST_SHOWN);
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
    ...processItemsOf(app),
    head("Threads", "id"),
    ...shown.map((thread) =>
      choice(
        threadLabel(thread),
        chosen === null || chosen.has(thread.id),
        () => toggleThread(app, thread.id),
        {
          note: String(thread.id),
          alone: () => (store.threads.value = new Set([thread.id])),
        },
      ),
    ),
  ];
}

// One line for each process that the trace tells apart: it shows the threads of that process alone.
function processItemsOf(app: App): MenuItem[] {
  const { store } = app;
  const info = store.info.value;
  const chosen = store.threads.value;
  if (info === null || info.processes.length < 2) return [];
  const idsOf = (process: Process): number[] =>
    info.threads.filter((thread) => thread.process === process).map((thread) => thread.id);
  return [
    head("Processes", "id"),
    ...info.processes.slice(0, MOST_SHOWN).map((process) => {
      const ids = idsOf(process);
      const isChosen = chosen?.size === ids.length && ids.every((id) => chosen.has(id));
      return oneOf(
        processLabel(process),
        isChosen,
        () => (store.threads.value = ids.length === 0 ? null : new Set(ids)),
        process.id === 0 ? {} : { note: String(process.id) },
      );
    }),
  ];
}

function toggleThread(app: App, id: number): void {
  const { threads, info } = app.store;
  const all = (info.peek()?.threads ?? []).flatMap((thread) =>
    thread.records > 0 ? thread.id : [],
  );
  const next = new Set(threads.peek() ?? all);
  if (!next.delete(id)) next.add(id);
  threads.value = next.size === 0 || all.every((known) => next.has(known)) ? null : next;
}

// The name of the process whose threads are chosen, if those are all of them.
function processOf(app: App, chosen: ReadonlySet<number>): string | undefined {
  const info = app.store.info.value;
  const first = info?.threads.find((thread) => chosen.has(thread.id));
  const process = first?.process;
  if (info === null || process === undefined) return undefined;
  const isWhole = info.threads.every(
    (thread) => chosen.has(thread.id) === (thread.process === process),
  );
  return isWhole ? processLabel(process) : undefined;
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
        : (processOf(app, chosen) ?? plural(chosen.size, "thread"));
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
