// The flame graph of what changed since an older trace: the boxes of one side, each with what it has on both, coloured by
// how much more (orange) or less (blue) that is of the largest change. A box that did not change is grey.

import { formatCount, formatDuration, formatShare, plural, signOf } from "../../base/format";
import { NO_PARENT, type FlameBoxes } from "../flame/flame";
import type { Palette, Shade } from "../colour";
import { shortName } from "../names";
import { matcherOf } from "../text-pattern";
import type { Measure, Method } from "../trace";
import type { CallWords, CardLine } from "../words";
import { basedText, signedTime } from "./changes";

// Which boxes are drawn, and what their widths are.
export const CHANGE_VIEWS = ["new", "old", "gone"] as const;
export type ChangeView = (typeof CHANGE_VIEWS)[number];

export interface FlameChoice {
  readonly view: ChangeView;
  // Colours follow the share of all instead of the time.
  readonly isByShare: boolean;
}

const IN_OLD = 1;
const IN_NEW = 2;
// From here on ranks are of names that this trace has no method of.
const OF_OTHERS = 0x80000000;

// The answer of the route flamediff. A rank is that of a method of the trace that is shown, or one of `names`.
export interface ChangeFlame extends FlameBoxes {
  readonly measure: Measure;
  readonly oldTotal: number;
  readonly newTotal: number;
  // The largest change of a box: a time, or a share of all.
  readonly most: number;
  readonly goneTime: number;
  readonly goneCount: number;
  readonly addedCount: number;
  readonly dropped: number;
  readonly depths: number;
  readonly oldTime: Float64Array;
  readonly newTime: Float64Array;
  // -1, all less, to 1, all more.
  readonly change: Float64Array;
  readonly oldCalls: Uint32Array;
  readonly newCalls: Uint32Array;
  readonly sides: Uint8Array;
  // By rank.
  readonly names: ReadonlyMap<number, Method>;
}

// Frames are named "class.method"; the root is "all".
function methodOf(rank: number, text: string): Method {
  const cut = text.lastIndexOf(".");
  return {
    rank,
    id: "",
    method: text,
    class: cut < 0 ? "" : text.slice(0, cut),
    name: text.slice(cut + 1),
    signature: "",
    file: "",
    line: 0,
  };
}

// A name of a frame as it is told where there is little room.
export function frameName(text: string): string {
  return shortName(methodOf(0, text));
}

// Ranks of boxes and the names of ranks, from the names of an answer and the methods that stand for them (NO_PARENT: none).
export function namedBoxes(
  nameOfBox: Uint32Array,
  texts: readonly string[],
  methods: Uint32Array,
): { readonly rank: Uint32Array; readonly names: ReadonlyMap<number, Method> } {
  const ranks = texts.map((_, ix) => {
    const method = methods[ix] ?? NO_PARENT;
    return method === NO_PARENT ? OF_OTHERS + ix : method;
  });
  return {
    rank: nameOfBox.map((name) => ranks[name] ?? OF_OTHERS),
    names: new Map(texts.map((text, ix) => [ranks[ix] ?? 0, methodOf(ranks[ix] ?? 0, text)])),
  };
}

// Whether the trace that is shown has a method of the rank.
export function isOfTrace(rank: number): boolean {
  return rank < OF_OTHERS;
}

// Whether the box stands for something that the other side does not have.
export function isAlone({ sides }: ChangeFlame, ix: number, view: ChangeView): boolean {
  const other = view === "new" ? IN_OLD : IN_NEW;
  return ((sides[ix] ?? 0) & other) === 0;
}

// The names from the outermost method to a box, as the graph is zoomed by. `above`: those to the box that it is zoomed to,
// which is its lowest.
export function changePath(flame: ChangeFlame, ix: number, above: readonly string[]): string[] {
  const names: string[] = [];
  for (let box = ix; box !== NO_PARENT && (flame.depth[box] ?? 0) > 0;) {
    names.push(flame.names.get(flame.rank[box] ?? 0)?.method ?? "");
    box = flame.parent[box] ?? NO_PARENT;
  }
  return [...above, ...names.reverse()];
}

// What a search found, with names that only the other trace has.
export function withOthers(
  flame: ChangeFlame,
  matches: ReadonlySet<number> | null,
  search: string,
): ReadonlySet<number> | null {
  if (matches === null) return null;
  const isFound = matcherOf(search);
  const others = [...flame.names].flatMap(([rank, { method }]) =>
    !isOfTrace(rank) && isFound(method) ? [rank] : [],
  );
  return others.length === 0 ? matches : new Set([...matches, ...others]);
}

// --- colours ---

type Rgb = readonly [number, number, number];

// Steps from the colour of no change to that of the largest one.
const CHANGE_STEPS = 32;

// Of light pages as `traceview flame --diff` has them.
const COLOURS: Record<Shade, { readonly same: Rgb; readonly more: Rgb; readonly less: Rgb }> = {
  light: { same: [224, 226, 230], more: [245, 130, 32], less: [70, 145, 235] },
  dark: { same: [66, 71, 82], more: [240, 140, 50], less: [90, 155, 240] },
};
const DARK_INK = "#0d1016";
const LIGHT_INK = "#ffffff";

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

// Whichever of both inks differs more from the colour.
function inkOn(colour: Rgb): string {
  const light = luminance(colour);
  return (light + 0.05) / 0.055 >= 1.05 / (light + 0.05) ? DARK_INK : LIGHT_INK;
}

