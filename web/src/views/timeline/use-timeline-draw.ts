// Draws the timeline's two canvases: the boxes when they changed, the layer above them with every
// move of the mouse.

import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { lensCalls } from "../../model/lens";
import { TextWidths } from "../../render/labels";
import { drawOverlay, isBlank } from "../../render/overlay";
import { prepareCanvas } from "../../render/theme";
import type { Scene } from "../../render/scene";
import { drawTimeline } from "../../render/timeline";
import type { App } from "../../state/page/app";
import type { TimelineState } from "../../state/timeline";
import { useDraw } from "../shared/use-size";
import { useTheme } from "../shared/use-theme";

type CanvasRef = RefObject<HTMLCanvasElement | null>;

export function useTimelineDraw(
  app: App,
  state: TimelineState,
  boxes: CanvasRef,
  marks: CanvasRef,
): void {
  const { store } = app;
  const { size } = state;
  const widths = useMemo(() => new TextWidths(), []);
  const theme = useTheme();

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
      isByCpu: store.isByCpu.value,
      budget: store.budget.value,
      scrollTop: state.scrollTop.value,
      layout: store.rows.value,
      method: store.method.value,
      calls: lensCalls(store.selectedCalls.value),
      call: store.call.value,
      matches: store.matches.value,
      tileOf: (group) => store.tiles.best(group, view, width),
      nameOf: store.names.get,
      colourOf: colourCache((rank) => app.colourOf(rank, shades.palette.fills.length)),
    };
    void store.settings.value;
    void store.matched.value;
    return () => {
      const canvas = boxes.current;
      const context = canvas === null ? null : prepareCanvas(canvas, width, height);
      if (canvas === null || context === null) return;
      const began = performance.now();
      const boxCount = drawTimeline(context, scene);
      canvas.dataset["boxes"] = String(boxCount);
      canvas.dataset["ms"] = (performance.now() - began).toFixed(1);
      if (boxCount > 0) afterFrame(store.becomePictured);
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
      marks: store.marks.value,
      hoverX: state.hover.value?.x ?? null,
    };
    return () => {
      const canvas = marks.current;
      if (canvas === null) return;
      // An empty layer costs the browser as much as a full one.
      canvas.hidden = isBlank(overlay);
      const context = canvas.hidden ? null : prepareCanvas(canvas, width, height);
      if (context !== null) drawOverlay(context, overlay);
    };
  });
}

// Runs `then` after the present frame was painted: the frame after it begins then.
function afterFrame(then: () => void): void {
  self.requestAnimationFrame(() => self.setTimeout(then));
}

// A frame asks for the colours of thousands of boxes that have few different methods.
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
