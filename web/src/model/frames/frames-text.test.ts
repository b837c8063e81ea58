import assert from "node:assert/strict";
import test from "node:test";
import { NO_BUDGET, type LaneItem } from "../timeline/lanes";
import { callWords } from "../words";
import * as text from "./frames-text";

const BUDGET = 16_666_667;
const item = (kind: LaneItem["kind"], ms: number): LaneItem =>
  ({ kind, thread: 1, start: 0, end: ms * 1e6 }) as LaneItem;
const FRAMES = [item("frames", 10), item("frames", 20), item("frames", 17)];
const NONE = { count: 0, items: [] };
const ALL = { count: 3, items: FRAMES };
const CUT = { count: 9000, items: FRAMES };
const CALLS = callWords(false);
const EVERYWHERE = { hasRange: false, hasThreads: false };
const IN_RANGE = { hasRange: true, hasThreads: false };

const SENTENCES: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
  noItemsText: [
    [
      text.noItemsText("messages", NONE, EVERYWHERE, CALLS),
      "No messages: no main thread has calls of Handler.dispatchMessage.",
    ],
    // A range is not why a trace without frames has none.
    [
      text.noItemsText("frames", NONE, IN_RANGE, callWords(true)),
      "No frames: no main thread has runs of Choreographer.doFrame or ViewRoot.performTraversals.",
    ],
    [text.noItemsText("frames", ALL, IN_RANGE, CALLS), "No frames in this range."],
    [
      text.noItemsText("phases", ALL, { hasRange: true, hasThreads: true }, CALLS),
      "No start-up in this range and these threads.",
    ],
    [
      text.noItemsText("frames", CUT, { hasRange: false, hasThreads: true }, CALLS),
      "None of the 3 longest frames in these threads.",
    ],
  ],
  overText: [
    [text.overText("frames", FRAMES, BUDGET, false), "2 of 3 over 16.7 ms, 66.7 %"],
    [text.overText("frames", FRAMES, BUDGET, true), "2 of 3 runs of frames over 16.7 ms, 66.7 %"],
    [text.overText("frames", [], BUDGET, true), ""],
    [text.overText("phases", [item("phases", 20)], BUDGET, false), ""],
    [
      text.overText("frames", FRAMES, NO_BUDGET, false),
      "Without the wall clock nobody knows how long a frame took",
    ],
    [
      text.overText("messages", [item("messages", 20)], NO_BUDGET, false),
      "Without the wall clock nobody knows how long a message took",
    ],
  ],
  leftOutText: [
    [text.leftOutText(ALL), ""],
    // Those that are listed may be fewer: a range leaves some of them out.
    [text.leftOutText(CUT), "among the 3 longest of 9,000"],
  ],
};

for (const [name, rows] of Object.entries(SENTENCES))
  test(`what the tab Frames says is made of its lanes: ${name}`, () => {
    for (const [said, expected] of rows) assert.deepEqual(said, expected);
  });

test("each sentence of the tab Frames has its row above", () => {
  assert.deepEqual(Object.keys(text).sort(), Object.keys(SENTENCES).sort());
});
