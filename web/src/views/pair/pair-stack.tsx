// One of the two small timelines: what one call called, level by level, from its own start. Another call is another component.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { pairSpan } from "../../model/pair/pair-text";
import { stackHeight } from "../../model/pair/pair-picture";
import { TextWidths } from "../../render/labels";
import { drawCall } from "../../render/pair";
import { RULER_HEIGHT } from "../../render/ruler";
import { prepareCanvas } from "../../render/theme";
import type { App } from "../../state/page/app";
import { useApp } from "../shared/context";
import { useDraw, useLayoutSignals, useSize } from "../shared/use-size";
import { useTheme } from "../shared/use-theme";
import { boxText, boxUnder } from "./pair-hit";
import { attachPairInput, keyView } from "./pair-input";
import { callScene, wantCall, type OneCall } from "./pair-scene";

function wholeOf(app: App): number {
  const pair = app.panels.changes.calls.peek().value;
  return pair === null ? 1 : pairSpan(pair).to;
}

export function PairStack({ of, label }: { of: OneCall; label: string }) {
  const app = useApp();
  const { pair } = app.panels;
  const { side, call, thread } = of;
  const stage = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const theme = useTheme();
  const widths = useMemo(() => new TextWidths(), []);

  useLayoutSignals(() => wantCall(app, of, size.value));
  useDraw(() => {
    const scene = callScene(app, of, size.value, theme.value, widths);
    const { from, to } = pair.view.value;
    return () => {
      const { current } = canvas;
      const context = current === null ? null : prepareCanvas(current, scene.width, scene.height);
      if (current === null || context === null) return;
      current.dataset["boxes"] = String(drawCall(context, scene, call));
      current.dataset["from"] = String(from);
      current.dataset["to"] = String(to);
    };
  });
  useEffect(() => {
    if (stage.current === null) return undefined;
    const hit = (at: { x: number; y: number }) => boxUnder(app, side, call, size.peek().width, at);
    return attachPairInput(stage.current, {
      view: () => pair.view.peek(),
      whole: () => wholeOf(app),
      width: () => size.peek().width,
      show: pair.show,
      press: (at) => {
        const box = hit(at);
        if (box !== null) app.select.call({ thread: thread.id, depth: box.depth, call: box.call });
      },
      hover: (at) => {
        const box = at === null ? null : hit(at);
        pair.pointed.value = box === null ? "" : boxText(app, box, call);
      },
    });
  }, []);

  // Both stacks are scrolled together; the less deep of both stays at its end while the other one goes on.
  useSignalEffect(() => {
    const top = pair.scrollTop.value;
    const { current } = scroller;
    if (current !== null && current.scrollTop !== top) current.scrollTop = top;
  });
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): void => {
    const isAtEnd = scrollTop >= scrollHeight - clientHeight - 1;
    if (!isAtEnd || scrollTop > pair.scrollTop.peek()) pair.scrollTop.value = scrollTop;
  };

  return (
    <div
      class="pair-scroll"
      ref={scroller}
      tabIndex={0}
      role="group"
      data-pair={side}
      aria-label={label}
      onScroll={(event) => onScroll(event.currentTarget)}
      onKeyDown={(event) => {
        const view = keyView(event, pair.view.peek(), wholeOf(app));
        if (view === null) return;
        event.preventDefault();
        event.stopPropagation();
        pair.show(view);
      }}
    >
      <div class="pair-stage" ref={stage}>
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <div class="pair-space" style={{ height: `${RULER_HEIGHT + stackHeight(thread, call)}px` }} />
    </div>
  );
}
