// Names inside boxes, in the longest form that fits.

import { fitName, nameForms } from "../model/names";
import type { Method } from "../model/trace";
import type { Label } from "./box-paint";
import type { Theme } from "./theme";

const PAD = 5;
export const LABEL_FROM_PX = 30;

// Remembers the widths of texts in the chart's font: measuring is slow, and the same names come in
// every frame.
export class TextWidths {
  readonly #known = new Map<string, number>();

  of(context: CanvasRenderingContext2D, text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size > 20_000) this.#known.clear();
    const width = context.measureText(text).width;
    this.#known.set(text, width);
    return width;
  }
}

export function paintLabels(
  context: CanvasRenderingContext2D,
  labels: readonly Label[],
  nameOf: (rank: number) => Method | undefined,
  theme: Theme,
  inks: readonly string[],
  widths: TextWidths,
): void {
  context.font = theme.font;
  context.textBaseline = "middle";
  for (const label of labels) {
    const method = nameOf(label.rank);
    if (method === undefined) continue;
    const text = fitName(nameForms(method), label.width - 2 * PAD, (form) =>
      widths.of(context, form),
    );
    if (text === "") continue;
    context.globalAlpha = label.isFaded ? 0.35 : 1;
    context.fillStyle = inks[label.colour] ?? theme.ink;
    context.fillText(text, label.x + PAD, label.y + label.height / 2 + 0.5);
  }
  context.globalAlpha = 1;
  context.textBaseline = "alphabetic";
}
