// Scrolls the timeline to a call: unfolds the row that hides it, and scrolls no further than
// needed.

import { untracked } from "@preact/signals";
import { scrollToShow } from "../../model/timeline/rows";
import { threadLabel, type CallDetail } from "../../model/trace";
import { RULER_HEIGHT } from "../../render/ruler";
import type { Store } from "../../state/store";

export function showCall(
  store: Store,
  call: Pick<CallDetail, "thread" | "level">,
  scroller: HTMLElement,
): void {
  untracked(() => {
    const row = store.rows.peek().rows.find((known) => known.thread.id === call.thread);
    if (row === undefined) {
      const thread = store.info.peek()?.threads.find((known) => known.id === call.thread);
      const name = thread === undefined ? String(call.thread) : threadLabel(thread);
      store.notify("done", `The call is in ${name}, whose row is not shown.`);
      return;
    }
    const { level } = call;
    if (level === null) {
      store.notify("done", "The call is of a hidden package, so the timeline leaves it out.");
      return;
    }
    if (row.isUnfolded && level >= row.lead + row.depths)
      store.deep.value = new Set(store.deep.peek()).add(call.thread);
    // The new height of the rows is on the screen one frame later.
    self.requestAnimationFrame(() => {
      const height = scroller.clientHeight - RULER_HEIGHT;
      const layout = store.rows.peek();
      const top = scrollToShow(layout, call.thread, level, scroller.scrollTop, height);
      if (top !== null) scroller.scrollTop = top;
    });
  });
}
