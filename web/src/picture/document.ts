// The parts of the picture's document.

import { nameOfTooltip, pictureBoxes, type PictureBoxes } from "../model/flame/picture";

export const SVG = "http://www.w3.org/2000/svg";
export const XHTML = "http://www.w3.org/1999/xhtml";

export interface BoxElement {
  readonly group: SVGGElement;
  readonly rect: SVGRectElement;
  readonly tooltip: string;
}

export interface Picture {
  readonly root: SVGSVGElement;
  readonly elements: readonly BoxElement[];
  readonly boxes: PictureBoxes;
  readonly hasRootsAbove: boolean;
  readonly fitsWindow: boolean;
  // The line below the boxes.
  readonly foot: number;
}

function boxElement(group: Element): BoxElement[] {
  const rect = group.querySelector("rect");
  const tooltip = group.querySelector("title")?.textContent ?? "";
  if (!(group instanceof SVGGElement) || rect === null) return [];
  return [{ group, rect, tooltip }];
}

// Each box has its level, its left edge and its value as numbers, in units that do not depend on the width.
function readBoxes(elements: readonly BoxElement[]): PictureBoxes {
  return pictureBoxes(
    elements.map(({ group, tooltip }) => {
      const [level = 0, start = 0, value = 0] = (group.dataset.at ?? "").split(" ").map(Number);
      return { level, start, value, name: nameOfTooltip(tooltip) };
    }),
  );
}

export function readPicture(root: SVGSVGElement): Picture {
  const elements = [...root.querySelectorAll("#boxes > g")].flatMap(boxElement);
  return {
    root,
    elements,
    boxes: readBoxes(elements),
    hasRootsAbove: root.dataset.roots === "above",
    fitsWindow: root.dataset.fit === "window",
    foot: Number(root.dataset.foot),
  };
}

export function addText(picture: Picture, id: string, y: number): SVGTextElement {
  const text = document.createElementNS(SVG, "text");
  text.id = id;
  text.setAttribute("y", String(y));
  picture.root.append(text);
  return text;
}

// What only the script needs. Matches have the colour that flamegraph.pl gives them.
const STYLE = `
#boxes g { cursor: pointer }
#boxes .gone { display: none }
#boxes .below rect { opacity: 0.5 }
#boxes .match rect { fill: rgb(230, 0, 230) }
#boxes g:focus-visible rect { stroke: #000; stroke-width: 2 }
.button { cursor: pointer; opacity: 0.6 }
.button:hover, .button:focus-visible, .button[aria-pressed="true"] { opacity: 1; text-decoration: underline }
[hidden] { display: none }
#details, #matched { pointer-events: none }
input { box-sizing: border-box; width: 100%; font: 12px Verdana, "DejaVu Sans", sans-serif }
@media (prefers-color-scheme: dark) {
  #boxes g:focus-visible rect { stroke: #fff }
  #boxes .below text { fill: #fff }
}`;

export function addStyle(root: SVGSVGElement): void {
  const style = document.createElementNS(SVG, "style");
  style.textContent = STYLE;
  root.prepend(style);
}
