// The distribution of the durations of calls: logarithmic bars, with the median, the 95th
// percentile and the longest marked. Each bar is a button that lists its calls.

import { formatDuration, plural } from "../../base/format";
import { MEASURE_WORDS, type CallWords } from "../../model/words";
import { isLeftOf, marksOf } from "../../model/calls/histogram-marks";
import type { HistogramBar, Percentiles } from "../../model/trace";
import type { CallsHead, Limits } from "../../state/calls";

interface Props {
  readonly head: CallsHead;
  readonly words: CallWords;
  readonly limits: Limits | null;
  onBar(bar: HistogramBar): void;
}

export function Histogram({ head, words, limits, onBar }: Props) {
  const { bars, clock } = head.histogram;
  const percentiles = clock === "wait" ? undefined : head.stats[clock];
  const highest = bars.reduce((most, bar) => Math.max(most, bar.count), 0);
  if (bars.length === 0 || highest === 0) return null;
  const label = `Durations of ${plural(head.count, words.one, words.many)}, ${MEASURE_WORDS[clock].label}`;
  return (
    <div class="histogram-box">
      <div class="histogram" role="group" aria-label={label}>
        {percentiles === undefined ? null : <Marks bars={bars} percentiles={percentiles} />}
        {bars.map((bar) => (
          <Bar
            key={bar.from}
            bar={bar}
            highest={highest}
            words={words}
            isOn={limits?.min === bar.from}
            onPress={() => onBar(bar)}
          />
        ))}
      </div>
      <div class="histogram-scale muted">
        <span>{formatDuration(bars[0]?.from ?? 0)}</span>
        <span>{formatDuration(bars[bars.length - 1]?.to ?? 0)}</span>
      </div>
      {percentiles === undefined ? null : (
        <dl class="percentiles">
          <Figure name="min" ns={percentiles.min} />
          <Figure name="p50" ns={percentiles.p50} />
          <Figure name="p95" ns={percentiles.p95} />
          <Figure name="max" ns={percentiles.max} />
        </dl>
      )}
    </div>
  );
}

function Marks({ bars, percentiles }: { bars: readonly HistogramBar[]; percentiles: Percentiles }) {
  return (
    <>
      {marksOf(bars, percentiles).map(({ label, at }) => (
        <span
          key={at}
          class={isLeftOf(at) ? "histogram-mark right" : "histogram-mark"}
          style={isLeftOf(at) ? { right: `${(1 - at) * 100}%` } : { left: `${at * 100}%` }}
        >
          {label}
        </span>
      ))}
    </>
  );
}

function Bar({
  bar,
  highest,
  words,
  isOn,
  onPress,
}: {
  bar: HistogramBar;
  highest: number;
  words: CallWords;
  isOn: boolean;
  onPress: () => void;
}) {
  // The height is the square root of the count: one slow call among thousands must still be seen.
  const share = bar.count === 0 ? 0 : Math.max(0.06, Math.sqrt(bar.count / highest));
  const text = `${formatDuration(bar.from)} to ${formatDuration(bar.to)}: ${plural(bar.count, words.one, words.many)}`;
  return (
    <button
      class={isOn ? "histogram-bar on" : "histogram-bar"}
      title={`${text}; press to list them`}
      aria-pressed={isOn}
      disabled={bar.count === 0}
      onClick={onPress}
    >
      <span class="histogram-fill" style={{ height: `${share * 100}%` }} />
      <span class="sr-only">{text}</span>
    </button>
  );
}

function Figure({ name, ns }: { name: string; ns: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatDuration(ns)}</dd>
    </div>
  );
}
