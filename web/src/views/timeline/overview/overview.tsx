// The whole trace as a thin strip; two handles hold the view, the middle moves it.

import type { ReadonlySignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { TraceInfo } from "../../../model/trace";
import type { WindowAnswer } from "../../../model/timeline/boxes";
import { cpuIndex } from "../../../model/colour";
import { curveText } from "../../../model/timeline/curve";
import { drawCurve } from "../../../render/curve";
import { drawCalls, drawHandles, drawStrips } from "../../../render/overview";
import { prepareCanvas } from "../../../render/theme";
import { createLoader, type Loaded } from "../../../state/loader";
import { useApp } from "../../shared/context";
import { Crumbs } from "./crumbs";
import { CurveLegend } from "./curve-legend";
import { createGripHandlers } from "./overview-grips";
import { useDraw, useSize } from "../../shared/use-size";
import { useTheme } from "../../shared/use-theme";
import { useCurve } from "./use-curve";
import { useMethodCalls } from "./use-method-calls";
import { ViewHandles } from "./view-handles";

// As many of the busiest threads as the strip has room for.
const STRIPS = 12;

function stripsNote(info: TraceInfo | null): string {
  const all = (info?.threads ?? []).filter((thread) => thread.calls > 0).length;
  return all > STRIPS ? `The ${STRIPS} busiest of ${all} threads` : "";
}

export function Overview() {
  const app = useApp();
  const { store, views } = app;
  const box = useRef<HTMLDivElement>(null);
  const strips = useRef<HTMLCanvasElement>(null);
  const handles = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const theme = useTheme();
  const answer: ReadonlySignal<Loaded<WindowAnswer>> = useMemo(
    () =>
      createLoader(
        () =>
          size.value.width > 0 && store.info.value !== null && store.isPictured.value
            ? {
                width: size.value.width,
                rows: STRIPS,
                cpu: store.isByCpu.value ? 1 : undefined,
                trace: store.info.value.file,
              }
            : null,
        ({ width, rows, cpu }, abort) => store.api.overview({ width, rows, cpu }, abort),
        60,
      ),
    [],
  );

  const calls = useMethodCalls(size, answer);
  const { thread, curve } = useCurve(size);
  const prepared = (canvas: HTMLCanvasElement | null): CanvasRenderingContext2D | null =>
    canvas === null ? null : prepareCanvas(canvas, size.peek().width, size.peek().height);
  useDraw(() => {
    const { width, height } = size.value;
    const strip = answer.value.value;
    const shades = theme.value;
    const span = Math.max(1, store.info.value?.span ?? 1);
    void store.names.version.value;
    void store.settings.value;
    const drawn = curve.value;
    if (drawn !== null)
      return () => {
        const context = prepared(strips.current);
        if (context !== null) drawCurve(context, width, height, drawn, span, shades);
      };
    if (strip === null || thread.value !== null) return null;
    const { fills } = shades.palette;
    const isByCpu = store.isByCpu.value;
    const fillOf = (ix: number): string | undefined => {
      const { cpu, rank } = strip.boxes;
      return isByCpu && cpu !== null
        ? shades.cpu.fills[cpuIndex(cpu[ix] ?? 255)]
        : fills[app.colourOf(rank[ix] ?? 0, fills.length)];
    };
    return () => {
      const context = prepared(strips.current);
      if (context !== null) drawStrips(context, width, height, strip, fillOf, shades);
    };
  });
  useDraw(() => {
    const { width, height } = size.value;
    const view = store.view.value;
    const end = store.info.value?.span ?? 1;
    const marks = store.marks.value;
    const ofMethod = calls.value;
    const shades = theme.value;
    return () => {
      const context = prepared(handles.current);
      if (context === null) return;
      drawHandles(context, width, height, view, marks, end, shades);
      if (ofMethod !== null) drawCalls(context, width, height, ofMethod, shades);
    };
  });

  const { isDragged, ...handlers } = useMemo(() => createGripHandlers(app), []);
  const shown = curve.value;
  const note =
    shown === null || thread.value === null
      ? stripsNote(store.info.value)
      : curveText(shown, thread.value.name, store.info.value?.span ?? 1);
  return (
    <section class="overview" aria-label="Overview">
      <Crumbs />
      <div
        class="overview-box"
        ref={box}
        role="group"
        aria-label="Range in view"
        title={isDragged.value ? undefined : note}
        data-panel="timeline"
        {...handlers}
        onDblClick={() => views.wholeTrace()}
      >
        <canvas ref={strips} aria-hidden="true" />
        <canvas ref={handles} aria-hidden="true" />
        <ViewHandles />
        {thread.value === null ? null : <CurveLegend name={thread.value.name} />}
      </div>
    </section>
  );
}
