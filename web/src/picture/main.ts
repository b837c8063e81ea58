// The script inside a flame graph that `traceview flame` wrote: zoom, search, keyboard, and a link to what is shown.
// Without it the picture is complete, and only to be looked at.

import { percentText } from "../base/format";
import { flameNeighbour, type FlameStep } from "../model/flame/flame";
import { boxOfPath, matchedShare, pathText, ranksThatMatch } from "../model/flame/picture";
import { Press } from "../model/timeline/gesture";
import { Controls } from "./controls";
import { addStyle, readPicture, type Picture } from "./document";
import { layOutBoxes, TextLines, TextRuler } from "./layout";

// A longer path is not kept: browsers refuse long addresses.
const LONGEST_LINK = 30_000;

function keyAndValue(part: string): [string, string] {
  const cut = part.indexOf("=");
  return cut < 0 ? [part, ""] : [part.slice(0, cut), part.slice(cut + 1)];
}

// What people write into addresses by hand need not be encoded well.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

class FlameGraph {
  readonly #picture: Picture;
  readonly #ruler = new TextRuler();
  readonly #lines: TextLines;
  readonly #controls: Controls;
  readonly #press = new Press();
  #width = 0;
  #zoom = 0;
  #term: string | null = null;
  #ignoresCase = false;
  // The box that keys are about.
  #current = 0;

