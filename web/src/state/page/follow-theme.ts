// The theme that the page is shown in: the one that was chosen, or the system's. On paper all is light.

import { effect } from "@preact/signals";
import type { Store } from "../store";

// A browser tells of printing by events, tools that show a page as on paper by the medium alone.
export function followTheme(store: Store): () => void {
  const dark = self.matchMedia("(prefers-color-scheme: dark)");
  const paper = self.matchMedia("print");
  let isPrinting = false;
  // The root first: who follows `isDark` reads the colours from the style sheet.
  const apply = (): void => {
    const { theme } = store.settings.value;
    const isDark = theme === "dark" || (theme === "system" && dark.matches);
    const isShownDark = isDark && !isPrinting && !paper.matches;
    document.documentElement.dataset["theme"] = isShownDark ? "dark" : "light";
    store.isDark.value = isShownDark;
  };
  const print = ({ type }: Event): void => {
    isPrinting = type === "beforeprint";
    apply();
  };
  const end = effect(apply);
  const media = [dark, paper];
  media.forEach((one) => one.addEventListener("change", apply));
  self.addEventListener("beforeprint", print);
  self.addEventListener("afterprint", print);
  return () => {
    end();
    media.forEach((one) => one.removeEventListener("change", apply));
    self.removeEventListener("beforeprint", print);
    self.removeEventListener("afterprint", print);
  };
}
