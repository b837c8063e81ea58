// What a tab of the lower panel shows.

import type { ComponentType } from "preact";
import type { Tab } from "../model/url-state";
import { CallsTab } from "./calls";
import { FlameTab } from "./flame-tab";
import { ProfileTab } from "./profile";
import { TraceTab } from "./trace-tab";
import { CallersTab, TreeTab } from "./tree-tab";

const PANELS: Record<Tab, ComponentType> = {
  profile: ProfileTab,
  flame: FlameTab,
  tree: TreeTab,
  callers: CallersTab,
  calls: CallsTab,
  trace: TraceTab,
};

export function Panel({ tab }: { tab: Tab }) {
  const Content = PANELS[tab];
  return <Content />;
}
