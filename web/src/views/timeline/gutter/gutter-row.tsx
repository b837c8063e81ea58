// The label of one row: fold, name, how busy the thread is; a menu to pin, hide and move the row.

import { formatCount, plural } from "../../../base/format";
import { isolated } from "../../../base/text";
import { DEPTH_PITCH, STACK_TOP, type TimelineRow } from "../../../model/timeline/rows";
import { threadLabel, type Thread } from "../../../model/trace";
import { busyText, callWords } from "../../../model/words";
import { RULER_HEIGHT } from "../../../render/ruler";
import type { Store } from "../../../state/store";
import { useApp } from "../../shared/context";
import { LaneLabels } from "./lane-labels";
import { DepthToggle, LeadToggle } from "./level-toggles";
import { dragRow, stepRow } from "./row-drag";
import { threadItems } from "./thread-actions";

// The height of the label and of the lines below it.
const LABEL_PX = 104;

// Characters at the end of a name that are never cut.
const TAIL = 8;

interface GutterRowProps {
  readonly row: TimelineRow;
  readonly y: number;
  readonly isRepeated: boolean;
  // Whether the pointer is on this row in the chart.
  readonly isUnder: boolean;
  contentY(clientY: number): number;
}

export function GutterRow({ row, y, isRepeated, isUnder, contentY }: GutterRowProps) {
  const app = useApp();
  const { store } = app;
  const { thread, isUnfolded } = row;
  const toggle = (): void => {
    const next = new Set(store.unfolded.peek());
    if (!next.delete(thread.id)) next.add(thread.id);
    store.unfolded.value = next;
  };
  const info = store.info.value;
  const busy = info === null ? "" : busyText(thread.times, info);
  // The label of a tall row stays in sight while its stack is scrolled.
  const above = Math.max(0, RULER_HEIGHT - y);
  const room = Math.max(0, row.height - row.bandsHeight - LABEL_PX);
  const sticky = isUnfolded ? Math.min(Math.max(0, above - row.bandsHeight), room) : 0;
  const calls = callsOf(store, thread);
  const title = `${isolated(threadLabel(thread))} (thread ${thread.id}): ${busy}, ${calls}, ${thread.maxDepth} deep`;
  return (
    <div
      class={`row${isUnfolded ? " row-open" : ""}${isUnder ? " row-under" : ""}`}
      role="listitem"
      style={{
        top: `${y}px`,
        height: `${row.height}px`,
        paddingTop: `${row.bandsHeight + (isUnfolded ? sticky + 3 : 0)}px`,
      }}
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
      <LaneLabels row={row} />
      <button
        class="fold"
        aria-expanded={isUnfolded}
        aria-label={`${isolated(threadLabel(thread))}${isRepeated ? ` ${thread.id}` : ""}: ${isUnfolded ? "fold" : "unfold"}`}
        onClick={toggle}
        onPointerDown={(event) => dragRow(app, event, thread.id, contentY)}
        onKeyDown={(event) => {
          const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
          if (!event.altKey || by === 0) return;
          event.preventDefault();
          event.stopPropagation();
          stepRow(app, thread.id, by);
        }}
      >
        <i class={isUnfolded ? "twist open" : "twist"} />
        <span class="row-name">
          {row.isPinned ? <span class="pin" aria-label="pinned" /> : null}
          <ThreadName name={threadLabel(thread)} />
          {isRepeated ? <span class="row-id"> {thread.id}</span> : null}
        </span>
      </button>
      <small class="row-busy">{isUnfolded ? `${busy} · ${calls}` : busy}</small>
      {isUnfolded ? <LeadToggle row={row} /> : null}
      {isUnfolded &&
      (thread.maxDepth > row.lead + row.depths || store.deep.value.has(thread.id)) ? (
        <DepthToggle row={row} />
      ) : null}
      {sticky > 0 ? (
        <small class="row-busy">
          from level{" "}
          {formatCount(
            row.lead + Math.floor((above - row.bandsHeight - STACK_TOP) / DEPTH_PITCH) + 1,
          )}
        </small>
      ) : null}
    </div>
  );
}

// A name that is too long loses its middle: pools tell their threads apart by the end.
function ThreadName({ name }: { name: string }) {
  const cut = Math.max(0, name.length - TAIL);
  return (
    <bdi class="thread-name">
      <span class="thread-head">{name.slice(0, cut)}</span>
      <span class="thread-tail">{name.slice(cut)}</span>
    </bdi>
  );
}

// The thread's calls, and how many of them are shown where packages are hidden.
function callsOf(store: Store, thread: Thread): string {
  const all = plural(thread.calls, callWords(store.info.value?.sampled === true).one);
  const left = store.levels.value?.get(thread.id);
  return left === undefined || left.omitted === 0 ? all : `${formatCount(left.calls)} of ${all}`;
}
