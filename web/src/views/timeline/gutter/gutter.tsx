// The labels of the rows, beside the chart.

import { useComputed } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { callWords } from "../../../model/words";
import { visibleRows, type TimelineRow } from "../../../model/timeline/rows";
import { threadLabel, type TraceInfo } from "../../../model/trace";
import { RULER_HEIGHT } from "../../../render/ruler";
import { useApp } from "../../shared/context";
import { CpuLegend } from "./cpu-legend";
import { GutterRow } from "./gutter-row";
import { RowFoot } from "./row-foot";
import type { TimelineState } from "../../../state/timeline";

export function Gutter({ state }: { state: TimelineState }) {
  const { store } = useApp();
  const layout = store.rows.value;
  const top = state.scrollTop.value;
  const [first, last] = visibleRows(layout, top, top + state.size.value.height);
  const repeated = useMemo(() => repeatedLabels(layout.rows), [layout]);
  const box = useRef<HTMLDivElement>(null);
  const under = useComputed(() => state.hover.value?.row?.thread.id ?? null);
  const contentY = (clientY: number): number =>
    clientY -
    (box.current?.getBoundingClientRect().top ?? 0) -
    RULER_HEIGHT +
    state.scrollTop.peek();
  return (
    <div class="gutter" ref={box}>
      <div class="gutter-head">
        <span>{axisNote(store.info.value, layout.rows.length)}</span>
        <CpuLegend />
      </div>
      {/* One more on either side, so that Tab leads on to rows out of sight. */}
      <div role="list" aria-label="Threads">
        {layout.rows.slice(Math.max(0, first - 1), last + 1).map((row) => (
          <GutterRow
            key={row.thread.id}
            row={row}
            y={RULER_HEIGHT + row.y - top}
            isRepeated={repeated.has(threadLabel(row.thread))}
            isUnder={under.value === row.thread.id}
            contentY={contentY}
          />
        ))}
        <RowFoot y={RULER_HEIGHT + layout.height - top} />
      </div>
    </div>
  );
}

// What the ruler measures, where it is not plain wall time on one clock.
function axisNote(info: TraceInfo | null, rowCount: number): string {
  if (info === null || rowCount === 0) return `no ${callWords(info?.sampled === true).many}`;
  if (!info.hasCommonAxis) return "each thread from its own 0";
  return info.axis === "cpu" ? "CPU time" : "";
}

function repeatedLabels(rows: readonly TimelineRow[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const label of rows.map((row) => threadLabel(row.thread))) {
    if (seen.has(label)) repeated.add(label);
    seen.add(label);
  }
  return repeated;
}
