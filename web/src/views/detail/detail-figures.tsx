// The numbers of what the details pane is about.

import { formatCount, formatDuration } from "../../base/format";
import {
  isOfCode,
  ownTimes,
  processorText,
  toldOn,
  type Detail,
  type SubjectKind,
} from "../../model/detail/detail";
import { sumsText } from "../../model/scope-text";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { hasMeasure, timeOn, type Measure } from "../../model/trace";
import { scopeFacts } from "../../state/panels/scope-facts";
import { useApp } from "../shared/context";
import { share } from "./detail-line";

const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];

const OWN = "What its own code took, without what it called";
const HIDDEN = "What hidden packages took that no shown method called";

// Wall, CPU, wait and exclusive time, and a bar of how much of the wall time was spent on a processor.
export function Figures({ detail, subject }: { detail: Detail; subject: SubjectKind }) {
  const { store } = useApp();
  const info = store.info.value;
  const words = callWords(info?.sampled === true);
  const shown = MEASURES.filter((measure) => info !== null && hasMeasure(info, measure));
  const { wall = 0, cpu = 0 } = detail.inclusive;
  const processor = processorText(detail);
  const own = ownTimes(detail, subject);
  const ownClock = toldOn(own);
  const ownTime = own[ownClock] ?? 0;
  const isOfMany = subject !== "call";
  return (
    <>
      {/* First: sums over many threads are longer than the trace, and startle whoever has not read that they are sums. */}
      {subject === "range" || subject === "trace" ? (
        <p class="muted">{sumsText(scopeFacts(store, detail.idle))}</p>
      ) : null}
      <dl class="details-figures">
        {shown.map((measure) => (
          <div key={measure}>
            <dt>{MEASURE_WORDS[measure].label}</dt>
            <dd>{formatDuration(timeOn(detail.inclusive, measure) ?? 0)}</dd>
          </div>
        ))}
        {isOfCode(subject) || ownTime > 0 ? (
          <div title={isOfCode(subject) ? OWN : HIDDEN}>
            <dt>
              {isOfCode(subject) ? "Excl" : "Hidden"} {MEASURE_WORDS[ownClock].label}
            </dt>
            <dd>{formatDuration(ownTime)}</dd>
          </div>
        ) : null}
        {isOfMany ? (
          <div>
            <dt>{words.heading}</dt>
            <dd>{formatCount(detail.calls)}</dd>
          </div>
        ) : null}
      </dl>
      {processor === "" || !shown.includes("wait") ? null : (
        <div class="details-cpu" title={processor}>
          <span style={{ width: `${share(cpu, wall - detail.unrecorded)}%` }} />
        </div>
      )}
    </>
  );
}
