// How long the method's calls take, with the place of the selected one marked. A press on a bar
// lists its calls.

import { formatDuration, plural } from "../../base/format";
import type { SubjectKind } from "../../model/detail/detail";
import { isAmong, placeIn, spreadText } from "../../model/detail/spread";
import type { HistogramBar } from "../../model/trace";
import { shownTime, timeOn } from "../../model/trace";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { BarList } from "../shared/bar-list";
import { useApp } from "../shared/context";

export function Spread({ subject }: { subject: SubjectKind }) {
  const app = useApp();
  const { store } = app;
  const head = app.panels.details.spread.value.value;
  const call = store.call.value;
  const words = callWords(store.info.value?.sampled === true);
  if (head === null || head.rank !== store.method.value || head.count === 0) return null;
  const { bars, clock } = head.histogram;
  const stats = clock === "wait" ? undefined : head.stats[clock];
  // A call outside of the range, or on another thread, is none of those that are counted.
  const own =
    subject === "call" && call !== null && isAmong(call, store.range.value, store.threads.value)
      ? shownTime(timeOn(call.times, clock) ?? 0, clock)
      : null;
  const place = own === null ? null : placeIn(bars, own);
  const limits = app.panels.calls.limits.value;
  const chosen =
    store.tab.value === "calls" ? bars.findIndex((bar) => bar.from === limits?.min) : -1;
  const list = (bar: HistogramBar): void => {
    store.tab.value = "calls";
    app.panels.calls.limits.value =
      limits?.min === bar.from ? null : { min: bar.from, max: bar.to };
  };
  return (
    <section aria-label="Distribution">
      <h3>
        {spreadText(
          {
            bars,
            words,
            hasRange: store.range.value !== null,
            hasThreads: store.threads.value !== null,
            isPicked: store.chosenCalls.value !== null,
            median: stats?.p50 ?? 0,
          },
          own,
        )}
        <span class="muted"> {MEASURE_WORDS[clock].word}</span>
      </h3>
      {head.count < 2 ? null : (
        <>
          <BarList
            id="spread-bar"
            class="details-spread"
            bars={bars}
            words={words}
            label={`Durations of ${plural(head.count, words.one, words.many)}`}
            chosen={chosen}
            onBar={list}
          >
            {place === null ? null : (
              <i class="details-place" style={{ left: `${place * 100}%` }} />
            )}
          </BarList>
          <div class="details-scale muted">
            <span>{formatDuration(bars[0]?.from ?? 0)}</span>
            {stats === undefined ? null : <span>median {formatDuration(stats.p50)}</span>}
            <span>{formatDuration(bars[bars.length - 1]?.to ?? 0)}</span>
          </div>
        </>
      )}
    </section>
  );
}
