// Which actions there are: a site's page shows the trace of its address and opens no other.

import type { ActionId } from "../../model/page/keys";
import type { App } from "../../state/page/app";

// What can be done where no trace is shown.
const WITHOUT_TRACE: readonly ActionId[] = [
  "palette",
  "help",
  "escape",
  "theme",
  "classic",
  "settings",
  "open-file",
  "recent",
  "record",
];

// Whether an action can be done now. Help lists those of a trace on the start page, too.
export function isPossible(app: App, action: ActionId): boolean {
  return (
    hasAction(app, action) && (app.store.info.value !== null || WITHOUT_TRACE.includes(action))
  );
}

export function hasAction(app: App, action: ActionId): boolean {
  const { open, record, watch } = app.store.can.value;
  // Who notices that a file was recorded anew offers it then.
  if (action === "read-again") return open && !watch && app.store.info.value !== null;
  if (action === "swap-names") return app.store.info.value?.renamed !== undefined;
  if (action === "save-page") return app.store.isPageMaker.value;
  const opens = action === "open-file" || action === "recent";
  return (!opens || open) && (action !== "record" || record === true);
}
