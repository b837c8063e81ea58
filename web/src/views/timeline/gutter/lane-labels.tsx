// The names of a thread's lanes, beside them; a press lists what is in the lane, the worst first.

import { formatCount } from "../../../base/format";
import { isOver, LANE_NAMES, type Band } from "../../../model/timeline/lanes";
import { laneY, type TimelineRow } from "../../../model/timeline/rows";
import { useApp } from "../../shared/context";

export function LaneLabels({ row }: { row: TimelineRow }) {
  return (
    <>
      {row.bands.map((band, ix) => (
        <LaneLabel key={band.kind} band={band} y={laneY(ix)} />
      ))}
    </>
  );
}

function LaneLabel({ band, y }: { band: Band; y: number }) {
  const { store } = useApp();
  const budget = store.budget.value;
  const late = band.items.filter((item) => isOver(item, budget)).length;
  return (
    <button
      class="lane-label"
      style={{ top: `${y - 3}px` }}
      title={`List the ${LANE_NAMES[band.kind].toLowerCase()}, the longest first`}
      onClick={() => {
        store.laneKind.value = band.kind;
        store.tab.value = "frames";
        store.isLowerHidden.value = false;
      }}
    >
      {LANE_NAMES[band.kind]}
      {late > 0 ? (
        <span class="late">
          {formatCount(late)} of {formatCount(band.items.length)} late
        </span>
      ) : (
        <span class="muted">{formatCount(band.items.length)}</span>
      )}
    </button>
  );
}
