// Which actions there are: a site's page shows the trace of its address and opens no other.

import type { ActionId } from "../../model/page/keys";
import type { App } from "../../state/page/app";

export function hasAction(app: App, action: ActionId): boolean {
  const { open, record, watch } = app.store.can.value;
  // Who notices that a file was recorded anew offers it then.
  if (action === "read-again") return open && !watch && app.store.info.value !== null;
  if (action === "swap-names") return app.store.info.value?.renamed !== undefined;
  if (action === "save-page") return app.store.isPageMaker.value;
  const opens = action === "open-file" || action === "recent";
  return (!opens || open) && (action !== "record" || record === true);
}
