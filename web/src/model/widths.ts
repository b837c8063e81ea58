// The widths of columns: what they need, what a user gave them, and the tracks that come of both.

import { formatMs, grouped } from "../base/format";

interface Track {
  readonly id: string;
  readonly width: number;
}

// The widths that the user gave to columns of a table, in pixels.
export type Widths = Readonly<Record<string, number>>;

const MIN_WIDTH = 48;
const MAX_WIDTH = 2000;
const USUAL_WIDTH = 120;

export function withWidth(widths: Widths, id: string, px: number): Widths {
  return { ...widths, [id]: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, px))) };
}

const DIGIT_PX = 8;
const PADDING_PX = 24;

// 0.000412: what is shorter than 0.1 ms has more decimals.
const SMALL_LENGTH = 8;

// The room of the longest number of a column: that of `most` nanoseconds, or of a short time.
export function numberWidth(most: number | undefined): number {
  return Math.max(SMALL_LENGTH, grouped(formatMs(most ?? 0)).length) * DIGIT_PX;
}

// The room of a column with such numbers: none is ever cut.
export function timeWidth(most: number | undefined, least: number): number {
  return Math.max(least, numberWidth(most) + PADDING_PX);
}

// The widths of columns as the tracks of a CSS grid. Names get the room first: each other column gets what it needs, and
// the one with a bar the room for it (`--bar`, which narrow tables do without); what names leave is shared. A width
// that the user gave stays. `--needs` is what the others need in all: twice that is enough for them.
export function columnTracks(
  columns: readonly Track[],
  widths: Widths,
  barred: string | null,
): { readonly "--name"?: string; readonly "--columns": string; readonly "--needs": string } {
  const [name, ...rest] = columns;
  const own = name === undefined ? undefined : widths[name.id];
  let needs = 0;
  const tracks = rest.map(({ id, width }) => {
    const px = widths[id];
    const need = px ?? (width || USUAL_WIDTH);
    needs += need;
    if (px !== undefined) return `${px}px`;
    const least = id === barred ? `calc(${need}px + var(--bar))` : `${need}px`;
    return `minmax(${least}, ${need}fr)`;
  });
  return {
    ...(own === undefined ? {} : { "--name": `${own}px` }),
    "--columns": tracks.join(" "),
    "--needs": `${needs}px`,
  };
}
