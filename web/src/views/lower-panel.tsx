// The lower panel: tabs over one selection, one range, one set of threads and one clock.

import type { ComponentType } from "preact";
import { formatCount, formatRange, plural } from "../base/format";
import { callWords } from "../model/column-kinds";
import { TABS, type Tab } from "../model/url-state";
import { CallsTab } from "./calls";
import { useApp } from "./context";
import { FlameTab } from "./flame-tab";
import { ProfileTab } from "./profile";
import { TraceTab } from "./trace-tab";
import { CallersTab, TreeTab } from "./tree-tab";

interface TabSpec {
  readonly label: string;
  readonly panel: ComponentType;
}

const SPECS: Record<Tab, TabSpec> = {
  profile: { label: "Profile", panel: ProfileTab },
  flame: { label: "Flame", panel: FlameTab },
  tree: { label: "Tree", panel: TreeTab },
  callers: { label: "Callers", panel: CallersTab },
  calls: { label: "Calls", panel: CallsTab },
  trace: { label: "Trace", panel: TraceTab },
};

export function LowerPanel() {
  const { store } = useApp();
  const tab = store.tab.value;
  const words = callWords(store.info.value?.sampled === true);
  const Panel = SPECS[tab].panel;
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? tab;
    store.tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="lower" aria-label="Tables and graphs" data-panel="lower">
      <div class="tabs">
        <div role="tablist" aria-label="Views" onKeyDown={onKey}>
          {TABS.map((id) => (
            <button
              key={id}
              id={`tab-${id}`}
              role="tab"
              aria-selected={id === tab}
              aria-controls="tab-panel"
              tabIndex={id === tab ? 0 : -1}
              onClick={() => (store.tab.value = id)}
            >
              {id === "calls" ? words.heading : SPECS[id].label}
              <TabCount tab={id} />
            </button>
          ))}
        </div>
        <Where />
      </div>
      <div id="tab-panel" class="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {store.isPictured.value ? <Panel /> : null}
      </div>
    </section>
  );
}

// How many calls the selected method has, how many findings the trace.
function TabCount({ tab }: { tab: Tab }) {
  const { store } = useApp();
  if (tab === "calls" && store.call.value !== null)
    return <span class="muted"> {formatCount(store.call.value.of)}</span>;
  if (tab !== "trace") return null;
  const serious = (store.info.value?.findings ?? []).filter(
    (finding) => finding.severity !== "note",
  ).length;
  return serious > 0 ? <span class="warn"> {serious}</span> : null;
}

// What the numbers below are about.
function Where() {
  const { store } = useApp();
  const range = store.range.value;
  const threads = store.threads.value;
  const all = (store.info.value?.threads ?? []).filter((thread) => thread.records > 0).length;
  const where = range === null ? "whole trace" : `in ${formatRange(range.from, range.to)}`;
  const count = threads === null ? all : threads.size;
  return (
    <span class="where muted">
      {where} · {plural(count, "thread")}
      {store.settings.value.isMyCodeOnly ? " · my code" : ""}
    </span>
  );
}
