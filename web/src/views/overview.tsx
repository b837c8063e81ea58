// The whole trace as a thin strip; two handles hold the view, the middle moves it.

import type { ReadonlySignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { fitRange, panRange, spanOf, type Range } from "../base/time";
import type { WindowAnswer } from "../model/boxes";
import { drawHandles, drawStrips, gripAt, handlesOf, type Grip } from "../render/overview";
import { prepareCanvas } from "../render/theme";
import { createLoader, type Loaded } from "../state/loader";
import { useApp } from "./context";
import { Crumbs } from "./crumbs";
import { useDraw, useSize } from "./use-size";
import { useTheme } from "./use-theme";
import { ViewHandles } from "./view-handles";

const STRIPS = 5;

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
          size.value.width > 0 && store.info.value !== null
            ? { width: size.value.width, rows: STRIPS, trace: store.info.value.file }
            : null,
        ({ width, rows }, abort) => store.api.overview({ width, rows }, abort),
        60,
      ),
    [],
  );

  useDraw(() => {
    const { width, height } = size.value;
    const strip = answer.value.value;
    const shades = theme.value;
    void store.names.version.value;
    void store.settings.value;
    if (strip === null) return null;
    const colourOf = (rank: number): number => app.colourOf(rank, shades.palette.fills.length);
    return () => {
      const context = strips.current === null ? null : prepareCanvas(strips.current, width, height);
      if (context !== null) drawStrips(context, width, height, strip, colourOf, shades);
    };
  });
  useDraw(() => {
    const { width, height } = size.value;
    const view = store.view.value;
    const end = store.info.value?.span ?? 1;
    const marks = store.marks.value;
    const shades = theme.value;
    return () => {
      const context =
        handles.current === null ? null : prepareCanvas(handles.current, width, height);
      if (context !== null) drawHandles(context, width, height, view, marks, end, shades);
    };
  });

  const input = useMemo(() => createGrips(), []);
  const timeAt = (event: PointerEvent): number => {
    const rect = box.current?.getBoundingClientRect();
    const end = store.info.peek()?.span ?? 1;
    return rect === undefined ? 0 : ((event.clientX - rect.left) / Math.max(1, rect.width)) * end;
  };
  const move = (event: PointerEvent): void => {
    const next = input.move(timeAt(event), store.view.peek(), store.info.peek()?.span ?? 1);
    if (next !== null) views.jumpTo(next);
  };
  return (
    <section class="overview" aria-label="Overview">
      <Crumbs />
      <div
        class="overview-box"
        ref={box}
        role="group"
        aria-label="Range in view"
        data-panel="timeline"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const span = store.info.peek()?.span ?? 1;
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
          input.press(
            gripAt(handlesOf(store.view.peek(), span, size.peek().width), x),
            timeAt(event),
          );
        }}
        onPointerMove={move}
        onPointerUp={() => {
          if (input.release()) views.commit(store.view.peek());
        }}
        onDblClick={() => views.wholeTrace()}
      >
        <canvas ref={strips} aria-hidden="true" />
        <canvas ref={handles} aria-hidden="true" />
        <ViewHandles />
      </div>
    </section>
  );
}

// A drag on the strip: a handle, the middle, or a new range from outside.
function createGrips() {
  let grip: Grip | null = null;
  let last = 0;
  let start = 0;
  let isMoved = false;
  return {
    press(taken: Grip, time: number): void {
      grip = taken;
      last = time;
      start = time;
      isMoved = false;
    },
    move(time: number, view: Range, end: number): Range | null {
      if (grip === null) return null;
      if (!isMoved && Math.abs(time - start) < end / 400) return null;
      isMoved = true;
      const by = time - last;
      last = time;
      if (grip === "from") return fitRange({ from: Math.min(time, view.to - 1), to: view.to }, end);
      if (grip === "to")
        return fitRange({ from: view.from, to: Math.max(time, view.from + 1) }, end);
      if (grip === "outside") return fitRange({ from: start, to: time }, end);
      return spanOf(view) >= end
        ? fitRange({ from: start, to: time }, end)
        : panRange(view, by, end);
    },
    // Whether the drag chose a range.
    release(): boolean {
      const was = grip;
      grip = null;
      return was !== null && isMoved;
    },
  };
}
