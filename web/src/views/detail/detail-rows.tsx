// The lists of the details pane: what was waited for, what the time was spent in, and the longest
// path. A press on a row shows its longest call in the timeline.

import { Fragment } from "preact";

import { formatDuration, formatShare } from "../../base/format";
import {
  isOfCode,
  morePartsText,
  noPartsText,
  passedOnText,
  selfOn,
  selfText,
  waitHeading,
  waitRests,
  type Detail,
  type DetailRow,
  type SubjectKind,
} from "../../model/detail/detail";
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
  return (
    <section aria-label="What it waited for">
      <h3>{waitHeading(detail)}</h3>
      <ul>
        {detail.waits.map((row) => (
          <Line key={row.method.rank} row={row} ns={row.wait} of={wait} onPress={() => show(row)} />
        ))}
        {waitRests(detail).map((text) => (
          <li key={text} class="details-rest muted">
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function PartRows({ detail, subject }: { detail: Detail; subject: SubjectKind }) {
  const { store } = useApp();
  const show = useShow();
  const measure = store.measure.value;
  const whole = timeOn(detail.inclusive, measure) ?? 0;
  const self = selfOn(detail, measure);
  const none = noPartsText(detail, subject, measure);
  const more = morePartsText(detail);
  const words = callWords(store.info.value?.sampled === true);
  return (
    <section aria-label="Inside">
      <h3>
        {isOfCode(subject) ? "Inside it" : "What ran"}
        <span class="muted"> {MEASURE_WORDS[measure].word}</span>
      </h3>
      {none === "" ? null : <p class="muted">{none}</p>}
      <ul>
        {self === 0 ? null : (
          <li class="details-row self">
            <span class="details-name">{selfText(detail, subject, measure, words)}</span>
            <span />
            <span class="details-time">{formatDuration(self)}</span>
            <span class="details-share">{whole > 0 ? formatShare(self, whole) : ""}</span>
            <span class="details-bar" style={{ width: `${share(self, whole)}%` }} />
          </li>
        )}
        {detail.parts.map((row) => (
          <Line
            key={row.method.rank}
            row={row}
            ns={timeOn(row.inclusive, measure) ?? 0}
            of={whole}
            onPress={() => show(row)}
          />
        ))}
        {more === "" ? null : <li class="details-rest muted">{more}</li>}
      </ul>
    </section>
  );
}

export function PathRows({ detail }: { detail: Detail }) {
  const { store } = useApp();
  const show = useShow();
  const measure = store.measure.value;
  const whole = timeOn(detail.inclusive, measure) ?? 0;
  if (detail.path.length === 0) return null;
  return (
    <section aria-label="Longest path">
      <h3>
        Along the longest path<span class="muted"> {MEASURE_WORDS[measure].word}</span>
      </h3>
      <ul>
        {detail.path.map((row, ix) => (
          <Fragment key={ix}>
            {row.passedOn > 0 ? (
              <li class="details-rest muted">{passedOnText(row.passedOn)}</li>
            ) : null}
            <Line
              row={row}
              ns={timeOn(row.inclusive, measure) ?? 0}
              of={whole}
              ownOn={measure}
              onPress={() => show(row)}
            />
          </Fragment>
        ))}
      </ul>
    </section>
  );
}
