// The timeline as a table, for those who cannot see it: the longest boxes in view.

import type { Range } from "../../base/time";
import { boxAt, firstEndingAfter, type Box } from "./boxes";
import type { Tile } from "./tiles";

export interface TwinRow {
  readonly thread: number;
  readonly box: Box;
}

export function longestBoxes(tiles: readonly Tile[], view: Range, count: number): TwinRow[] {
  const found: TwinRow[] = [];
  for (const tile of tiles)
    for (const row of tile.rows) {
      if (row.kind === "extents") continue;
      const end = row.first + row.count;
      for (let ix = firstEndingAfter(tile.boxes, row, view.from); ix < end; ix++) {
        if ((tile.boxes.start[ix] ?? 0) > view.to) break;
        const box = boxAt(tile.boxes, ix);
        if (found.length < count * 4) found.push({ thread: row.thread, box });
        else {
          found.sort((a, b) => b.box.duration - a.box.duration);
          found.length = count;
          if (box.duration > (found[count - 1]?.box.duration ?? 0))
            found.push({ thread: row.thread, box });
        }
      }
    }
  return found
    .sort((a, b) => b.box.duration - a.box.duration || a.box.start - b.box.start)
    .slice(0, count);
}
