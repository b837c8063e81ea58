// The lists of the details pane: what was waited for, what the time was spent in, and the longest
// path. A press on a row shows its longest call in the timeline.

import { formatCount, formatDuration, formatShare } from "../../base/format";
import { ownTimes, type Detail, type DetailRow, type SubjectKind } from "../../model/detail/detail";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { timeOn } from "../../model/trace";
import { useApp } from "../shared/context";
import { Line, share } from "./detail-line";

// Goes to the row's longest call, else selects its method.
function useShow(): (row: DetailRow) => void {
  const { select } = useApp();
  return (row) =>
    row.longest === null ? select.method(row.method.rank) : select.call(row.longest, "reveal");
}

export function WaitRows({ detail }: { detail: Detail }) {
  const show = useShow();
  const wait = detail.inclusive.wait;
  if (wait === undefined) return null;
  const named = detail.waits.reduce((sum, row) => sum + row.wait, 0);
  const rest = wait - named;
  return (
    <section aria-label="What it waited for">
      <h3>{wait === 0 || detail.waits.length === 0 ? "Waited for nothing" : waited(wait)}</h3>
      <ul>
        {detail.waits.map((row) => (
          <Line
            key={row.method.rank}
            method={row.method}
            calls={row.calls}
            ns={row.wait}
            of={wait}
            onPress={() => show(row)}
          />
        ))}
        {detail.waits.length > 0 && rest > wait / 100 ? (
          <li class="details-rest muted">{formatDuration(rest)} in many small waits</li>
        ) : null}
      </ul>
    </section>
  );
}

function waited(ns: number): string {
  return `Waited ${formatDuration(ns)}`;
}

export function PartRows({ detail, subject }: { detail: Detail; subject: SubjectKind }) {
  const { store } = useApp();
  const show = useShow();
  const measure = store.measure.value;
  const whole = timeOn(detail.inclusive, measure) ?? 0;
  const self = measure === "wait" ? 0 : (timeOn(detail.self, measure) ?? 0);
  const isRecursive = self < (timeOn(ownTimes(detail, subject), measure) ?? 0);
  const isEmpty = detail.parts.length === 0;
  return (
    <section aria-label="Inside">
      <h3>
        {subject === "call" || subject === "method" ? "Inside it" : "What ran"}
        <span class="muted"> {MEASURE_WORDS[measure].word}</span>
      </h3>
      {isEmpty && self === 0 ? <p class="muted">It called nothing that took time.</p> : null}
      <ul>
        {self === 0 ? null : (
          <li class="details-row self">
            <span class="details-name">its own code{isRecursive ? ", outermost calls" : ""}</span>
            <span />
            <span class="details-time">{formatDuration(self)}</span>
            <span class="details-share">{formatShare(self, whole)}</span>
            <span class="details-bar" style={{ width: `${share(self, whole)}%` }} />
          </li>
        )}
        {detail.parts.map((row) => (
          <Line
            key={row.method.rank}
            method={row.method}
            calls={row.calls}
            ns={timeOn(row.inclusive, measure) ?? 0}
            of={whole}
            onPress={() => show(row)}
          />
        ))}
        {detail.moreParts > 0 ? (
          <li class="details-rest muted">and {formatCount(detail.moreParts)} more methods</li>
        ) : null}
      </ul>
    </section>
  );
}

export function PathRows({ detail }: { detail: Detail }) {
  const { store } = useApp();
  const show = useShow();
  const measure = store.measure.value;
  const words = callWords(store.info.value?.sampled === true);
  const whole = timeOn(detail.inclusive, measure) ?? 0;
  if (detail.path.length === 0) return null;
  return (
    <section aria-label="Longest path">
      <h3>
        Along the longest path<span class="muted"> {MEASURE_WORDS[measure].word}</span>
      </h3>
      <ul>
        {detail.path.map((row, ix) => (
          <>
            {row.passedOn > 0 ? (
              <li key={`passed-${ix}`} class="details-rest muted">
                {formatCount(row.passedOn)} {row.passedOn === 1 ? words.one : words.many} that only
                pass it on
              </li>
            ) : null}
            <Line
              key={ix}
              method={row.method}
              calls={row.calls}
              ns={timeOn(row.inclusive, measure) ?? 0}
              of={whole}
              note={`its own code ${formatDuration(timeOn(row.exclusive, measure) ?? 0)}`}
              onPress={() => show(row)}
            />
          </>
        ))}
      </ul>
    </section>
  );
}
