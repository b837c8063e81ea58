// The edge between the names of threads and their rows: drag it, or use the arrow keys on it.

import { fittingGutter, GUTTER_PX } from "../../../model/page/settings";
import { setSetting } from "../../../state/actions/choose";
import { useApp } from "../../shared/context";

const STEP_PX = 16;

export function GutterEdge() {
  const { store } = useApp();
  const { gutter } = store.settings.value;
  const set = (px: number): void => setSetting(store, { gutter: fittingGutter(px) });
  return (
    <div
      class="gutter-edge"
      role="separator"
      tabIndex={0}
      title="Drag to make names wider; double press for the usual width"
      aria-label="Width of the names of threads"
      aria-orientation="vertical"
      aria-valuemin={GUTTER_PX.least}
      aria-valuemax={GUTTER_PX.most}
      aria-valuenow={gutter ?? GUTTER_PX.usual}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const edge = event.currentTarget;
        const left = edge.parentElement?.getBoundingClientRect().left ?? 0;
        if (edge.hasPointerCapture(event.pointerId)) set(event.clientX - left);
      }}
      onDblClick={() => setSetting(store, { gutter: null })}
      onKeyDown={(event) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (by === 0) return;
        event.preventDefault();
        event.stopPropagation();
        set(event.currentTarget.offsetLeft + by * STEP_PX);
      }}
    />
  );
}
