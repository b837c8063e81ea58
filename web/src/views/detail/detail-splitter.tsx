// The bar between the tabs and the details: drag it, or use the arrow keys on it. In a narrow window
// the details lie below, and the bar moves up and down.

import { setSetting } from "../../state/actions/choose";
import { DEFAULT_SETTINGS } from "../../model/page/settings";
import { useApp } from "../shared/context";

const STEP = 0.03;
const LEAST = 0.15;
const MOST = 0.55;
// Below the tabs the details get more of the height than they get of the width beside them; the
// style sheet has the same number.
const BELOW = 1.7;

const LARGER = ["ArrowLeft", "ArrowUp"];
const SMALLER = ["ArrowRight", "ArrowDown"];

export function DetailSplitter() {
  const { store } = useApp();
  const share = store.settings.value.detailsShare;
  const set = (wanted: number): void =>
    setSetting(store, { detailsShare: Math.min(MOST, Math.max(LEAST, wanted)) });
  return (
    <div
      class="details-splitter"
      role="separator"
      tabIndex={0}
      aria-label="Size of the details"
      aria-orientation="vertical"
      aria-valuemin={LEAST * 100}
      aria-valuemax={MOST * 100}
      aria-valuenow={Math.round(share * 100)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        const bar = event.currentTarget;
        if (!bar.hasPointerCapture(event.pointerId)) return;
        const box = bar.parentElement?.getBoundingClientRect();
        if (box === undefined) return;
        const isBelow = bar.offsetWidth > bar.offsetHeight;
        set(
          isBelow
            ? (box.bottom - event.clientY) / Math.max(1, box.height) / BELOW
            : (box.right - event.clientX) / Math.max(1, box.width),
        );
      }}
      onDblClick={() => set(DEFAULT_SETTINGS.detailsShare)}
      onKeyDown={(event) => {
        const by = LARGER.includes(event.key) ? STEP : SMALLER.includes(event.key) ? -STEP : 0;
        if (by === 0) return;
        event.preventDefault();
        event.stopPropagation();
        set(share + by);
      }}
    />
  );
}
