// The names of the tabs. In a narrow window they scroll aside, and the chosen one stays in sight.

import { useLayoutEffect, useRef } from "preact/hooks";
import { formatCount } from "../base/format";
import type { Tab } from "../model/page/url-state";
import { callWords } from "../model/words";
import { useApp } from "./shared/context";
import { useSize } from "./shared/use-size";

interface TabListProps {
  readonly tabs: readonly Tab[];
  nameOf(tab: Tab): string;
}

export function TabList({ tabs, nameOf }: TabListProps) {
  const { store } = useApp();
  const tab = store.tab.value;
  const words = callWords(store.info.value?.sampled === true);
  const list = useRef<HTMLDivElement>(null);
  const { width } = useSize(list).value;
  useLayoutEffect(() => {
    const chosen = document.getElementById(`tab-${tab}`);
    // What is around the list scrolls aside where the list does not.
    for (const strip of [list.current, list.current?.parentElement])
      if (chosen !== null && strip instanceof HTMLElement) showAside(strip, chosen);
  }, [tab, width]);
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length] ?? tab;
    store.tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label="Views" onKeyDown={onKey}>
      {tabs.map((id) => (
        <button
          key={id}
          id={`tab-${id}`}
          role="tab"
          aria-selected={id === tab}
          aria-controls="tab-panel"
          tabIndex={id === tab ? 0 : -1}
          onClick={() => (store.tab.value = id)}
        >
          {id === "calls" ? words.heading : nameOf(id)}
          <TabCount tab={id} />
        </button>
      ))}
    </div>
  );
}

// Scrolls a strip aside as far as it takes to have the part in sight.
function showAside(strip: HTMLElement, part: HTMLElement): void {
  const { left, right } = strip.getBoundingClientRect();
  const place = part.getBoundingClientRect();
  if (place.left < left) strip.scrollLeft -= left - place.left;
  else if (place.right > right) strip.scrollLeft += place.right - right;
}

// The number of calls of the selected method, of findings of the trace, or of what is worth a look,
// beside the name of the tab.
function TabCount({ tab }: { tab: Tab }) {
  const { store } = useApp();
  const { from, threads, calls, idle } = store.selected.value;
  const isOfAll = [from, threads, calls, idle].every((limit) => limit === undefined);
  // Of a part of the trace the list tells how many there are.
  if (tab === "calls" && store.call.value !== null && isOfAll)
    return <span class="muted"> {formatCount(store.call.value.of)}</span>;
  if (tab === "insights") {
    const count = store.insights.value.value?.list.length ?? 0;
    // The count is known later than the tabs. Its place is kept, so that the tabs do not move then.
    return (
      <span class={count > 0 ? "muted tab-count" : "tab-count"}>
        {count > 0 ? ` ${count}` : ""}
      </span>
    );
  }
  if (tab !== "trace") return null;
  const serious = (store.info.value?.findings ?? []).filter(
    (finding) => finding.severity !== "note",
  ).length;
  return serious > 0 ? <span class="warn"> {serious}</span> : null;
}
