// The timeline panel: gutter, rows, cross-hair and hover card in one scrolled box.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { TextWidths } from "../render/labels";
import { drawOverlay } from "../render/marks";
import { RULER_HEIGHT } from "../render/ruler";
import { prepareCanvas } from "../render/theme";
import { drawTimeline, groupsOf, type Scene } from "../render/timeline";
import { useApp } from "./context";
import { EmptyNote } from "./empty-note";
import { Gutter } from "./gutter";
import { HoverCard } from "./hover-card";
import { attachTimelineInput } from "./timeline-input";
import { TimelineTwin } from "./timeline-twin";
import { createTimelineState } from "./timeline-state";
import { useDraw, useSize } from "./use-size";
import { useTheme } from "./use-theme";

export function Timeline() {
  const app = useApp();
  const { store } = app;
  const stage = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const boxes = useRef<HTMLCanvasElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const state = useMemo(() => createTimelineState(size), []);
  const widths = useMemo(() => new TextWidths(), []);
  const theme = useTheme();

  useEffect(
    () => (stage.current === null ? undefined : attachTimelineInput(stage.current, app, state)),
    [],
  );

  useSignalEffect(() => {
    store.timelinePx.value = size.value.height - RULER_HEIGHT;
  });
  useSignalEffect(() => {
    const { width, height } = size.value;
    const groups = groupsOf({
      height,
      scrollTop: state.scrollTop.value,
      layout: store.rows.value,
      method: store.method.value,
    });
    const view = store.view.value;
    if (width > 0 && groups.length > 0)
      store.tiles.want({ view, width, end: store.info.value?.span ?? 1, groups });
  });

  useDraw(() => {
    const { width, height } = size.value;
    void store.tiles.version.value;
    void store.names.version.value;
    const view = store.view.value;
    const shades = theme.value;
    const scene: Scene = {
      width,
      height,
      view,
      theme: shades,
      widths,
      scrollTop: state.scrollTop.value,
      layout: store.rows.value,
      method: store.method.value,
      call: store.call.value,
      matches: store.matches.value,
      tileOf: (group) => store.tiles.best(group, view, width),
      nameOf: store.names.get,
      colourOf: colourCache((rank) => app.colourOf(rank, shades.palette.fills.length)),
    };
    void store.settings.value;
    return () => {
      const canvas = boxes.current;
      const context = canvas === null ? null : prepareCanvas(canvas, width, height);
      if (canvas === null || context === null) return;
      const began = performance.now();
      canvas.dataset["boxes"] = String(drawTimeline(context, scene));
      canvas.dataset["ms"] = (performance.now() - began).toFixed(1);
    };
  });

  useDraw(() => {
    const { width, height } = size.value;
    const call = store.call.value;
    const overlay = {
      width,
      height,
      theme: theme.value,
      view: store.view.value,
      range: store.range.value,
      isPicked: store.picked.value !== null,
      call: call === null ? null : { from: call.start, to: call.end },
      hoverX: state.hover.value?.x ?? null,
    };
    return () => {
      const context = marks.current === null ? null : prepareCanvas(marks.current, width, height);
      if (context !== null) drawOverlay(context, overlay);
    };
  });

  const height = store.rows.value.height + RULER_HEIGHT;
  return (
    <section class="timeline" aria-label="Timeline">
      <div
        class="timeline-scroll"
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Timeline: a row per thread. W, A, S, D zoom and pan; arrows walk from call to call."
        data-panel="timeline"
        onScroll={(event) => (state.scrollTop.value = event.currentTarget.scrollTop)}
      >
        <div class="timeline-space" style={{ height: `${height}px` }} />
        <div class="timeline-layer">
          <Gutter state={state} />
          <div class="stage" ref={stage} data-busy={store.tiles.isLoading.value}>
            <canvas ref={boxes} aria-hidden="true" />
            <canvas ref={marks} aria-hidden="true" />
            <HoverCard state={state} />
            {store.rows.value.rows.length === 0 ? <EmptyNote /> : null}
          </div>
        </div>
      </div>
      <TimelineTwin state={state} />
    </section>
  );
}

// Ranks come by the thousand in a frame; their colours are few.
function colourCache(colourOf: (rank: number) => number): (rank: number) => number {
  const known = new Map<number, number>();
  return (rank) => {
    const old = known.get(rank);
    if (old !== undefined) return old;
    const colour = colourOf(rank);
    known.set(rank, colour);
    return colour;
  };
}
