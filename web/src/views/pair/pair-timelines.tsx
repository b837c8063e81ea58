// Two calls above each other, both from their own start and on one scale. They move together; lines between them join the
// longest call of what both called.

import { useRef } from "preact/hooks";
import { formatCount, formatDuration } from "../../base/format";
import { spanOf, zoomRange } from "../../base/time";
import { joinedMoments } from "../../model/pair/pair-picture";
import { pairSpan, type CallPairDetail } from "../../model/pair/pair-text";
import type { PairSide } from "../../model/pair/pair-tree";
import { fullName } from "../../model/names";
import { callPlace } from "../../model/link-parts";
import { callWords } from "../../model/words";
import { drawMoments } from "../../render/moments";
import { prepareCanvas } from "../../render/theme";
import { useApp } from "../shared/context";
import { threadNamer } from "../shared/thread-namer";
import { useDraw, useSize } from "../shared/use-size";
import { useTheme } from "../shared/use-theme";
import { PairStack } from "./pair-stack";

export function PairTimelines() {
  const { store, panels } = useApp();
  const pair = panels.changes.calls.value.value;
  if (pair === null || store.info.value === null) return null;
  return (
    <section class="pair-timelines" aria-label="Both calls from their starts">
      <Tools pair={pair} />
      <Side side="this" pair={pair} />
      <Lines pair={pair} key={`${callPlace(pair.new)} ${callPlace(pair.old)}`} />
      <Side side="other" pair={pair} />
    </section>
  );
}

function Side({ side, pair }: { side: PairSide; pair: CallPairDetail }) {
  const { store } = useApp();
  const call = side === "this" ? pair.new : pair.old;
  const info = store.info.value;
  const thread = info?.threads.find(({ id }) => id === call.thread);
  if (info === null || thread === undefined) return null;
  const word = side === "this" ? "This" : "Other";
  const words = callWords(info.sampled);
  const where = threadNamer(info)(call.thread);
  return (
    <>
      <span class="pair-word" aria-hidden="true">
        {word}
      </span>
      <PairStack
        key={callPlace(call)}
        of={{ side, call, thread }}
        label={
          `${word}: ${fullName(call.method)}, ${words.one} ${formatCount(call.ordinal + 1)}, on ${where}, ` +
          "from its start. W, A, S, D zoom and pan both; the tree below says the same."
        }
      />
    </>
  );
}

function Tools({ pair: { new: own, old } }: { pair: CallPairDetail }) {
  const { pair } = useApp().panels;
  const whole = pairSpan({ new: own, old }).to;
  const view = pair.view.value;
  const isWhole = spanOf(view) >= whole;
  const zoom = (factor: number): void =>
    pair.show(zoomRange(view, (view.from + view.to) / 2, factor, whole));
  return (
    <div class="pair-tools">
      <button class="button" aria-label="Zoom in both calls" onClick={() => zoom(0.5)}>
        +
      </button>
      <button
        class="button"
        aria-label="Zoom out of both calls"
        disabled={isWhole}
        onClick={() => zoom(2)}
      >
        −
      </button>
      <button
        class="link"
        aria-label="Whole of both calls"
        disabled={isWhole}
        onClick={() => pair.show({ from: 0, to: whole })}
      >
        Whole
      </button>
      <span class="muted clip pair-pointed">
        {pair.pointed.value === ""
          ? `Both from their starts, ${formatDuration(spanOf(view))} of ${formatDuration(whole)}`
          : pair.pointed.value}
      </span>
    </div>
  );
}

function Lines({ pair }: { pair: CallPairDetail }) {
  const { panels } = useApp();
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const theme = useTheme();
  useDraw(() => {
    const { width, height } = size.value;
    const told = panels.pair.told.value;
    const view = panels.pair.view.value;
    const shades = theme.value;
    const moments =
      told === null
        ? []
        : joinedMoments(
            { call: pair.new, detail: told.this.detail },
            { call: pair.old, detail: told.other.detail },
          );
    const lines = moments.map((moment) => ({ from: moment.this, to: moment.other }));
    return () => {
      const { current } = canvas;
      const context = current === null ? null : prepareCanvas(current, width, height);
      if (current === null || context === null) return;
      current.dataset["lines"] = String(
        drawMoments(context, { width, height, view, lines, theme: shades }),
      );
    };
  });
  return (
    <div
      class="pair-lines"
      ref={stage}
      title="Lines join the starts and the ends of the longest call of each method that both called"
    >
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
