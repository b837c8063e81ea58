// The numbers of what the details pane is about.

import { formatCount, formatDuration, formatShare, plural } from "../../base/format";
import { ownTimes, type Detail, type SubjectKind } from "../../model/detail/detail";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { hasMeasure, timeOn, type Measure } from "../../model/trace";
import { useApp } from "../shared/context";

const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];

// Wall, CPU, wait and self, and a bar of how much of the wall time was spent on a processor.
export function Figures({ detail, subject }: { detail: Detail; subject: SubjectKind }) {
  const { store } = useApp();
  const info = store.info.value;
  const words = callWords(info?.sampled === true);
  const shown = MEASURES.filter((measure) => info !== null && hasMeasure(info, measure));
  const { wall, cpu } = detail.inclusive;
  const own = ownTimes(detail, subject);
  const isOfMany = subject !== "call";
  return (
    <>
      <dl class="details-figures">
        {shown.map((measure) => (
          <div key={measure}>
            <dt>{MEASURE_WORDS[measure].label}</dt>
            <dd>{formatDuration(timeOn(detail.inclusive, measure) ?? 0)}</dd>
          </div>
        ))}
        <div title="What its own code took, without what it called">
          <dt>Self</dt>
          <dd>{formatDuration(own.wall ?? own.cpu ?? 0)}</dd>
        </div>
        {isOfMany ? (
          <div>
            <dt>{words.heading}</dt>
            <dd>{formatCount(detail.calls)}</dd>
          </div>
        ) : null}
      </dl>
      {wall === undefined || cpu === undefined || wall === 0 || !shown.includes("wait") ? null : (
        <div
          class="details-cpu"
          title={`${formatShare(cpu, wall)} of the wall time on a processor`}
        >
          <span style={{ width: `${Math.min(100, (cpu / wall) * 100)}%` }} />
        </div>
      )}
      {subject === "range" || subject === "trace" ? (
        <p class="muted">
          Times are sums over {plural(threadCount(store.threads.value?.size, info), "thread")}.
        </p>
      ) : null}
    </>
  );
}

function threadCount(
  chosen: number | undefined,
  info: { readonly threads: readonly { readonly records: number }[] } | null,
): number {
  return chosen ?? (info?.threads ?? []).filter((thread) => thread.records > 0).length;
}
