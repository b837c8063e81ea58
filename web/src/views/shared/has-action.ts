// Which actions there are: a site's page shows the trace of its address and opens no other.

import type { ActionId } from "../../model/page/keys";
import type { App } from "../../state/app";

export function hasAction(app: App, action: ActionId): boolean {
  return action !== "open-file" || app.store.can.value.open;
}
