// Sets a mark on the selection, goes to a mark, takes one away.

import { sameMark, toggleMark, renameMark, type Mark } from "../../model/timeline/marks";
import { readRange, writeRange } from "../../model/link-parts";
import { shortName } from "../../model/names";
import { findMethod } from "./find-method";
import type { SelectActions } from "./select-actions";
import type { Store } from "../store";
import type { ViewActions } from "./view-actions";

const AIR = 0.12;

export interface MarkActions {
  // Marks the picked range, else the selected call, else the range of the tables.
  toggle(): void;
  jump(mark: Mark): void;
  remove(mark: Mark): void;
  rename(mark: Mark, text: string): void;
}

export function createMarkActions(
  store: Store,
  views: ViewActions,
  select: SelectActions,
): MarkActions {
  const selected = (): Mark | null => {
    const call = store.call.peek();
    const picked = store.picked.peek();
    const range = picked ?? (call === null ? store.range.peek() : null);
    // As the link has the range, so that it finds its mark again when the link has been read.
    const linked = range === null ? null : readRange(writeRange(range));
    if (linked !== null) return { ...linked, text: "", call: null };
    if (call === null) return null;
    const thread = store.info.peek()?.threads.find((known) => known.id === call.thread);
    return {
      from: call.start,
      // A link carries ranges, which have a length: a call of no length gets a nanosecond.
      to: Math.max(call.end, call.start + 1),
      text: shortName(call.method),
      call: {
        thread: { id: call.thread, name: thread?.name ?? "" },
        method: call.method.method,
        ordinal: call.ordinal + 1,
      },
    };
  };

  return {
    toggle: () => {
      const mark = selected();
      if (mark === null)
        return store.notify("done", "Select a range or a call first; then M marks it.");
      const before = store.marks.peek();
      store.marks.value = toggleMark(before, mark);
      const isGone = store.marks.peek().length < before.length;
      store.notify("done", isGone ? "Mark removed." : "Marked. Shift+M lists the marks.");
    },
    jump: (mark) => {
      const air = Math.max(100, (mark.to - mark.from) * AIR);
      views.glideTo({ from: mark.from - air, to: mark.to + air });
      if (mark.call === null) store.picked.value = { from: mark.from, to: mark.to };
      else {
        const { method, ordinal } = mark.call;
        store.picked.value = null;
        findMethod(store, method).then((rank) => select.nthCall(rank, ordinal - 1), store.report);
      }
    },
    remove: (mark) => {
      store.marks.value = store.marks.peek().filter((known) => !sameMark(known, mark));
    },
    rename: (mark, text) => {
      store.marks.value = renameMark(store.marks.peek(), mark, text);
    },
  };
}
