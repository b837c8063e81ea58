// Which box of one of two calls lies under a point of its canvas, and what is said of it.

import { formatCount, formatDuration } from "../../base/format";
import { fullName } from "../../model/names";
import type { PairSide } from "../../model/pair/pair-tree";
import { boxAt, findBox, type Box } from "../../model/timeline/boxes";
import { DEPTH_PITCH } from "../../model/timeline/rows";
import { depthGroups } from "../../model/timeline/tiles";
import type { CallDetail } from "../../model/trace";
import { callWords } from "../../model/words";
import { RULER_HEIGHT, timeOf } from "../../render/ruler";
import type { App } from "../../state/page/app";
import { callView } from "./pair-scene";

const REACH_PX = 3;

export function boxUnder(
  app: App,
  side: PairSide,
  call: CallDetail,
  width: number,
  at: { readonly x: number; readonly y: number },
): Box | null {
  const { pair } = app.panels;
  if (at.y < RULER_HEIGHT) return null;
  const view = callView(pair.view.peek(), call);
  const row = Math.floor((at.y - RULER_HEIGHT + pair.scrollTop.peek()) / DEPTH_PITCH);
  const depth = call.depth + row;
  const [group] = depthGroups(call.thread, depth, depth);
  const tile = group === undefined ? null : pair.tiles[side].best(group, view, width);
  const slice = tile?.rows.find((one) => one.depth === depth);
  const time = timeOf(at.x, view, width);
  const reach = (REACH_PX / Math.max(1, width)) * (view.to - view.from);
  if (tile === null || slice === undefined || time > call.end + reach) return null;
  const ix = findBox(tile.boxes, slice, time, reach);
  return ix === null ? null : boxAt(tile.boxes, ix);
}

// "Database.query: 200 ms, 1.2 ms after the start"
export function boxText({ store }: App, box: Box, call: CallDetail): string {
  const words = callWords(store.info.peek()?.sampled === true);
  const method = store.names.get(box.rank);
  const name = method === undefined ? "…" : fullName(method);
  const at = formatDuration(Math.max(0, box.start - call.start));
  const more = box.count > 1 ? `, ${formatCount(box.count)} ${words.many} in this place` : "";
  return `${name}: ${formatDuration(box.duration)}, ${at} after the start${more}`;
}
