// The flame graph: press selects, double press zooms, a menu transforms.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { FLAME_PITCH, flameBoxAt, scrollToMethod } from "../../model/flame/flame";
import { Press } from "../../model/timeline/gesture";
import { drawFlame } from "../../render/flame";
import { TextWidths } from "../../render/labels";
import { prepareCanvas } from "../../render/theme";
import { useApp } from "../shared/context";
import { flameItems, selectBox, selectedBoxes, selectIfHere, zoomFlame } from "./flame-actions";
import { cardPlace, walkFlame } from "./flame-keys";
import { FlameCard, type FlameHover } from "./flame-card";
import { flameScene } from "./flame-scene";
import { FlameTools } from "./flame-tools";
import { NothingDrawn } from "./nothing-drawn";
import { TableMessage } from "../table/table-message";
import { useDraw, useSize } from "../shared/use-size";
import { useTheme } from "../shared/use-theme";

export function FlameTab() {
  const app = useApp();
  const { store, select } = app;
  const { flame } = app.panels;
  const box = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const theme = useTheme();
  const widths = useMemo(() => new TextWidths(), []);
  const scrollTop = useSignal(0);
  const hover = useSignal<FlameHover | null>(null);
  const press = useMemo(() => new Press(), []);
  const isSelected = useComputed(() => selectedBoxes(app));
  const loaded = flame.shown.value;
  const isUnchosen =
    flame.choice.value === null && store.flameView.value.isSandwich && flame.middle.value === null;

  useSignalEffect(() => {
    flame.width.value = size.value.width;
  });
  const bringToSight = (rank: number | null): void => {
    const answer = flame.shown.value.value;
    const { height } = size.value;
    const element = scroller.current;
    if (rank === null || answer === null || element === null || height === 0) return;
    const top = scrollToMethod(answer, rank, element.scrollTop, height);
    if (top !== null) element.scrollTop = top;
  };
  useSignalEffect(() => bringToSight(store.method.value));
  useSignalEffect(() => bringToSight(flame.middle.value));
  useSignalEffect(() => {
    if (flame.shown.value.value !== null) hover.value = null;
  });

  useDraw(() => {
    const { width, height } = size.value;
    const at = {
      width,
      height,
      widths,
      scrollTop: scrollTop.value,
      hover: hover.value?.ix ?? null,
      isSelected: isSelected.value,
    };
    const scene = flameScene(app, theme.value, at);
    if (scene === null) return null;
    return () => {
      const context = canvas.current === null ? null : prepareCanvas(canvas.current, width, height);
      if (context !== null && canvas.current !== null)
        canvas.current.dataset["boxes"] = String(drawFlame(context, scene));
    };
  });

  const hit = (event: MouseEvent & { currentTarget: HTMLElement }): FlameHover | null => {
    const answer = flame.shown.peek().value;
    const rect = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    const ix =
      answer === null ? null : flameBoxAt(answer, x, y + scrollTop.peek(), size.peek().width);
    return ix === null ? null : { ix, x, y };
  };
  const rankAt = (at: FlameHover | null): number | null =>
    at === null ? null : (flame.shown.peek().value?.rank[at.ix] ?? null);

  return (
    <div class="with-header">
      <FlameTools />
      <div
        class="flame-scroll"
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Flame graph; the Tree tab is its table"
        onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => {
          const next = walkFlame(app, hover.value?.ix ?? null, event);
          if (next !== null)
            hover.value = cardPlace(app, next, size.peek().width, scrollTop.peek());
        }}
      >
        <div
          class="flame-space"
          style={{ height: `${(loaded.value?.depths ?? 0) * FLAME_PITCH + 8}px` }}
        />
        <div
          class="flame-stage"
          ref={box}
          onMouseMove={(event) => (hover.value = hit(event))}
          onMouseLeave={() => (hover.value = null)}
          onPointerDown={(event) => press.begin(event)}
          onClick={(event) => {
            if (!press.isClick(event)) return;
            const at = hit(event);
            if (at === null) select.clear();
            else selectBox(app, at.ix);
          }}
          onDblClick={(event) => {
            const at = hit(event);
            if (at !== null) zoomFlame(app, at.ix);
          }}
          onContextMenu={(event) => {
            const at = hit(event);
            const rank = rankAt(at);
            if (at === null || rank === null) return;
            event.preventDefault();
            selectIfHere(app, at.ix);
            app.menu.value = {
              x: event.clientX,
              y: event.clientY,
              label: "Flame graph",
              items: () => flameItems(app, at.ix, rank),
            };
          }}
        >
          <canvas ref={canvas} aria-hidden="true" />
          <FlameCard hover={hover} />
          <TableMessage
            isInGrid={false}
            error={loaded.error}
            isEmpty={isUnchosen || loaded.value?.x.length === 0}
            empty={<NothingDrawn />}
          />
        </div>
      </div>
    </div>
  );
}
