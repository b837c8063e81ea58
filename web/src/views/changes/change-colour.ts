// How a change looks, and what a press on it does.

import { findMethod } from "../../state/actions/find-method";
import type { App } from "../../state/page/app";

// What came of a time: less is blue and more is orange, as in flame graphs of a change; that does not tell alone, since each
// has its sign.
export function tone(ns: number): string {
  return ns > 0 ? "grew" : ns < 0 ? "shrank" : "";
}

// Selects the method in this trace, where it is there: the old one alone may have it.
export function selectMethod(app: App, name: string): void {
  findMethod(app.store, name).then(
    (rank) => app.select.method(rank),
    () => app.store.notify("error", `This trace has no ${name}; the other side has.`),
  );
}
