// What the wheel can do, said to whoever turns it where it has nothing to scroll.

import { useEffect } from "preact/hooks";
import type { TimelineState } from "../../state/timeline";

const SHOWN_MS = 6000;

export function WheelHint({ state }: { state: TimelineState }) {
  const isShown = state.isWheelIdle.value;
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = self.setTimeout(() => (state.isWheelIdle.value = false), SHOWN_MS);
    return () => self.clearTimeout(timer);
  }, [isShown]);
  return isShown ? (
    <p class="wheel-hint" role="status">
      <kbd>Ctrl</kbd> + wheel zooms, <kbd>Shift</kbd> + wheel pans
    </p>
  ) : null;
}