// From the largest shrinking to the largest growth, with no change in the middle.
export function changePalette(shade: Shade): Palette {
  const { same, more, less } = COLOURS[shade];
  const fills: string[] = [];
  const inks: string[] = [];
  for (let step = -CHANGE_STEPS; step <= CHANGE_STEPS; step++) {
    const to = step > 0 ? more : less;
    const part = Math.abs(step) / CHANGE_STEPS;
    const colour: Rgb = [
      Math.round(same[0] + (to[0] - same[0]) * part),
      Math.round(same[1] + (to[1] - same[1]) * part),
      Math.round(same[2] + (to[2] - same[2]) * part),
    ];
    fills.push(`rgb(${colour.join(",")})`);
    inks.push(inkOn(colour));
  }
  return { fills, inks };
}

// The place of a change in the palette.
export function changeIndex(change: number): number {
  const size = Math.min(CHANGE_STEPS, Math.round(Math.abs(change) * CHANGE_STEPS));
  return CHANGE_STEPS + (change < 0 ? -size : size);
}

// --- words ---

// What the strongest colours stand for: "12.3 ms", "3.2 % of all". Empty where nothing changed.
export function scaleText({ most }: ChangeFlame, { isByShare }: FlameChoice): string {
  if (most <= 0) return "";
  return isByShare ? `${(most * 100).toFixed(1)} % of all` : formatDuration(most);
}

// What the sides are called: two traces, or two calls of one.
export interface SideWords {
  readonly of: "traces" | "calls";
  readonly old: string;
  readonly new: string;
  readonly gone: string;
  // Of a side that has no such stack.
  readonly noOld: string;
  readonly noNew: string;
  readonly goneText: string;
  readonly nothingGone: string;
}

export const SIDES_OF_TRACES: SideWords = {
  of: "traces",
  old: "Old",
  new: "New",
  gone: "Gone",
  noOld: "the old trace has no such stack",
  noNew: "the new trace has no such stack",
  goneText: "gone",
  nothingGone: "Nothing is gone: the new trace has each stack that took time in the old one.",
};

export const SIDES_OF_CALLS: SideWords = {
  of: "calls",
  old: "Other",
  new: "This",
  gone: "Other alone",
  noOld: "the other call has no such stack",
  noNew: "this call has no such stack",
  goneText: "none",
  nothingGone: "This call has each stack that took time in the other one.",
};

// "12 boxes are new, 3 are gone (1.2 ms)"
export function boxesText(
  { addedCount, goneCount, goneTime }: ChangeFlame,
  words: SideWords = SIDES_OF_TRACES,
): string {
  const boxes = plural(addedCount, "box", "boxes");
  const are = (count: number): string => (count === 1 ? "is" : "are");
  const isOfCalls = words.of === "calls";
  const added = `${boxes} ${are(addedCount)} ${isOfCalls ? "of this call alone" : "new"}`;
  const what = isOfCalls ? "of the other one alone" : "gone";
  const gone = `${formatCount(goneCount)} ${are(goneCount)} ${what}`;
  return `${added}, ${gone}${goneCount > 0 ? ` (${formatDuration(goneTime)})` : ""}`;
}

function sideLine(name: string, time: number, calls: number, words: CallWords): CardLine {
  const counted = calls === 0 ? "" : plural(calls, words.one, words.many);
  return { name, text: formatDuration(time), note: counted };
}

function shareLine(
  now: number,
  before: number,
  { newTotal, oldTotal }: ChangeFlame,
  { of }: SideWords,
): CardLine {
  const [was, is] = of === "calls" ? ["in the other call", "in this one"] : ["before", "now"];
  const points = newTotal > 0 && oldTotal > 0 ? (now / newTotal - before / oldTotal) * 100 : 0;
  return {
    name: "Share",
    text: `${signOf(points)}${Math.abs(points).toFixed(1)} %`,
    note: `of all: ${formatShare(before, oldTotal)} ${was}, ${formatShare(now, newTotal)} ${is}`,
  };
}

// The numbers of a box, and its change with what it is a change of.
export function changeLines(
  flame: ChangeFlame,
  ix: number,
  { view, isByShare }: FlameChoice,
  words: CallWords,
  of: SideWords = SIDES_OF_TRACES,
): readonly CardLine[] {
  const now = flame.newTime[ix] ?? 0;
  const before = flame.oldTime[ix] ?? 0;
  const sides = flame.sides[ix] ?? 0;
  const none = { name: of.new, text: of.goneText, note: of.noNew };
  const old = sideLine(of.old, before, flame.oldCalls[ix] ?? 0, words);
  if (view === "gone")
    return (sides & IN_NEW) === 0
      ? [old, none]
      : [{ name: of.gone, text: formatDuration(before), note: "of what it called" }];
  const own = sideLine(of.new, now, flame.newCalls[ix] ?? 0, words);
  if ((sides & IN_OLD) === 0) return [own, { name: of.old, text: "none", note: of.noOld }];
  if ((sides & IN_NEW) === 0) return [old, none];
  const change = {
    name: "Change",
    text: signedTime(now - before),
    note: basedText(now, before),
  };
  return isByShare ? [own, old, change, shareLine(now, before, flame, of)] : [own, old, change];
}
