// The distribution of the durations of calls: logarithmic bars, with the median, the 95th
// percentile and the longest marked. They are one control, as bars are thin: a press lists the calls of the nearest bar that
// has some, and arrow keys walk the bars.

import { formatDuration, plural } from "../../base/format";
import { MEASURE_WORDS, type CallWords } from "../../model/words";
import { nearestBar, stepBar } from "../../model/calls/histogram-bars";
import { isLeftOf, marksOf } from "../../model/calls/histogram-marks";
import type { HistogramBar, Percentiles } from "../../model/trace";
import type { CallsHead, Limits } from "../../state/calls";

interface Props {
  readonly head: CallsHead;
  readonly words: CallWords;
  readonly limits: Limits | null;
  onBar(bar: HistogramBar): void;
}

const barId = (ix: number): string => `histogram-bar-${ix}`;

export function Histogram({ head, words, limits, onBar }: Props) {
  const { bars, clock } = head.histogram;
  const percentiles = clock === "wait" ? undefined : head.stats[clock];
  const highest = bars.reduce((most, bar) => Math.max(most, bar.count), 0);
  if (bars.length === 0 || highest === 0) return null;
  const chosen = bars.findIndex((bar) => bar.from === limits?.min);
  const label = `Durations of ${plural(head.count, words.one, words.many)}, ${MEASURE_WORDS[clock].label}`;
  return (
    <div class="histogram-box">
      <div
        class="histogram"
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={chosen < 0 ? undefined : barId(chosen)}
        title={chosen < 0 ? "Press a bar to list its calls" : undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const at = ((event.clientX - box.left) / Math.max(1, box.width)) * bars.length;
          const bar = bars[nearestBar(bars, at)];
          if (bar !== undefined) onBar(bar);
        }}
        onKeyDown={(event) => {
          const next = bars[stepBar(bars, chosen, event.key)];
          if (next === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          onBar(next);
        }}
      >
        {percentiles === undefined ? null : <Marks bars={bars} percentiles={percentiles} />}
        {bars.map((bar, ix) => (
          <Bar
            key={bar.from}
            id={barId(ix)}
            bar={bar}
            highest={highest}
            words={words}
            isOn={ix === chosen}
          />
        ))}
      </div>
      <div class="histogram-scale muted">
        <span>{formatDuration(bars[0]?.from ?? 0)}</span>
        <span title="Each bar stands for durations a constant factor longer than the one before; heights are square roots of counts, so that one slow call among thousands can be seen">
          log scale
        </span>
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
  id,
  bar,
  highest,
  words,
  isOn,
}: {
  id: string;
  bar: HistogramBar;
  highest: number;
  words: CallWords;
  isOn: boolean;
}) {
  // The height is the square root of the count: one slow call among thousands must still be seen.
  const share = bar.count === 0 ? 0 : Math.max(0.06, Math.sqrt(bar.count / highest));
  const text = `${formatDuration(bar.from)} to ${formatDuration(bar.to)}: ${plural(bar.count, words.one, words.many)}`;
  return (
    <div
      id={id}
      class={isOn ? "histogram-bar on" : "histogram-bar"}
      role="option"
      aria-selected={isOn}
      aria-disabled={bar.count === 0}
      title={bar.count === 0 ? text : `${text}; press to list them`}
    >
      <span class="histogram-fill" style={{ height: `${share * 100}%` }} />
      <span class="sr-only">{text}</span>
    </div>
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
