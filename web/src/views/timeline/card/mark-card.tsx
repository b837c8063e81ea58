// The card of a mark whose flag in the ruler is under the pointer.

import { markText, markTitle } from "../../../model/timeline/card-text";
import type { Mark } from "../../../model/timeline/marks";
import { useApp } from "../../shared/context";
import { HoverBox } from "../../shared/hover-box";
import type { Hover } from "../../../state/timeline";

// The card stands below the ruler, wherever in it the pointer is.
const FLAG_Y = 12;

export function MarkCard({ mark, hover }: { mark: Mark; hover: Hover }) {
  const { store } = useApp();
  return (
    <HoverBox at={{ x: hover.x, y: FLAG_Y }}>
      <b>{markTitle(mark, store.marks.value)}</b>
      <div class="muted">{markText(mark)}</div>
      <div class="muted">Press to show it; right-click for more.</div>
    </HoverBox>
  );
}
