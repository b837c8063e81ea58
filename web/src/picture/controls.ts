// What the script adds around the boxes: buttons, the field to search in, and the two texts below.

import { clamp } from "../base/math";
import { addText, SVG, XHTML, type Picture } from "./document";
import { PAD, type TextRuler } from "./layout";

const HEAD_Y = 24;
const FIELD_WIDTH = 220;
const FIELD_HEIGHT = 26;
const FIELD_LEAST = 60;

// What the buttons and the field do.
interface Acts {
  readonly resetZoom: () => void;
  // Opens the field, or where something is searched for ends that.
  readonly toggleSearch: () => void;
  readonly toggleCase: () => void;
  readonly searchFor: (term: string) => void;
  readonly endSearch: () => void;
}

function addButton(picture: Picture, id: string, text: string, act: () => void): SVGTextElement {
  const button = addText(picture, id, HEAD_Y);
  button.textContent = text;
  button.classList.add("button");
  button.setAttribute("role", "button");
  button.setAttribute("tabindex", "0");
  button.addEventListener("click", act);
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  return button;
}

function makeField(acts: Acts): HTMLInputElement {
  const field = document.createElementNS(XHTML, "input");
  if (!(field instanceof HTMLInputElement)) throw new Error("this document has no fields");
  field.type = "search";
  field.placeholder = "Search: a regular expression";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => acts.searchFor(field.value));
  // Arrows and letters belong to the field as long as it has the focus.
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") acts.endSearch();
    else if (event.key === "Enter") field.blur();
    if (!event.ctrlKey && !event.metaKey && event.key !== "F3") event.stopPropagation();
  });
  return field;
}

export class Controls {
  readonly #ruler: TextRuler;
  readonly #unzoom: SVGTextElement;
  readonly #search: SVGTextElement;
  readonly #case: SVGTextElement;
  readonly #details: SVGTextElement;
  readonly #matched: SVGTextElement;
  readonly #holder: SVGForeignObjectElement;
  readonly #field: HTMLInputElement;
  #said = "";

  constructor(picture: Picture, ruler: TextRuler, acts: Acts) {
    this.#ruler = ruler;
    this.#unzoom = addButton(picture, "unzoom", "Reset Zoom", acts.resetZoom);
    this.#search = addButton(picture, "search", "Search", acts.toggleSearch);
    this.#case = addButton(picture, "ignorecase", "ic", acts.toggleCase);
    this.#case.setAttribute("aria-label", "Ignore case");
    this.#details = addText(picture, "details", picture.foot);
    this.#matched = addText(picture, "matched", picture.foot);
    for (const text of [this.#details, this.#matched]) text.setAttribute("aria-live", "polite");
    this.#holder = document.createElementNS(SVG, "foreignObject");
    this.#field = makeField(acts);
    this.#holder.append(this.#field);
    this.#holder.setAttribute("y", "6");
    this.#holder.setAttribute("height", String(FIELD_HEIGHT));
    picture.root.append(this.#holder);
  }

  // Places everything in a picture of that width.
  layOut(width: number): void {
    const right = width - PAD;
    const fieldRight = right - 130;
    // Beside Reset Zoom, on which it would lie in a narrow window.
    const fieldWidth = clamp(fieldRight - this.#leftEnd() - PAD, FIELD_LEAST, FIELD_WIDTH);
    this.#unzoom.setAttribute("x", String(PAD));
    this.#details.setAttribute("x", String(PAD));
    this.#matched.setAttribute("x", String(right));
    this.#case.setAttribute("x", String(right - this.#ruler.widthOf("ic")));
    this.#search.setAttribute("x", String(this.#searchLeft(width)));
    this.#holder.setAttribute("width", String(fieldWidth));
    this.#holder.setAttribute("x", String(fieldRight - fieldWidth));
    this.say(this.#said);
  }

  // Where Reset Zoom ends.
  #leftEnd(): number {
    return PAD + this.#ruler.widthOf("Reset Zoom");
  }

  #searchLeft(width: number): number {
    return width - PAD - 30 - this.#ruler.widthOf("Reset Search");
  }

  // How wide a text in the middle may be that lies on nothing else; below 0 where it would.
  roomOfTitle(width: number): number {
    const isOpen = !this.#holder.hasAttribute("hidden");
    const right = isOpen ? Number(this.#holder.getAttribute("x")) : this.#searchLeft(width);
    return 2 * (Math.min(right - width / 2, width / 2 - this.#leftEnd()) - PAD);
  }

  showZoom(isZoomed: boolean): void {
    this.#unzoom.toggleAttribute("hidden", !isZoomed);
  }

  // `term` is null where nothing is searched for; `matched` is what the text on the right tells.
  showSearch(term: string | null, ignoresCase: boolean, matched: string): void {
    this.#search.textContent = term === null ? "Search" : "Reset Search";
    this.#case.setAttribute("aria-pressed", String(ignoresCase));
    this.#holder.toggleAttribute("hidden", term === null);
    if (term !== null && this.#field.value !== term) this.#field.value = term;
    this.#matched.textContent = matched;
  }

  focusField(): void {
    this.#field.focus();
    this.#field.select();
  }

  // Says what is pointed at, in the room that the share of the matches leaves.
  say(text: string): void {
    const right = this.#ruler.widthOf(this.#matched.textContent ?? "");
    const width = Number(this.#matched.getAttribute("x")) - PAD;
    this.#said = text;
    this.#details.textContent = text === "" ? "" : this.#ruler.cut(text, width - right - 2 * PAD);
  }
}
