// A flame graph as `traceview flame` draws it: its boxes from the left, a box before those on top of it. What the script
// of such a picture works out without looking at the document.

import { nameForms } from "../names";
import { matchedValue, NO_PARENT, type FlameBoxes } from "./flame";

export interface PictureBoxes extends FlameBoxes {
  // By rank.
  readonly names: readonly string[];
}

interface PictureRow {
  readonly level: number;
  readonly start: number;
  readonly value: number;
  readonly name: string;
}

export function pictureBoxes(rows: readonly PictureRow[]): PictureBoxes {
  const ranks = new Map<string, number>();
  const parent = new Uint32Array(rows.length);
  const open: number[] = []; // the last box of each level
  rows.forEach((row, ix) => {
    if (!ranks.has(row.name)) ranks.set(row.name, ranks.size);
    parent[ix] = row.level > 0 ? (open[row.level - 1] ?? NO_PARENT) : NO_PARENT;
    open[row.level] = ix;
  });
  return {
    root: rows[0]?.value ?? 0,
    x: Float64Array.from(rows, (row) => row.start),
    value: Float64Array.from(rows, (row) => row.value),
    rank: Uint32Array.from(rows, (row) => ranks.get(row.name) ?? 0),
    depth: Uint32Array.from(rows, (row) => row.level),
    parent,
    names: [...ranks.keys()],
  };
}

// "name" of the tooltip "name (12.3 ms, 4.56%)".
export function nameOfTooltip(tooltip: string): string {
  const cut = tooltip.lastIndexOf(" (");
  return cut < 0 ? tooltip : tooltip.slice(0, cut);
}

// Where the boxes on top of a box end in the list.
function endOfBox(boxes: FlameBoxes, ix: number): number {
  const level = boxes.depth[ix] ?? 0;
  let end = ix + 1;
  while (end < boxes.x.length && (boxes.depth[end] ?? 0) > level) end += 1;
  return end;
}

// Where boxes stand when one of them is as wide as the picture, as shares of that width. Boxes that are not shown have
// no width; those below it are as wide as it is.
interface Zoomed {
  readonly left: Float64Array;
  readonly width: Float64Array;
}

export function zoomTo(boxes: FlameBoxes, ix: number): Zoomed {
  const left = new Float64Array(boxes.x.length);
  const width = new Float64Array(boxes.x.length);
  const from = boxes.x[ix] ?? 0;
  const value = boxes.value[ix] ?? 0;
  const end = endOfBox(boxes, ix);
  for (let above = ix; value > 0 && above < end; above++) {
    left[above] = ((boxes.x[above] ?? 0) - from) / value;
    width[above] = (boxes.value[above] ?? 0) / value;
  }
  for (let below = boxes.parent[ix]; below !== undefined && below !== NO_PARENT;) {
    width[below] = 1;
    below = boxes.parent[below];
  }
  return { left, width };
}

// The share of a box that boxes of the ranks cover, with those on top of each other counted once.
export function matchedShare(boxes: FlameBoxes, ranks: ReadonlySet<number>, ix: number): number {
  const value = boxes.value[ix] ?? 0;
  return value > 0 ? matchedValue(boxes, ranks, ix, endOfBox(boxes, ix)) / value : 0;
}

// The ranks whose names match; null where the term is no regular expression.
export function ranksThatMatch(
  boxes: PictureBoxes,
  term: string,
  ignoresCase: boolean,
): ReadonlySet<number> | null {
  try {
    const expression = new RegExp(term, ignoresCase ? "i" : "");
    return new Set(boxes.names.flatMap((name, rank) => (expression.test(name) ? [rank] : [])));
  } catch {
    return null;
  }
}

// A Java class as a path of packages and a name with a capital letter, and a method behind it: other names are only cut.
const JAVA_METHOD = /^((?:[^.#/]+[./])*[A-Z][^.#/]*)[.#]([^.#/]+)$/;

// The ways to write a name, the longest first.
export function labelForms(name: string): readonly string[] {
  const parts = JAVA_METHOD.exec(name);
  if (parts === null) return [name];
  const method = { class: parts[1] ?? "", name: parts[2] ?? "", method: name };
  return [name, ...nameForms(method)];
}

// The ordinal of a box among the boxes of its name on the same box: in order of time there are several.
function ordinalOf(boxes: FlameBoxes, ix: number): number {
  let ordinal = 0;
  for (
    let other = ix - 1;
    other >= 0 && (boxes.depth[other] ?? 0) >= (boxes.depth[ix] ?? 0);
    other--
  )
    if (boxes.parent[other] === boxes.parent[ix] && boxes.rank[other] === boxes.rank[ix])
      ordinal += 1;
  return ordinal;
}

const escapeName = (name: string): string => encodeURIComponent(name).replaceAll("~", "%7E");

// The names from the root to a box, as a link has them: it holds when numbers change, and where boxes stand with them.
export function pathText(boxes: PictureBoxes, ix: number): string {
  const steps: string[] = [];
  for (let box = ix; box !== NO_PARENT && (boxes.depth[box] ?? 0) > 0;) {
    const ordinal = ordinalOf(boxes, box);
    const name = escapeName(boxes.names[boxes.rank[box] ?? 0] ?? "");
    // A step is never empty, as a link without a path would lead to a box without a name.
    steps.push(ordinal === 0 && name !== "" ? name : `${name}~${ordinal}`);
    box = boxes.parent[box] ?? NO_PARENT;
  }
  return steps.reverse().join("/");
}

function childOfName(boxes: PictureBoxes, parent: number, step: string): number | null {
  const [name = "", ordinal = "0"] = step.split("~");
  let left = Number(ordinal);
  const end = endOfBox(boxes, parent);
  for (let ix = parent + 1; ix < end; ix++) {
    const isMeant =
      boxes.parent[ix] === parent && escapeName(boxes.names[boxes.rank[ix] ?? 0] ?? "") === name;
    if (isMeant && left === 0) return ix;
    if (isMeant) left -= 1;
  }
  return null;
}

// The box of a path, or as far as the picture has its boxes.
export function boxOfPath(boxes: PictureBoxes, path: string): number {
  let box = 0;
  if (path === "") return box;
  for (const step of path.split("/")) {
    const next = childOfName(boxes, box, step);
    if (next === null) return box;
    box = next;
  }
  return box;
}
