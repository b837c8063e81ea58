// The bar between the two panels: drag it, or use the arrow keys on it.

import { setSetting } from "../state/actions/choose";
import { useApp } from "./shared/context";

const STEP = 0.04;

export function Splitter() {
  const { store } = useApp();
  const { split } = store.settings.value;
  const set = (share: number): void =>
    setSetting(store, { split: Math.min(0.85, Math.max(0.15, share)) });
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label="Height of the timeline"
      aria-orientation="horizontal"
      aria-valuemin={15}
      aria-valuemax={85}
      aria-valuenow={Math.round(split * 100)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const panels = event.currentTarget.parentElement?.getBoundingClientRect();
        if (panels !== undefined) set((event.clientY - panels.top) / Math.max(1, panels.height));
      }}
      onDblClick={() => set(0.56)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        event.stopPropagation();
        set(split + (event.key === "ArrowUp" ? -STEP : STEP));
      }}
    />
  );
}
