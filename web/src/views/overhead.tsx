// How much of the selected method is the tracing itself: an estimate, and labelled as one.

import { formatDuration, formatShare } from "../base/format";
import { overheadOf } from "../model/overhead";
import { useApp } from "./context";

export function Overhead() {
  const { store, profile } = useApp();
  const info = store.info.value;
  const rank = store.method.value;
  if (info === null || rank === null) return null;
  const sheet = profile.sheet.value;
  const row =
    sheet === null ? undefined : [...sheet.pages.values()].flat().find((one) => one.rank === rank);
  const estimate = row === undefined ? null : overheadOf(info, row.calls + row.recursiveCalls);
  const own = row?.exclusive.cpu ?? row?.exclusive.wall ?? 0;
  if (estimate === null || own <= 0 || estimate / own < 0.01) return null;
  return (
    <p
      class="estimate muted"
      title="Calls × two clock readings × clock-call-overhead-nsec of the file. The true cost is larger."
    >
      Estimate: at least {formatDuration(Math.min(estimate, own))} (
      {formatShare(Math.min(estimate, own), own)}) of its exclusive time is the tracing itself.
    </p>
  );
}
