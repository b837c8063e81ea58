// The choice of threads among many.

import { useSignal } from "@preact/signals";
import { formatCount, plural } from "../../base/format";
import { threadLabel, type Thread } from "../../model/trace";
import { useApp } from "../shared/context";
import { DialogFrame } from "./dialog";
import { VirtualRows } from "../table/virtual-rows";

export function ThreadDialog() {
  const { store } = useApp();
  const filter = useSignal("");
  const wanted = filter.value.toLowerCase();
  const all = (store.info.value?.threads ?? []).filter((thread) => thread.records > 0);
  const found = all
    .filter((thread) => `${thread.id} ${threadLabel(thread)}`.toLowerCase().includes(wanted))
    .sort((a, b) => b.calls - a.calls || a.id - b.id);
  const chosen = store.threads.value;
  const toggle = (thread: Thread): void => {
    const next = new Set(store.threads.peek() ?? []);
    if (!next.delete(thread.id)) next.add(thread.id);
    store.threads.value = next.size === 0 ? null : next;
  };
  return (
    <DialogFrame title="Threads">
      <input
        class="dialog-search"
        type="text"
        autofocus
        placeholder="Name or id"
        aria-label="Filter threads"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <div class="thread-tools">
        <button class="button" onClick={() => (store.threads.value = null)}>
          All
        </button>
        <button
          class="button"
          disabled={found.length === 0}
          onClick={() => (store.threads.value = new Set(found.map((thread) => thread.id)))}
        >
          The {formatCount(found.length)} found
        </button>
        <span class="muted">
          {chosen === null
            ? "none chosen: all threads count"
            : `${plural(chosen.size, "thread")} chosen`}
        </span>
      </div>
      <div class="thread-list">
        <VirtualRows
          count={found.length}
          order=""
          label="Threads"
          render={(first, last) =>
            found.slice(first, last).map((thread) => (
              <div class="thread-choice" role="row" key={thread.id}>
                <div role="gridcell">
                  <label>
                    <input
                      type="checkbox"
                      checked={chosen !== null && chosen.has(thread.id)}
                      onChange={() => toggle(thread)}
                    />
                    <span class="clip">{threadLabel(thread)}</span>
                    <span class="muted">
                      {thread.id} · {plural(thread.calls, "call")}
                    </span>
                  </label>
                </div>
              </div>
            ))
          }
        />
      </div>
    </DialogFrame>
  );
}
