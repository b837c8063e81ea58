// The two ends of the view in the overview, as sliders for the keyboard: arrow keys move an end by
// a hundredth of the trace, with Shift by a tenth, Home and End all the way.

import { formatDuration } from "../../../base/format";
import { movedEnd, type Range, type ViewEnd } from "../../../base/time";
import { useApp } from "../../shared/context";

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -1000,
  End: 1000,
};

const SHIFTED = 10;

export function ViewHandles() {
  return (
    <>
      <Handle which="from" label="Start of the view" />
      <Handle which="to" label="End of the view" />
    </>
  );
}

// Half of what a finger or a pointer needs.
const HALF_TARGET_PX = 12;

// Where an end stands in the overview. The two ends of a narrow view stand no closer than two targets can.
function placeOf(view: Range, which: ViewEnd, end: number): string {
  const at = (time: number): string => `${(time / end) * 100}%`;
  const middle = at((view.from + view.to) / 2);
  return which === "from"
    ? `min(${at(view.from)}, ${middle} - ${HALF_TARGET_PX}px)`
    : `max(${at(view.to)}, ${middle} + ${HALF_TARGET_PX}px)`;
}

function Handle({ which, label }: { which: ViewEnd; label: string }) {
  const { store, views } = useApp();
  const end = Math.max(1, store.info.value?.span ?? 1);
  const time = store.view.value[which];
  const onKey = (event: KeyboardEvent): void => {
    const steps = STEPS[event.key];
    if (steps === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const by = (end / 100) * steps * (event.shiftKey ? SHIFTED : 1);
    views.jumpTo(movedEnd(store.view.peek(), which, by, end));
  };
  return (
    <div
      class="view-handle"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={Math.round((time / end) * 1000)}
      aria-valuetext={formatDuration(time)}
      style={{ left: placeOf(store.view.value, which, end) }}
      onKeyDown={onKey}
    />
  );
}
