// Between two timelines: which trace the lower one is of, what stands above each other, and lines from moments of the one to the
// same moments of the other.

import { useRef } from "preact/hooks";
import { nameElsewhere } from "../../model/ops";
import { fullName } from "../../model/names";
import { anchorOf, type Align } from "../../model/timeline/beside";
import { prepareCanvas } from "../../render/theme";
import { drawMoments } from "../../render/moments";
import type { App, OldSide } from "../../state/page/app";
import { item, itemOff, LINE, oneOf, type MenuItem } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { menuBelow } from "../shared/menu-below";
import { RunChoice } from "../shared/run-choice";
import { useDraw, useSize } from "../shared/use-size";
import { useTheme } from "../shared/use-theme";

export function MomentStrip({ side }: { side: OldSide }) {
  const app = useApp();
  const { store } = app;
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(stage);
  const theme = useTheme();
  useDraw(() => {
    const { width, height } = size.value;
    const view = store.view.value;
    const delta = side.delta.value;
    const lines = side.moments.value.map((moment) => ({
      from: moment.new,
      to: moment.old + delta,
    }));
    const shades = theme.value;
    return () => {
      const { current } = canvas;
      const context = current === null ? null : prepareCanvas(current, width, height);
      if (current === null || context === null) return;
      current.dataset["delta"] = String(delta);
      current.dataset["lines"] = String(
        drawMoments(context, { width, height, view, lines, theme: shades }),
      );
    };
  });
  const { align } = store.oldView.value;
  const { info, phase } = side.app.store;
  const file = info.value?.file ?? (phase.value.kind === "failed" ? "not there" : "…");
  const problem = side.problem.value;
  return (
    <div class="moment-strip" role="group" aria-label="The old trace">
      <div class="moment-words">
        <span class="clip" title={file}>
          Old: {file}
        </span>
      </div>
      <div class="moment-lines" ref={stage}>
        <canvas ref={canvas} aria-hidden="true" />
        <div class="moment-tools">
          <RunChoice side="new" />
          <RunChoice side="old" />
          <button
            class="link"
            aria-haspopup="menu"
            title="What stands above each other in both timelines"
            onClick={(event) =>
              menuBelow(app, event.currentTarget, "What stands above each other", () =>
                alignItems(app, side),
              )
            }
          >
            {problem === null ? alignWords(align) : "From the starts of both"}
            <i class="caret" />
          </button>
          <button class="link" title="Hide the timeline of the old trace" onClick={() => hide(app)}>
            Hide
          </button>
          {problem === null ? null : (
            <span class="muted" role="status">
              {problem}
            </span>
          )}
        </div>
      </div>
    </div>
  );
}

function hide({ store }: App): void {
  store.oldView.value = { ...store.oldView.peek(), isHidden: true };
}

function alignWords(align: Align): string {
  switch (align.kind) {
    case "start":
      return "From the starts of both";
    case "start-up":
      return "At the start-up";
    case "first-frame":
      return "At the first frame";
    case "method":
      return "At the first call of a method";
  }
}

function alignItems(app: App, side: OldSide): readonly MenuItem[] {
  const { store } = app;
  const { align } = store.oldView.value;
  const rank = store.method.value;
  const method = rank === null ? undefined : store.names.get(rank);
  const set = (next: Align): void => {
    store.oldView.value = { ...store.oldView.peek(), align: next };
  };
  const both = (kind: "start-up" | "first-frame", label: string): MenuItem =>
    [store, side.app.store].every((one) => anchorOf(one.lanes.value.value, kind) !== null)
      ? oneOf(label, align.kind === kind, () => set({ kind }))
      : itemOff(label, "not in both");
  return [
    oneOf("Starts of both traces", align.kind === "start", () => set({ kind: "start" })),
    both("start-up", "Start-up"),
    both("first-frame", "First frame"),
    method === undefined
      ? itemOff("First call of a method", "select one")
      : oneOf(
          `First call of ${fullName(method)}`,
          align.kind === "method" && align.method === nameElsewhere(method),
          () => set({ kind: "method", method: nameElsewhere(method) }),
        ),
    LINE,
    item("Hide the old timeline", () => hide(app)),
  ];
}
