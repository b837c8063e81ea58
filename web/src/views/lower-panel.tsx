// The lower panel: tabs over one selection, one range, one set of threads and one clock.

import type { ComponentType } from "preact";
import { MatchedChip } from "./chips/matched-chip";
import { PairChip } from "./pair/pair-chip";
import { isCompared } from "../state/page/compared";
import { formatCount } from "../base/format";
import { whereText } from "../model/scope-text";
import { callWords } from "../model/words";
import { hasItems } from "../model/timeline/lanes";
import { TABS, type Tab } from "../model/page/url-state";
import { isDetailsOpen } from "../state/panels/detail";
import { listedFacts } from "../state/panels/scope-facts";
import { Details, DetailsButton } from "./detail/details";
import { CallsTab } from "./calls/calls";
import { ChangesTab } from "./changes/changes-tab";
import { FlameTab } from "./flame/flame-tab";
import { ProfileTab } from "./profile/profile";
import { FramesTab } from "./frames/frames-tab";
import { InsightsTab } from "./insights/insights-tab";
import { useApp } from "./shared/context";
import { TraceTab } from "./trace/trace-tab";
import { ChosenChip, LensChip } from "./chips/calls-chips";
import { IdleChip, OnlyChip, WithoutChips } from "./chips/hidden-chips";
import { CallersTab, TreeTab } from "./tree/tree-tab";

// What a tab is called, and what it shows.
const PANELS: Record<Tab, [string, ComponentType]> = {
  profile: ["Profile", ProfileTab],
  flame: ["Flame", FlameTab],
  tree: ["Tree", TreeTab],
  callers: ["Callers", CallersTab],
  calls: ["Calls", CallsTab],
  trace: ["Trace", TraceTab],
  insights: ["Insights", InsightsTab],
  frames: ["Frames", FramesTab],
  changes: ["Changes", ChangesTab],
};

export function LowerPanel() {
  const { store } = useApp();
  const tab = store.tab.value;
  const words = callWords(store.info.value?.sampled === true);
  const isOpen = isDetailsOpen(store);
  const has: Partial<Record<Tab, boolean>> = {
    frames: hasItems(store.lanes.value.value),
    changes: isCompared(store) || store.beside.value !== null,
  };
  const tabs = TABS.filter((id) => id === tab || has[id] !== false);
  const [, Panel] = PANELS[tab];
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
    <section
      class={isOpen ? "lower with-details" : "lower"}
      aria-label="Tables and graphs"
      data-panel="lower"
    >
      <div class="tabs">
        <div role="tablist" aria-label="Views" onKeyDown={onKey}>
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
              {id === "calls" ? words.heading : PANELS[id][0]}
              <TabCount tab={id} />
            </button>
          ))}
        </div>
        <div class="about">
          <LensChip />
          <ChosenChip />
          <OnlyChip />
          <WithoutChips />
          <MatchedChip />
          <PairChip />
          <IdleChip />
          <Where />
          {isOpen ? null : <DetailsButton />}
          <WholeButton />
        </div>
      </div>
      <div id="tab-panel" class="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {store.isPictured.value ? <Panel key={tab} /> : null}
      </div>
      {isOpen ? <Details /> : null}
    </section>
  );
}

// The number of calls of the selected method, of findings of the trace, or of what is worth a look,
// beside the name of the tab.
function TabCount({ tab }: { tab: Tab }) {
  const { store } = useApp();
  if (tab === "calls" && store.call.value !== null)
    return <span class="muted"> {formatCount(store.call.value.of)}</span>;
  if (tab === "insights") {
    const count = store.insights.value.value?.list.length ?? 0;
    // It comes later than the tabs, which shall not move then.
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

// Gives the lower panel the room of the timeline, and back.
function WholeButton() {
  const { store } = useApp();
  const isWhole = store.isLowerWhole.value;
  const label = isWhole ? "Show the timeline again" : "Lower panel on the whole page";
  return (
    <button
      class="icon-button whole-button"
      aria-pressed={isWhole}
      aria-label={label}
      title={`${label} (Shift+Q)`}
      onClick={() => (store.isLowerWhole.value = !isWhole)}
    >
      <i class={isWhole ? "two-panels" : "one-panel"} />
    </button>
  );
}

// The range and the threads that the numbers below are about.
function Where() {
  const { store, panels } = useApp();
  return <span class="where muted">{whereText(listedFacts(store, panels.idle))}</span>;
}
