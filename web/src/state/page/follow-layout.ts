// How the page is laid out: as the settings say, and as the window has room.

import { effect } from "@preact/signals";
import type { Store } from "../store";

// The width from which the page has room for details beside the tabs without a word from the user.
const ROOMY = "(min-width: 1400px)";

export function followRoom(store: Store): () => void {
  const wide = self.matchMedia(ROOMY);
  const apply = (): void => {
    store.isRoomy.value = wide.matches;
  };
  apply();
  wide.addEventListener("change", apply);
  return () => wide.removeEventListener("change", apply);
}

// Sets the split before the page is laid out: a later change of the root element would lay out the
// whole page again.
export function followSplit(store: Store): () => void {
  const { style } = document.documentElement;
  return effect(() => {
    const { split, gutter, detailsShare } = store.settings.value;
    style.setProperty("--split", String(split));
    if (gutter === null) style.removeProperty("--gutter");
    else style.setProperty("--gutter", `min(${gutter}px, 60vw)`);
    style.setProperty("--details", String(detailsShare));
  });
}
