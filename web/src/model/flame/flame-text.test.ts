import assert from "node:assert/strict";
import test from "node:test";
import { callWords } from "../words";
import { NO_PARENT, type FlameAnswer } from "./flame";
import * as text from "./flame-text";
import type { FlameFacts } from "./flame-text";

// A root of 60 ms of which 20 are its own, in a selection of 100 ms.
const FLAME: FlameAnswer = {
  total: 100e6,
  root: 60e6,
  dropped: 0,
  depths: 2,
  x: Float64Array.of(0, 0),
  value: Float64Array.of(60e6, 40e6),
  self: Float64Array.of(20e6, 40e6),
  rank: Uint32Array.of(5, 6),
  depth: Uint32Array.of(0, 1),
  parent: Uint32Array.of(NO_PARENT, 0),
  calls: Uint32Array.of(1, 1200),
};
const FACTS: FlameFacts = {
  measure: "wall",
  isInverted: false,
  zoomed: 0,
  words: callWords(false),
};

const lines = (ix: number, facts: Partial<FlameFacts>): string[] =>
  text
    .boxLines(FLAME, ix, { ...FACTS, ...facts })
    .map(({ name, text: value, note }) => `${name}: ${value}${note === "" ? "" : ` (${note})`}`);

const SENTENCES: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
  boxLines: [
    [lines(0, {}), ["Wall: 60.0 ms (60 % of all)", "exclusive: 20.0 ms", "calls: 1"]],
    [
      lines(1, { measure: "wait", words: callWords(true), zoomed: 3 }),
      ["Wait: 40.0 ms (40 % of all)", "exclusive: 40.0 ms", "runs: 1,200"],
    ],
    // Bottom up, the times and the calls are those of the method that the path began with.
    [
      lines(0, { isInverted: true, zoomed: 1 }),
      ["Wall: 60.0 ms (60 % of all, own time)", "as root: 20.0 ms", "calls: 1 (with own time)"],
    ],
    [
      lines(1, { isInverted: true, measure: "cpu" }),
      [
        "CPU: 40.0 ms (40 % of all, own time of the innermost method)",
        "as root: 40.0 ms",
        "calls: 1,200 (of the innermost method with own time)",
      ],
    ],
    // The box at the bottom is a caller where more than one method is zoomed to.
    [
      lines(0, { isInverted: true, zoomed: 2 })[0],
      "Wall: 60.0 ms (60 % of all, own time of the innermost method)",
    ],
  ],
  thinText: [
    [text.thinText(FLAME), ""],
    [text.thinText({ dropped: 1200 }), "1,200 too thin to draw"],
  ],
  widthText: [[text.widthText(FLAME, "wait"), "60.0 ms waiting time"]],
};

for (const [name, rows] of Object.entries(SENTENCES))
  test(`what the flame graph says is made of its numbers: ${name}`, () => {
    for (const [said, expected] of rows) assert.deepEqual(said, expected);
  });

test("each sentence of the flame graph has its row above", () => {
  assert.deepEqual(Object.keys(text).sort(), Object.keys(SENTENCES).sort());
});
