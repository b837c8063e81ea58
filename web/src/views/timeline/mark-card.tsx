// The card of a mark whose flag in the ruler is under the pointer.

import { formatDuration, formatRange } from "../../base/format";
import type { Mark } from "../../model/timeline/marks";
import { useApp } from "../shared/context";
import { HoverBox } from "../shared/hover-box";
import type { Hover } from "../../state/timeline";

// The card stands below the ruler, wherever in it the pointer is.
const FLAG_Y = 12;

export function MarkCard({ mark, hover }: { mark: Mark; hover: Hover }) {
  const { store } = useApp();
  const number = store.marks.value.indexOf(mark) + 1;
  return (
    <HoverBox at={{ x: hover.x, y: FLAG_Y }}>
      <b>{mark.text === "" ? `Mark ${number}` : mark.text}</b>
      <div class="muted">
        {formatRange(mark.from, mark.to)} · {formatDuration(mark.to - mark.from)}
      </div>
      <div class="muted">Press to show it; right-click for more.</div>
    </HoverBox>
  );
}
