// Where boxes and texts stand in a picture of some width.

import { labelForms, zoomTo } from "../model/flame/picture";
import { fitName } from "../model/names";
import { SVG, XHTML, type BoxElement, type Picture } from "./document";

export const PAD = 10;
const LABEL_PAD = 3;
const LABEL_FROM_PX = 24;
// The ruler's font beside that of the title.
const TITLE_SHRINK = 12 / 17;
const FONT = '12px Verdana, "DejaVu Sans", sans-serif';
// A character's width where it cannot be measured, as flamegraph.pl takes it.
const CHARACTER_PX = 7.1;

// Remembers the widths of texts: the same names come with every zoom.
export class TextRuler {
  readonly #known = new Map<string, number>();
  readonly #context: CanvasRenderingContext2D | null;

  constructor() {
    const canvas = document.createElementNS(XHTML, "canvas");
    this.#context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
    if (this.#context !== null) this.#context.font = FONT;
  }

  widthOf(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const width = this.#context?.measureText(text).width ?? text.length * CHARACTER_PX;
    this.#known.set(text, width);
    return width;
  }

  // The text, cut where it is longer than the room.
  cut(text: string, room: number): string {
    return fitName([text], room, (form) => this.widthOf(form));
  }
}

function label(element: BoxElement, text: string, x: number): void {
  const old = element.group.querySelector("text");
  if (text === "") {
    old?.remove();
    return;
  }
  const place = old ?? document.createElementNS(SVG, "text");
  place.setAttribute("x", x.toFixed(1));
  if (place.textContent !== text) place.textContent = text;
  if (old !== null) return;
  const y = Number(element.rect.getAttribute("y"));
  place.setAttribute("y", String(y + 10.5));
  element.group.append(place);
}

// Lays out all boxes with one of them as wide as the picture.
export function layOutBoxes(picture: Picture, ruler: TextRuler, zoom: number, width: number): void {
  const { boxes, elements } = picture;
  const { left, width: shares } = zoomTo(boxes, zoom);
  const room = width - 2 * PAD;
  elements.forEach((element, ix) => {
    const share = shares[ix] ?? 0;
    const isGone = share === 0;
    element.group.classList.toggle("gone", isGone);
    element.group.classList.toggle("below", !isGone && ix < zoom);
    if (isGone) return;
    const x = PAD + (left[ix] ?? 0) * room;
    const wide = share * room;
    element.rect.setAttribute("x", x.toFixed(1));
    element.rect.setAttribute("width", wide.toFixed(1));
    const name = boxes.names[boxes.rank[ix] ?? 0] ?? "";
    const text =
      wide < LABEL_FROM_PX
        ? ""
        : fitName(labelForms(name), wide - 2 * LABEL_PAD, (form) => ruler.widthOf(form));
    label(element, text, x + LABEL_PAD);
  });
}

// The lines of text that the program wrote, each cut to the width. They remember what they were.
export class TextLines {
  readonly #whole: readonly { readonly line: Element; readonly text: string }[];

  constructor(root: SVGSVGElement) {
    this.#whole = [...root.querySelectorAll("#title, #subtitle, .note")].map((line) => ({
      line,
      text: line.textContent ?? "",
    }));
  }

  fit(ruler: TextRuler, width: number): void {
    for (const { line, text } of this.#whole) {
      if (line.id === "title") continue;
      line.textContent = ruler.cut(text, width - 2 * PAD);
      if (line.id !== "") line.setAttribute("x", String(width / 2));
    }
  }

  // The title stands between the buttons. Where there is next to no room it is left out.
  fitTitle(ruler: TextRuler, width: number, room: number): void {
    const title = this.#whole.find(({ line }) => line.id === "title");
    const fits = room >= LABEL_FROM_PX;
    if (title === undefined) return;
    title.line.textContent = fits ? ruler.cut(title.text, room * TITLE_SHRINK) : "";
    title.line.setAttribute("x", String(width / 2));
  }
}
