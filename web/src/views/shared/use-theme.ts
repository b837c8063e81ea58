import { useComputed, type ReadonlySignal } from "@preact/signals";
import { readTheme, type Theme } from "../../render/theme";
import { useApp } from "./context";

// The canvas colours of the theme in use.
export function useTheme(): ReadonlySignal<Theme> {
  const { store } = useApp();
  return useComputed(() =>
    readTheme(document.body, store.isDark.value, store.settings.value.palette),
  );
}
