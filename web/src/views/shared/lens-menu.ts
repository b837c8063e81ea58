// The menu entries that limit all panels to a set of calls.

import type { Lens } from "../../model/lens";
import { callWords, theseCalls } from "../../model/words";
import { setLens } from "../../state/actions/lens-actions";
import type { App } from "../../state/page/app";
import { item, type MenuItem } from "../../state/page/menu";

export function lensItems(app: App, lens: Lens): MenuItem[] {
  const { store } = app;
  const isOne = lens.kind === "within";
  const these = theseCalls(isOne, callWords(store.info.value?.sampled === true));
  return [
    item(`Only ${these}, in all panels`, () => setLens(store, lens), "L"),
    ...(isOne
      ? []
      : [
          item(`List ${these}`, () => {
            setLens(store, lens);
            store.tab.value = "calls";
          }),
        ]),
  ];
}

// Whether a key does the same for the box or row that has the focus. With a lens on it is the page's, which takes that off.
export function isLensKey(app: App, event: KeyboardEvent): boolean {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  return isPlain && event.key.toLowerCase() === "l" && app.store.lens.peek() === null;
}
