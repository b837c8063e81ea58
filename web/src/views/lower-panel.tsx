// The lower panel: tabs over one selection, one range, one set of threads and one clock.

import type { ComponentType } from "preact";
import { isCompared } from "../state/page/compared";
import { whereText } from "../model/scope-text";
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
import { TabList } from "./tab-list";
import { TraceTab } from "./trace/trace-tab";
import { Chips } from "./chip-strip";
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
  const isOpen = isDetailsOpen(store);
  const has: Partial<Record<Tab, boolean>> = {
    frames: hasItems(store.lanes.value.value),
    changes: isCompared(store) || store.beside.value !== null,
  };
  const tabs = TABS.filter((id) => id === tab || has[id] !== false);
  const [, Panel] = PANELS[tab];
  return (
    <section
      class={isOpen ? "lower with-details" : "lower"}
      aria-label="Tables and graphs"
      data-panel="lower"
    >
      <div class="tabs">
        <TabList tabs={tabs} nameOf={(id) => PANELS[id][0]} />
        <div class="about">
          <Chips />
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
