// The card of a mark whose flag in the ruler is under the pointer.

import { formatDuration, formatRange } from "../../base/format";
import type { Mark } from "../../model/timeline/marks";
import { useApp } from "../shared/context";
import type { Hover, TimelineState } from "../../state/timeline";

const CARD_WIDTH = 280;

export function MarkCard({
  mark,
  hover,
  state,
}: {
  mark: Mark;
  hover: Hover;
  state: TimelineState;
}) {
  const { store } = useApp();
  const left = Math.max(4, Math.min(hover.x + 14, state.size.value.width - CARD_WIDTH));
  const number = store.marks.value.indexOf(mark) + 1;
  return (
    <div class="card" role="tooltip" style={{ left: `${left}px`, top: "26px" }}>
      <b>{mark.text === "" ? `Mark ${number}` : mark.text}</b>
      <div class="muted">
        {formatRange(mark.from, mark.to)} · {formatDuration(mark.to - mark.from)}
      </div>
      <div class="muted">Press to show it; right-click for more.</div>
    </div>
  );
}
