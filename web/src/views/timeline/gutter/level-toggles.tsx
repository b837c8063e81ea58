// Which levels of an unfolded row show: those that are the same all over the view, and the deep ones.

import { formatCount, plural } from "../../../base/format";
import type { TimelineRow } from "../../../model/timeline/rows";
import { togglePlain } from "../../../state/actions/choose";
import { useApp } from "../../shared/context";

// Opens the line of the levels that are the same all over the view.
export function LeadToggle({ row }: { row: TimelineRow }) {
  const { store } = useApp();
  const { thread } = row;
  const isOpen = store.plain.value.has(thread.id);
  const lead = isOpen ? (store.leads.value.get(thread.id) ?? 0) : row.lead;
  if (lead === 0) return null;
  return (
    <button
      class="link depth-toggle"
      title={
        isOpen ? "Make one line of the levels that are the same all over the view" : "Show them"
      }
      aria-expanded={isOpen}
      onClick={() => togglePlain(store, thread.id)}
    >
      <i class={isOpen ? "twist open" : "twist"} />
      {plural(lead, "outer level")}
    </button>
  );
}

export function DepthToggle({ row }: { row: TimelineRow }) {
  const { store } = useApp();
  const { id, maxDepth } = row.thread;
  const isDeep = store.deep.value.has(id);
  const shown =
    row.lead > 0 ? `${row.lead + 1}–${formatCount(row.lead + row.depths)}` : String(row.depths);
  return (
    <button
      class="link depth-toggle"
      title={isDeep ? "As many levels as there is room for" : "Show all levels"}
      aria-expanded={isDeep}
      onClick={() => {
        const next = new Set(store.deep.peek());
        if (!next.delete(id)) next.add(id);
        store.deep.value = next;
      }}
    >
      <i class={isDeep ? "twist open" : "twist"} />
      {isDeep
        ? `all ${formatCount(maxDepth)} levels`
        : `${shown} of ${formatCount(maxDepth)} levels`}
    </button>
  );
}
