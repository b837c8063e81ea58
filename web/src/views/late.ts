// All that the first picture does without: a script of its own (tools/build.mjs), which is asked for once that picture
// stands. Components of the first picture find it in their context.

export { Dialogs } from "./dialog-host";
export { attachDrop } from "./drop";
export { createPanels } from "../state/panels";
export { HoverCard } from "./timeline/hover-card";
export { attachKeyboard } from "./keyboard";
export { MenuHost } from "./menu";
export { Panel } from "./panel";
export { shareItems } from "./share-menu";
export { Failed, Reading, Start } from "./start/start";
export { attachTimelineInput } from "./timeline/timeline-input";
export { TimelineTwin } from "./timeline/timeline-twin";
