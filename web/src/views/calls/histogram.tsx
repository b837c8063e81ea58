// The distribution of the durations of calls: logarithmic bars, with the median, the 95th
// percentile and the longest marked. A press on a bar lists its calls.

import { formatDuration } from "../../base/format";
import { durationsText, oldCallsText } from "../../model/calls/calls-text";
import { barsOfBoth } from "../../model/calls/histogram-sides";
import type { CallWords } from "../../model/words";
import { isLeftOf, marksOf } from "../../model/calls/histogram-marks";
import type { HistogramBar, Percentiles } from "../../model/trace";
import type { CallsHead, Limits } from "../../state/panels/calls";
import { OneRunNote } from "../shared/run-choice";
import { BarList } from "../shared/bar-list";

interface Props {
  readonly head: CallsHead;
  // The same of the trace that this one is compared with; null: with none, or it has no such calls.
  readonly old: CallsHead | null;
  readonly words: CallWords;
  readonly limits: Limits | null;
  onBar(bar: HistogramBar): void;
}

export function Histogram({ head, old, words, limits, onBar }: Props) {
  const { clock } = head.histogram;
  const bars =
    old === null ? head.histogram.bars : barsOfBoth(head.histogram.bars, old.histogram.bars);
  const before = old === null || clock === "wait" ? undefined : old.stats[clock];
  const percentiles = clock === "wait" ? undefined : head.stats[clock];
  // The list beside it says all of one or two.
  if (old === null && head.count < 3) return null;
  if (head.histogram.bars.every((bar) => bar.count === 0)) return null;
  const chosen = bars.findIndex((bar) => bar.from === limits?.min);
  return (
    <div class="histogram-box">
      <BarList
        id="histogram-bar"
        class="histogram"
        bars={bars}
        words={words}
        label={durationsText(head, words)}
        chosen={chosen}
        onBar={onBar}
      >
        {percentiles === undefined ? null : <Marks bars={bars} percentiles={percentiles} />}
      </BarList>
      <div class="histogram-scale muted">
        <span>{formatDuration(bars[0]?.from ?? 0)}</span>
        <span title="Each bar stands for durations a constant factor longer than the one before; heights are square roots of counts, so that one slow call among thousands can be seen">
          log scale
        </span>
        <span>{formatDuration(bars[bars.length - 1]?.to ?? 0)}</span>
      </div>
      {old === null ? null : (
        <>
          <p class="old-calls muted">{oldCallsText(old.count, words)}</p>
          <OneRunNote />
        </>
      )}
      {percentiles === undefined ? null : (
        <dl class="percentiles">
          {(["min", "p50", "p95", "max"] as const).map((name) => (
            <Figure key={name} name={name} ns={percentiles[name]} old={before?.[name]} />
          ))}
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
          class={isLeftOf(at, label) ? "histogram-mark right" : "histogram-mark"}
          style={isLeftOf(at, label) ? { right: `${(1 - at) * 100}%` } : { left: `${at * 100}%` }}
        >
          {label}
        </span>
      ))}
    </>
  );
}

function Figure({ name, ns, old }: { name: string; ns: number; old: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatDuration(ns)}</dd>
      {old === undefined ? null : <dd class="muted">was {formatDuration(old)}</dd>}
    </div>
  );
}
