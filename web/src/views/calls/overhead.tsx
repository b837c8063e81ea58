// An estimate, labelled as one, of how much of the time of the selected method is the tracing
// itself.

import { formatShare } from "../../base/format";
import { overheadText } from "../../model/words";
import { useApp } from "../shared/context";
import { Units } from "../shared/units";

const WORTH_TELLING = 0.01;

export function Overhead() {
  const { store, panels } = useApp();
  const { profile } = panels;
  const rank = store.method.value;
  const sheet = profile.sheet.value;
  if (rank === null || sheet === null) return null;
  const row = [...sheet.pages.values()].flat().find((one) => one.rank === rank);
  const own = row?.exclusive.cpu ?? row?.exclusive.wall ?? 0;
  const overhead = row?.overhead;
  if (overhead === undefined || own <= 0 || overhead.ns / own < WORTH_TELLING) return null;
  const isPartial = store.info.value?.overhead?.isPartial === true;
  return (
    <p
      class="estimate muted"
      title="What recording costs, by the file: half of it for each of its calls, half for each call that these made. The margin is what the shortest leaf calls of the trace leave for it."
    >
      <Units
        text={`Estimate: ${overheadText(overhead, isPartial)}, ${formatShare(overhead.ns, own)} of its exclusive time, is the tracing itself.`}
      />
    </p>
  );
}
