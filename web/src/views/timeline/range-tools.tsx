// What can be done with the selected range: type its ends, zoom, list, copy, mark, clear. The tools stand beside the range, at the
// foot of the timeline, so that they cover nothing of what was selected.

import { useSignal } from "@preact/signals";
import { formatRange } from "../../base/format";
import { toolsLeft } from "../../model/timeline/range-place";
import { typedRange } from "../../model/timeline/typed-range";
import { xOf } from "../../render/ruler";
import { useApp } from "../shared/context";
import { copyReport } from "../shared/share";
import type { TimelineState } from "../../state/timeline";

export function RangeTools({ state }: { state: TimelineState }) {
  const app = useApp();
  const { store, views } = app;
  const range = store.picked.value;
  if (range === null || state.isDragging.value) return null;
  const view = store.view.value;
  const { width } = state.size.value;
  const left = toolsLeft(xOf(range.from, view, width), xOf(range.to, view, width), width);
  return (
    <div
      class="range-tools"
      role="toolbar"
      aria-label="Selected range"
      style={{ left: `${left}px` }}
      onPointerEnter={() => (state.hover.value = null)}
      onPointerDown={(event) => event.stopPropagation()}
      onPointerMove={(event) => event.stopPropagation()}
      onPointerUp={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onContextMenu={(event) => event.stopPropagation()}
    >
      <RangeField />
      <button class="link" title="Zoom to the range (Enter)" onClick={() => views.zoomToPicked()}>
        Zoom
      </button>
      <button
        class="link"
        title="The methods of the range"
        onClick={() => {
          store.tab.value = "profile";
          store.isLowerHidden.value = false;
        }}
      >
        Profile
      </button>
      <button class="link" title="Copy what is selected" onClick={() => copyReport(app, false)}>
        Copy
      </button>
      <button class="link" title="Mark the range (M)" onClick={() => app.marks.toggle()}>
        Mark
      </button>
      <button
        class="icon-button"
        aria-label="Clear the range"
        title="Clear the range (Esc)"
        onClick={() => (store.picked.value = null)}
      >
        ✕
      </button>
    </div>
  );
}

// The ends of the range as text; what is typed becomes the range.
function RangeField() {
  const { store, views } = useApp();
  const typed = useSignal<string | null>(null);
  const range = store.picked.value;
  if (range === null) return null;
  const take = (): void => {
    if (typed.peek() === null) return;
    const next = typedRange(typed.peek() ?? "", range, store.info.peek()?.span ?? 0);
    if (next === null)
      return store.notify("error", "A range is written like 100-150 ms, or +50 ms.");
    store.picked.value = next;
    views.reveal(next);
    typed.value = null;
  };
  return (
    <input
      class="range-field"
      aria-label="Ends of the range"
      title="Type a range: 100-150 ms, 1.2s-1.3s, +50 ms"
      value={typed.value ?? formatRange(range.from, range.to).replaceAll(",", "")}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => (typed.value = null)}
      onKeyDown={(event) => {
        if (event.key === "Escape") typed.value = null;
        if (event.key === "Enter") take();
        if (event.key === "Enter" || (event.key === "Escape" && typed.peek() !== null))
          event.stopPropagation();
      }}
    />
  );
}
