// The content of a tab of the lower panel.

import type { ComponentType } from "preact";
import type { Tab } from "../model/page/url-state";
import { CallsTab } from "./calls/calls";
import { FlameTab } from "./flame/flame-tab";
import { ProfileTab } from "./profile/profile";
import { TraceTab } from "./trace/trace-tab";
import { CallersTab, TreeTab } from "./tree/tree-tab";

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
