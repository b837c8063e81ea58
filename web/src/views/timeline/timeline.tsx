// The timeline panel: gutter, rows, cross-hair and hover card in one scrolled box.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { RULER_HEIGHT } from "../../render/ruler";
import { groupsOf } from "../../render/timeline";
import { lensCalls } from "../../model/lens";
import { FOOT_HEIGHT } from "../../model/timeline/rows";
import type { Aside } from "../../state/row-threads";
import { showCall } from "./show-call";
import { useApp } from "../shared/context";
import { EmptyNote } from "./empty-note";
import { Gutter } from "./gutter/gutter";
import { GutterEdge } from "./gutter/gutter-edge";
import { HoverCard } from "./card/hover-card";
import { attachTimelineInput } from "./timeline-input";
import { createTimelineState } from "../../state/timeline";
import { RangeTools } from "./range-tools";
import { TimelineTwin } from "./timeline-table";
import { useLayoutSignals, useSize } from "../shared/use-size";
import { useLeads } from "./use-common-levels";
import { useTimelineDraw } from "./use-timeline-draw";
import { WheelHint } from "./wheel-hint";

// `isOld`: of the trace that the shown one is compared with, which has no tools of its own.
export function Timeline({ isOld = false }: { isOld?: boolean }) {
  const app = useApp();
  const { store } = app;
  const stage = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const boxes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const state = useMemo(() => createTimelineState(size), []);

  useEffect(
    () => (stage.current === null ? undefined : attachTimelineInput(stage.current, app, state)),
    [],
  );

  useLayoutSignals(() => {
    store.timelinePx.value = size.value.height - RULER_HEIGHT - footHeight(store.aside.value);
  });
  useLayoutSignals(() => {
    const { width, height } = size.value;
    const groups = groupsOf({
      height,
      scrollTop: state.scrollTop.value,
      layout: store.rows.value,
      method: store.method.value,
      calls: lensCalls(store.selectedCalls.value),
    });
    const view = store.view.value;
    if (width > 0 && groups.length > 0)
      store.tiles.want({
        view,
        width,
        end: store.info.value?.span ?? 1,
        groups,
        hasCpu: store.isByCpu.value,
        hide: store.hide.value,
      });
  });

  useLeads(store, state);
  useTimelineDraw(app, state, boxes, marks);
  useSignalEffect(() => {
    const call = store.revealed.value;
    if (call !== null && scroller.current !== null) showCall(store, call, scroller.current);
  });

  // Where the other timeline leads is not the user's doing.
  const isLed = useRef(false);
  useSignalEffect(() => {
    const top = app.scroll.wanted.value;
    const { current } = scroller;
    if (top === null || current === null) return;
    const before = current.scrollTop;
    current.scrollTop = top;
    isLed.current = current.scrollTop !== before;
  });
  const onScroll = (top: number): void => {
    state.scrollTop.value = top;
    if (!isLed.current) app.scroll.byUser.value = top;
    isLed.current = false;
  };

  const height = store.rows.value.height + RULER_HEIGHT + footHeight(store.aside.value);
  return (
    <section
      class={isOld ? "timeline timeline-old" : "timeline"}
      aria-label={isOld ? "Timeline of the old trace" : "Timeline"}
      onContextMenuCapture={isOld ? (event) => event.preventDefault() : undefined}
    >
      <div
        class="timeline-scroll"
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label={
          isOld
            ? "Timeline of the old trace: a row per thread. It moves with the other one."
            : "Timeline: a row per thread. W, A, S, D zoom and pan; arrows walk from call to call."
        }
        data-panel="timeline"
        onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
      >
        <div class="timeline-space" style={{ height: `${height}px` }} />
        <div class="timeline-layer">
          <Gutter state={state} />
          <GutterEdge />
          <div class="stage" ref={stage} data-busy={store.tiles.isLoading.value}>
            <canvas ref={boxes} aria-hidden="true" />
            <canvas ref={marks} aria-hidden="true" />
            <HoverCard state={state} />
            <EmptyNote />
            {isOld ? null : <RangeTools state={state} />}
            <WheelHint state={state} />
          </div>
        </div>
      </div>
      {isOld ? null : <TimelineTwin state={state} />}
    </section>
  );
}

function footHeight(aside: Aside): number {
  return aside.hidden.length + aside.idle.length > 0 ? FOOT_HEIGHT : 0;
}
