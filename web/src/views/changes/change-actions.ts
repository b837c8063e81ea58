// What a press on a change does.

import { findMethod } from "../../state/actions/find-method";
import type { App } from "../../state/page/app";

// Selects the method in this trace, where it is there: the old one alone may have it.
export function selectMethod(app: App, name: string): void {
  findMethod(app.store, name).then(
    (rank) => app.select.method(rank),
    () => app.store.notify("error", `This trace has no ${name}; the other side has.`),
  );
}
