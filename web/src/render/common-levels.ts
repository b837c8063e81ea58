// The thin line for the levels that are the same all over the view: their names, from the outermost
// to the innermost, as far as their calls run.

import { nameForms } from "../model/names";
import { LEAD_HEIGHT, STACK_TOP, type TimelineRow } from "../model/timeline/rows";
import { leadLine } from "../model/timeline/common-levels";
import { RULER_HEIGHT, xOf } from "./ruler";
import type { Scene } from "./scene";

const PAD = 5;
const BETWEEN = " › ";

// The names of a path, without the outermost ones for which there is no room.
function fitPath(
  names: readonly string[],
  room: number,
  measure: (text: string) => number,
): string {
  for (let first = 0; first < names.length; first++) {
    const text = (first > 0 ? `…${BETWEEN}` : "") + names.slice(first).join(BETWEEN);
    if (measure(text) <= room) return text;
  }
  return "";
}

export function paintLead(context: CanvasRenderingContext2D, scene: Scene, row: TimelineRow): void {
  if (row.lead === 0) return;
  const { theme, width, widths } = scene;
  const top = RULER_HEIGHT + row.y - scene.scrollTop + row.bandsHeight + STACK_TOP;
  if (top + LEAD_HEIGHT < RULER_HEIGHT || top > scene.height) return;
  const { ranks, range } = leadLine(scene.tileOf, row.thread.id, row.lead, scene.view, width);
  const from = range === null ? 0 : xOf(range.from, scene.view, width);
  const to = range === null ? width : xOf(range.to, scene.view, width);
  context.fillStyle = theme.line;
  context.beginPath();
  context.roundRect(from, top, to - from, LEAD_HEIGHT - 3, 3);
  context.fill();
  const names = ranks.map((rank) => {
    const method = scene.nameOf(rank);
    return method === undefined ? "…" : (nameForms(method)[0] ?? "…");
  });
  context.font = theme.font;
  context.textBaseline = "middle";
  context.fillStyle = theme.ink;
  context.fillText(
    fitPath(names, to - from - 2 * PAD, (text) => widths.of(context, text)),
    from + PAD,
    top + LEAD_HEIGHT / 2 - 1,
  );
  context.textBaseline = "alphabetic";
}
