// A method between two graphs of one width: its callers above it, its callees below it, both by the inclusive time of its
// outermost calls.

import { formatCount, formatDuration, formatShare, shareOfAll } from "../../base/format";
import type { Measure } from "../trace";
import { MEASURE_WORDS, type CallWords, type CardLine } from "../words";
import { NO_PARENT, type FlameAnswer } from "./flame";

// How the graph of this trace is laid out, besides whether it is inverted.
export interface FlameView {
  readonly isSandwich: boolean;
  // The method between the graphs; null: the selected one.
  readonly middle: number | null;
  // Siblings stand as they were first called, not the largest first.
  readonly isInTime: boolean;
}

export const PLAIN_FLAME: FlameView = { isSandwich: false, middle: null, isInTime: false };

// Boxes as of a flame graph: first that of the method, then those of callers, whose parent is the box below them, then those of
// callees.
export interface Sandwich extends FlameAnswer {
  // The depth of the method's box, which the callers' boxes are above.
  readonly bottom: number;
  readonly firstCallee: number;
}

// The graph that ends with the method, turned upside down, and the one that begins with it, as one. Both begin with the method's
// box. Without such a box (a hidden method, one that was not called) there is none.
export function sandwichOf(rank: number, above: FlameAnswer, below: FlameAnswer): Sandwich {
  const isThere = above.rank[0] === rank && below.rank[0] === rank;
  const callers = isThere ? above.x.length : 0;
  const callees = isThere ? below.x.length - 1 : 0;
  const bottom = isThere ? above.depths - 1 : 0;
  // The place of a box of each graph among the boxes of both.
  const ofBelow = (ix: number): number => (ix === 0 ? 0 : callers - 1 + ix);
  const floats = (of: (answer: FlameAnswer) => Float64Array): Float64Array => {
    const joined = new Float64Array(callers + callees);
    joined.set(of(above).subarray(0, callers));
    joined.set(of(below).subarray(1, callees + 1), callers);
    return joined;
  };
  const whole = (ofCaller: (ix: number) => number, ofCallee: (ix: number) => number): Uint32Array =>
    Uint32Array.from({ length: callers + callees }, (_, ix) =>
      ix < callers ? ofCaller(ix) : ofCallee(ix - callers + 1),
    );
  const self = floats((answer) => answer.self);
  if (isThere) self[0] = below.self[0] ?? 0;
  return {
    root: isThere ? above.root : 0,
    total: above.total,
    dropped: above.dropped + below.dropped,
    depths: isThere ? bottom + below.depths : 0,
    bottom,
    firstCallee: callers,
    x: floats((answer) => answer.x),
    value: floats((answer) => answer.value),
    self,
    rank: whole(
      (ix) => above.rank[ix] ?? 0,
      (ix) => below.rank[ix] ?? 0,
    ),
    calls: whole(
      (ix) => above.calls[ix] ?? 0,
      (ix) => below.calls[ix] ?? 0,
    ),
    depth: whole(
      (ix) => bottom - (above.depth[ix] ?? 0),
      (ix) => bottom + (below.depth[ix] ?? 0),
    ),
    parent: whole(
      (ix) => above.parent[ix] ?? NO_PARENT,
      (ix) => ofBelow(below.parent[ix] ?? 0),
    ),
  };
}

// Whether the method stands in its own callees: then no path says which calls a box has.
export function isRecursive({ rank, firstCallee }: Sandwich): boolean {
  return rank.slice(firstCallee).includes(rank[0] ?? 0);
}

export function sandwichLines(
  sandwich: Sandwich,
  ix: number,
  measure: Measure,
  words: CallWords,
): readonly CardLine[] {
  const value = sandwich.value[ix] ?? 0;
  const self = sandwich.self[ix] ?? 0;
  const calls = formatCount(sandwich.calls[ix] ?? 0);
  const { label } = MEASURE_WORDS[measure];
  const ofMiddle = `${formatShare(value, sandwich.root)} of the middle`;
  if (ix > 0 && ix < sandwich.firstCallee)
    return [
      { name: label, text: formatDuration(value), note: `${ofMiddle}, called this way` },
      { name: words.many, text: calls, note: "of the middle" },
    ];
  const share = ix > 0 ? ofMiddle : shareOfAll(value, sandwich.total);
  return [
    { name: label, text: formatDuration(value), note: share },
    { name: "exclusive", text: formatDuration(self), note: "" },
    { name: words.many, text: calls, note: ix === 0 ? "not from within itself" : "" },
  ];
}
