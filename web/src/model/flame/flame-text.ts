// What the flame graph says of a box and of itself; flame-text.test.ts holds each sentence.

import { formatCount, formatDuration, shareOfAll } from "../../base/format";
import type { Measure } from "../trace";
import { MEASURE_WORDS, type CallWords, type CardLine } from "../words";
import type { FlameAnswer } from "./flame";

export interface FlameFacts {
  readonly measure: Measure;
  readonly isInverted: boolean;
  // How many methods the path has that is zoomed to.
  readonly zoomed: number;
  readonly words: CallWords;
}

// The numbers of a box. Bottom up, a box has the own time of the innermost method, as far as this path called it, and that
// method's calls; what goes no further out is the box's own.
export function boxLines(answer: FlameAnswer, ix: number, facts: FlameFacts): readonly CardLine[] {
  const { measure, isInverted, zoomed, words } = facts;
  const value = answer.value[ix] ?? 0;
  const self = answer.self[ix] ?? 0;
  const calls = answer.calls[ix] ?? 0;
  const isInnermost = answer.depth[ix] === 0 && zoomed < 2;
  const of = isInnermost ? "" : "of the innermost method";
  const share = shareOfAll(value, answer.total);
  return [
    {
      name: MEASURE_WORDS[measure].label,
      text: formatDuration(value),
      note: isInverted
        ? [share, `own time ${of}`.trimEnd()].filter((part) => part !== "").join(", ")
        : share,
    },
    { name: isInverted ? "as root" : "exclusive", text: formatDuration(self), note: "" },
    {
      name: words.many,
      text: formatCount(calls),
      note: isInverted ? `${of} with own time`.trimStart() : "",
    },
  ];
}

// Empty where every box is drawn.
export function thinText({ dropped }: Pick<FlameAnswer, "dropped">): string {
  return dropped === 0 ? "" : `${formatCount(dropped)} too thin to draw`;
}

// What the width of the graph is.
export function widthText({ root }: Pick<FlameAnswer, "root">, measure: Measure): string {
  return `${formatDuration(root)} ${MEASURE_WORDS[measure].word}`;
}
