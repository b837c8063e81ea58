// The card of the phase, message or frame under the pointer.

import { laneLines, laneTitle, lateText } from "../../../model/timeline/card-text";
import type { LaneItem } from "../../../model/timeline/lanes";
import { useApp } from "../../shared/context";
import { HoverBox } from "../../shared/hover-box";
import { CardLines } from "../../shared/card-lines";
import type { Hover } from "../../../state/timeline";

export function LaneCard({ item, hover }: { item: LaneItem; hover: Hover }) {
  const { store } = useApp();
  const lane = store.lanes.value.value?.[item.kind] ?? null;
  const late = lateText(item, store.budget.value);
  return (
    <HoverBox at={hover}>
      <b>{laneTitle(item, lane)}</b>
      <CardLines lines={laneLines(item, store.info.value?.axis ?? "wall")} />
      {late === "" ? null : <div class="late">{late}</div>}
    </HoverBox>
  );
}
