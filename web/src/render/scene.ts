// What the timeline draws: sizes, rows, the chosen method and call, and where boxes, names and colours come from.

import type { Range } from "../base/time";
import type { RowLayout } from "../model/timeline/rows";
import type { RowGroup, Tile } from "../model/timeline/tiles";
import type { CallDetail, Method } from "../model/trace";
import type { TextWidths } from "./labels";
import type { Theme } from "./theme";

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly view: Range;
  // The moment that the ruler counts from; the start of the trace where it is left out.
  readonly zero?: number;
  readonly layout: RowLayout;
  readonly method: number | null;
  // The calls of the lens (model/lens.ts); empty without one.
  readonly calls: string;
  readonly call: CallDetail | null;
  // The ranks that the search found, beside which other boxes fade; null without a search.
  readonly matches: ReadonlySet<number> | null;
  readonly theme: Theme;
  // What a display leaves a frame, in nanoseconds.
  readonly budget: number;
  // Whether colours show the CPU share of a box instead of its method.
  readonly isByCpu: boolean;
  readonly widths: TextWidths;
  readonly tileOf: (group: RowGroup) => Tile | null;
  readonly nameOf: (rank: number) => Method | undefined;
  readonly colourOf: (rank: number) => number;
}
