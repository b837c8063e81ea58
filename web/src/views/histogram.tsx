// How the calls' durations are spread: logarithmic bars, with the median, the 95th percentile and the
// longest marked. Each bar is a button that leads to its calls.

import { formatDuration, plural } from "../base/format";
import { MEASURE_NAMES, type HistogramBar, type Spread } from "../model/trace";
import type { CallsHead } from "../state/calls";

interface Props {
  readonly head: CallsHead;
  onBar(bar: number): void;
}

export function Histogram({ head, onBar }: Props) {
  const { bars, clock } = head.histogram;
  const spread = clock === "cpu" ? head.stats.cpu : head.stats.wall;
  const highest = bars.reduce((most, bar) => Math.max(most, bar.count), 0);
  if (bars.length === 0 || highest === 0) return null;
  return (
    <div class="histogram-box">
      <div
        class="histogram"
        role="group"
        aria-label={`Durations of ${plural(head.count, "call")}, ${MEASURE_NAMES[clock]}`}
      >
        {bars.map((bar, ix) => (
          <Bar
            key={bar.from}
            bar={bar}
            highest={highest}
            marks={clock === "wait" || spread === undefined ? [] : marksIn(bar, spread)}
            onPress={() => onBar(ix)}
          />
        ))}
      </div>
      <div class="histogram-scale muted">
        <span>{formatDuration(bars[0]?.from ?? 0)}</span>
        <span>{formatDuration(bars[bars.length - 1]?.to ?? 0)}</span>
      </div>
      {spread === undefined ? null : (
        <dl class="spread">
          <Figure name="min" ns={spread.min} />
          <Figure name="p50" ns={spread.p50} />
          <Figure name="p95" ns={spread.p95} />
          <Figure name="max" ns={spread.max} />
        </dl>
      )}
    </div>
  );
}

function marksIn(bar: HistogramBar, spread: Spread): string[] {
  const isIn = (ns: number): boolean => ns >= bar.from && ns < bar.to;
  return [
    ...(isIn(spread.p50) ? ["p50"] : []),
    ...(isIn(spread.p95) ? ["p95"] : []),
    ...(isIn(spread.max) ? ["max"] : []),
  ];
}

function Bar({
  bar,
  highest,
  marks,
  onPress,
}: {
  bar: HistogramBar;
  highest: number;
  marks: readonly string[];
  onPress: () => void;
}) {
  // Square root: one slow call among thousands must still be seen.
  const share = bar.count === 0 ? 0 : Math.max(0.06, Math.sqrt(bar.count / highest));
  const text = `${formatDuration(bar.from)} to ${formatDuration(bar.to)}: ${plural(bar.count, "call")}`;
  return (
    <button class="histogram-bar" title={text} disabled={bar.count === 0} onClick={onPress}>
      {marks.length === 0 ? null : <span class="histogram-mark">{marks.join(" ")}</span>}
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
