// The labels of the rows: fold, name, how busy; a menu to pin, hide and move.

import { formatCount, formatShare, plural } from "../base/format";
import { visibleRows, type TimelineRow } from "../model/rows";
import { threadLabel, timeOn, type Thread, type TraceInfo } from "../model/trace";
import { RULER_HEIGHT } from "../render/ruler";
import { useApp } from "./context";
import { threadItems } from "./thread-actions";
import type { TimelineState } from "./timeline-state";

export function Gutter({ state }: { state: TimelineState }) {
  const { store } = useApp();
  const layout = store.rows.value;
  const top = state.scrollTop.value;
  const [first, last] = visibleRows(layout, top, top + state.size.value.height);
  const names = repeatedNames(layout.rows);
  return (
    <div class="gutter" role="list" aria-label="Threads">
      <div class="gutter-head">{axisNote(store.info.value, layout.rows.length)}</div>
      {layout.rows.slice(first, last).map((row) => (
        <GutterRow
          key={row.thread.id}
          row={row}
          y={RULER_HEIGHT + row.y - top}
          isRepeated={names.has(row.thread.name)}
        />
      ))}
    </div>
  );
}

// What the ruler measures, where that is not plain wall time on one clock.
function axisNote(info: TraceInfo | null, rowCount: number): string {
  if (info === null || rowCount === 0) return "no calls";
  if (!info.hasCommonAxis) return "each thread from its own 0";
  return info.axis === "cpu" ? "CPU time" : "";
}

function repeatedNames(rows: readonly TimelineRow[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { thread } of rows) {
    if (seen.has(thread.name)) repeated.add(thread.name);
    seen.add(thread.name);
  }
  return repeated;
}

function GutterRow({ row, y, isRepeated }: { row: TimelineRow; y: number; isRepeated: boolean }) {
  const app = useApp();
  const { store } = app;
  const { thread, isUnfolded } = row;
  const toggle = (): void => {
    const next = new Set(store.unfolded.peek());
    if (!next.delete(thread.id)) next.add(thread.id);
    store.unfolded.value = next;
  };
  const busy = useBusy(thread);
  const title = `${threadLabel(thread)} (thread ${thread.id}): ${busy}, ${formatCount(thread.calls)} calls, ${thread.maxDepth} deep`;
  return (
    <div
      class={isUnfolded ? "row row-open" : "row"}
      role="listitem"
      style={{ top: `${y}px`, height: `${row.height}px` }}
      title={title}
      onContextMenu={(event) => {
        event.preventDefault();
        app.menu.value = {
          x: event.clientX,
          y: event.clientY,
          label: threadLabel(thread),
          items: () => threadItems(app, thread),
        };
      }}
    >
      <button
        class="fold"
        aria-expanded={isUnfolded}
        aria-label={`${threadLabel(thread)}${isRepeated ? ` ${thread.id}` : ""}: ${isUnfolded ? "fold" : "unfold"}`}
        onClick={toggle}
      >
        <i class={isUnfolded ? "twist open" : "twist"} />
        <span class="row-name">
          {row.isPinned ? <span class="pin" aria-label="pinned" /> : null}
          {threadLabel(thread)}
          {isRepeated ? <span class="row-id"> {thread.id}</span> : null}
        </span>
      </button>
      <small class="row-busy">
        {isUnfolded
          ? `${busy === "idle" ? busy : `${busy} busy`} · ${plural(thread.calls, "call")}`
          : busy}
      </small>
      {isUnfolded && (thread.maxDepth > row.depths || store.deep.value.has(thread.id)) ? (
        <DepthToggle row={row} />
      ) : null}
    </div>
  );
}

function DepthToggle({ row }: { row: TimelineRow }) {
  const { store } = useApp();
  const { id, maxDepth } = row.thread;
  const isDeep = store.deep.value.has(id);
  return (
    <button
      class="link depth-toggle"
      onClick={() => {
        const next = new Set(store.deep.peek());
        if (!next.delete(id)) next.add(id);
        store.deep.value = next;
      }}
    >
      {isDeep ? "fewer levels" : `${row.depths} of ${formatCount(maxDepth)} levels`}
    </button>
  );
}

// How much of the trace's time the thread was at work: its CPU, or what its calls cover.
function useBusy(thread: Thread): string {
  const { store } = useApp();
  const info = store.info.value;
  const time = timeOn(thread.times, info?.clocks.includes("cpu") === true ? "cpu" : "wall") ?? 0;
  return time === 0 ? "idle" : formatShare(time, info?.span ?? 0);
}