  constructor(root: SVGSVGElement) {
    addStyle(root);
    this.#picture = readPicture(root);
    this.#lines = new TextLines(root);
    this.#controls = new Controls(this.#picture, this.#ruler, {
      resetZoom: () => this.#zoomTo(0),
      toggleSearch: () => (this.#term === null ? this.#openSearch() : this.#search(null)),
      toggleCase: () => this.#toggleCase(),
      searchFor: (term) => this.#search(term),
      endSearch: () => this.#endSearch(),
    });
    this.#readLink();
    this.#listen();
  }

  #listen(): void {
    addEventListener("pointerdown", (event) => this.#press.begin(event));
    this.#picture.elements.forEach(({ group }, ix) => {
      group.addEventListener("click", (event) => this.#press.isClick(event) && this.#zoomTo(ix));
      group.addEventListener("mouseenter", () => this.#tell(ix));
      group.addEventListener("mouseleave", () => this.#controls.say(""));
    });
    // A listener for the focus at a box would make each of them a stop of Tab in Chromium.
    addEventListener("focusin", (event) => {
      const ix = this.#picture.elements.findIndex(({ group }) => group === event.target);
      if (ix >= 0) this.#tell(ix);
    });
    this.#makeCurrent(this.#zoom);
    addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("popstate", () => this.#readLink());
    if (this.#picture.fitsWindow) addEventListener("resize", () => this.#layOut());
  }

  // The width that there is: that of the window where the picture may fill it.
  #measure(): number {
    const { root, fitsWindow } = this.#picture;
    if (!fitsWindow) return root.viewBox.baseVal.width;
    root.removeAttribute("viewBox");
    root.setAttribute("width", "100%");
    return Math.max(200, root.getBoundingClientRect().width);
  }

  #layOut(): void {
    const width = this.#measure();
    this.#width = width;
    layOutBoxes(this.#picture, this.#ruler, this.#zoom, width);
    this.#lines.fit(this.#ruler, width);
    this.#controls.layOut(width);
    this.#controls.showZoom(this.#zoom !== 0);
    this.#showMatches();
  }

  #tell(ix: number): void {
    this.#controls.say(`Function: ${this.#picture.elements[ix]?.tooltip ?? ""}`);
  }

  #zoomTo(ix: number): void {
    if (ix === this.#zoom) return;
    this.#zoom = ix;
    this.#makeCurrent(ix);
    this.#layOut();
    this.#writeLink("pushState");
  }

  #openSearch(): void {
    this.#search(this.#term ?? "");
    this.#controls.focusField();
  }

  #search(term: string | null): void {
    this.#term = term;
    this.#showMatches();
    this.#writeLink("replaceState");
  }

  #endSearch(): void {
    this.#search(null);
    this.#focus(this.#current);
  }

  #toggleCase(): void {
    this.#ignoresCase = !this.#ignoresCase;
    this.#showMatches();
    this.#writeLink("replaceState");
  }

  #showMatches(): void {
    const { boxes, elements } = this.#picture;
    const term = this.#term ?? "";
    const ranks = term === "" ? new Set<number>() : ranksThatMatch(boxes, term, this.#ignoresCase);
    elements.forEach(({ group }, ix) =>
      group.classList.toggle("match", ranks?.has(boxes.rank[ix] ?? -1) === true),
    );
    this.#controls.showSearch(this.#term, this.#ignoresCase, this.#matchedText(term, ranks));
    this.#lines.fitTitle(this.#ruler, this.#width, this.#controls.roomOfTitle(this.#width));
  }

  #matchedText(term: string, ranks: ReadonlySet<number> | null): string {
    if (term === "") return "";
    if (ranks === null) return "Not a regular expression";
    const share = percentText(matchedShare(this.#picture.boxes, ranks, this.#zoom), 1);
    return `Matched: ${share}%${this.#zoom === 0 ? "" : " of what is shown"}`;
  }

  #onKey(event: KeyboardEvent): void {
    const isFind = (event.ctrlKey || event.metaKey) && event.key === "f";
    if (isFind || event.key === "F3" || event.key === "/") this.#openSearch();
    else if (event.ctrlKey && event.key === "i") this.#toggleCase();
    else if (event.ctrlKey || event.metaKey || event.altKey || !this.#walk(event.key)) return;
    event.preventDefault();
  }

  // Keys that walk over boxes; whether this was one.
  #walk(key: string): boolean {
    const isUp = key === "ArrowUp";
    if (key === "Enter" || (key === " " && this.#hasFocus())) this.#zoomTo(this.#current);
    else if (key === "Escape" && this.#term !== null) this.#endSearch();
    else if (key === "Escape") this.#zoomTo(0);
    else if (key === "Home") this.#focus(this.#zoom);
    else if (key === "ArrowRight") this.#step("next");
    else if (key === "ArrowLeft") this.#step("previous");
    else if (isUp || key === "ArrowDown")
      this.#step(isUp === this.#picture.hasRootsAbove ? "parent" : "child");
    else return false;
    return true;
  }

  // Whether the focus is on a box; elsewhere the space bar scrolls.
  #hasFocus(): boolean {
    return document.activeElement === this.#picture.elements[this.#current]?.group;
  }

  #step(step: FlameStep): void {
    const next = flameNeighbour(this.#picture.boxes, this.#current, step);
    const isShown =
      next !== null && this.#picture.elements[next]?.group.classList.contains("gone") === false;
    this.#focus(isShown ? next : this.#current);
  }

  // One box can be reached with Tab: the one that keys are about.
  #makeCurrent(ix: number): void {
    this.#picture.elements[this.#current]?.group.removeAttribute("tabindex");
    this.#current = ix;
    const group = this.#picture.elements[ix]?.group;
    group?.setAttribute("tabindex", "0");
    group?.setAttribute("role", "button");
  }

  #focus(ix: number): void {
    this.#makeCurrent(ix);
    this.#picture.elements[ix]?.group.focus();
  }

  #writeLink(how: "pushState" | "replaceState"): void {
    const path = pathText(this.#picture.boxes, this.#zoom);
    const parts: string[] = [];
    if (path !== "" && path.length <= LONGEST_LINK) parts.push(`zoom=${path}`);
    if (this.#term !== null && this.#term !== "")
      parts.push(`search=${encodeURIComponent(this.#term)}`);
    if (this.#ignoresCase) parts.push("case=ignore");
    try {
      history[how](null, "", `#${parts.join("&")}`);
    } catch {
      // A picture in another page may have no address of its own; nothing else depends on it.
    }
  }

  #readLink(): void {
    const parts = new Map(location.hash.slice(1).split("&").map(keyAndValue));
    const term = parts.get("search");
    this.#zoom = boxOfPath(this.#picture.boxes, parts.get("zoom") ?? "");
    this.#term = term === undefined ? null : decoded(term);
    this.#ignoresCase = parts.get("case") === "ignore";
    this.#makeCurrent(this.#zoom);
    this.#layOut();
  }
}

const root = document.documentElement;
if (root instanceof SVGSVGElement) new FlameGraph(root);
