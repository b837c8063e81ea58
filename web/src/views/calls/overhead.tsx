// An estimate, labelled as one, of how much of the time of the selected method is the tracing
// itself.

import { formatDuration, formatShare } from "../../base/format";
import { useApp } from "../shared/context";

const WORTH_TELLING = 0.01;

export function Overhead() {
  const { store, panels } = useApp();
  const { profile } = panels;
  const rank = store.method.value;
  const sheet = profile.sheet.value;
  if (rank === null || sheet === null) return null;
  const row = [...sheet.pages.values()].flat().find((one) => one.rank === rank);
  const own = row?.exclusive.cpu ?? row?.exclusive.wall ?? 0;
  const estimate = Math.min(row?.overhead ?? 0, own);
  if (own <= 0 || estimate / own < WORTH_TELLING) return null;
  return (
    <p
      class="estimate muted"
      title="Readings of the clock at its calls and at those it made × clock-call-overhead-nsec of the file. The true cost is larger."
    >
      Estimate: at least {formatDuration(estimate)} ({formatShare(estimate, own)}) of its exclusive
      time is the tracing itself.
    </p>
  );
}
