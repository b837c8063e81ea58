// The line below the rows, which names hidden threads and threads without records: nothing is left
// out silently.

import { plural } from "../../../base/format";
import { threadLabel, type Thread } from "../../../model/trace";
import type { App } from "../../../state/page/app";
import { head, item, LINE, type MenuItem } from "../../../state/page/menu";
import { useApp } from "../../shared/context";
import { menuBelow } from "../../shared/menu-below";

// The most threads that the menu names; the Trace tab lists all.
const LISTED = 30;

function show(app: App, thread: Thread): void {
  const next = new Set(app.store.hidden.peek());
  next.delete(thread.id);
  app.store.hidden.value = next;
}

function footItems(app: App): MenuItem[] {
  const { hidden, idle } = app.store.aside.value;
  const toTrace = (): void => {
    app.store.tab.value = "trace";
  };
  const items: MenuItem[] = [];
  if (hidden.length > 0)
    items.push(
      item(`Show all ${hidden.length} hidden`, () => (app.store.hidden.value = new Set<number>())),
      ...hidden
        .slice(0, LISTED)
        .map((thread) =>
          item(`Show ${threadLabel(thread)}`, () => show(app, thread), `${thread.id}`),
        ),
    );
  if (hidden.length > 0 && idle.length > 0) items.push(LINE);
  if (idle.length > 0)
    items.push(
      head("Without records"),
      ...idle
        .slice(0, LISTED)
        .map((thread) => item(threadLabel(thread), toTrace, String(thread.id))),
    );
  if (idle.length > LISTED) items.push(item(`All ${plural(idle.length, "thread")}`, toTrace));
  return items;
}

export function RowFoot({ y }: { y: number }) {
  const app = useApp();
  const { hidden, idle } = app.store.aside.value;
  const texts = [
    ...(hidden.length > 0 ? [`${hidden.length} hidden`] : []),
    ...(idle.length > 0 ? [`${idle.length} without records`] : []),
  ];
  if (texts.length === 0) return null;
  return (
    <div class="row-foot" role="listitem" style={{ top: `${y}px` }}>
      <button
        class="link"
        aria-haspopup="menu"
        onClick={(event) =>
          menuBelow(app, event.currentTarget, "Threads without a row", () => footItems(app))
        }
      >
        {texts.join(", ")} <i class="caret" />
      </button>
    </div>
  );
}
