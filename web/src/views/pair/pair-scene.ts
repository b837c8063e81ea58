// What is asked for and drawn of one of two calls that are compared.

import type { Range } from "../../base/time";
import { callLayout, topOf } from "../../model/pair/pair-picture";
import type { PairSide } from "../../model/pair/pair-tree";
import { DEPTH_PITCH } from "../../model/timeline/rows";
import { depthGroups } from "../../model/timeline/tiles";
import type { CallDetail, Thread } from "../../model/trace";
import type { TextWidths } from "../../render/labels";
import type { Scene } from "../../render/scene";
import type { Theme } from "../../render/theme";
import type { App } from "../../state/page/app";
import type { Size } from "../shared/use-size";

export interface OneCall {
  readonly side: PairSide;
  readonly call: CallDetail;
  readonly thread: Thread;
}

// The view of both calls, on the clock of the trace.
export function callView(view: Range, call: CallDetail): Range {
  return { from: view.from + call.start, to: view.to + call.start };
}

// Asks for what is in sight. Behind its end a call has nothing.
export function wantCall({ store, panels: { pair } }: App, of: OneCall, size: Size): void {
  const { side, call, thread } = of;
  const view = callView(pair.view.value, call);
  if (size.width <= 0 || view.from >= Math.max(call.end, call.start + 1)) return;
  const low = call.depth + Math.floor(pair.scrollTop.value / DEPTH_PITCH);
  const high = Math.min(thread.maxDepth - 1, low + Math.ceil(size.height / DEPTH_PITCH));
  pair.tiles[side].want({
    view,
    width: size.width,
    end: store.info.value?.span ?? 1,
    groups: depthGroups(thread.id, low, Math.max(low, high)),
    hasCpu: store.isByCpu.value,
    hide: "",
  });
}

// Calls of hidden packages have their levels here, as they have their time.
export function callScene(
  app: App,
  { side, call, thread }: OneCall,
  { width, height }: Size,
  theme: Theme,
  widths: TextWidths,
): Scene {
  const { store } = app;
  const { pair } = app.panels;
  const tiles = pair.tiles[side];
  void tiles.version.value;
  void store.names.version.value;
  const view = callView(pair.view.value, call);
  const selected = store.call.value;
  const layout = callLayout(thread);
  return {
    width,
    height,
    view,
    theme,
    widths,
    isByCpu: store.isByCpu.value,
    budget: store.budget.value,
    scrollTop: topOf(layout, call) + pair.scrollTop.value,
    layout,
    method: store.method.value,
    calls: "",
    call: selected === null ? null : { ...selected, level: selected.depth },
    matches: store.matches.value,
    tileOf: (group) => tiles.best(group, view, width),
    nameOf: store.names.get,
    colourOf: (rank) => app.colourOf(rank, theme.palette.fills.length),
  };
}
