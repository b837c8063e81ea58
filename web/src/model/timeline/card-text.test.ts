import assert from "node:assert/strict";
import test from "node:test";
import type { CallDetail, Method } from "../trace";
import { callWords } from "../words";
import { BOX_ADOPTED, BOX_OMITS, BOX_OPEN_AT_END, BOX_WAITING } from "./boxes";
import * as text from "./card-text";
import type { CardLine } from "../words";
import type { CallReference } from "./call-reference";
import type { LaneItem } from "./lanes";

const CALLS = callWords(false);
const RUNS = callWords(true);
const METHOD = { method: "a.B.run()V", class: "a.B", name: "run", signature: "()V" } as Method;

const BOTH = { clocks: ["wall", "cpu"], axis: "wall", sampled: false } as const;
const CPU = { clocks: ["cpu"], axis: "cpu", sampled: false } as const;
const CALL = {
  rank: 3,
  thread: 1,
  start: 10e6,
  end: 20e6,
  times: { wall: 10e6, cpu: 4e6, wait: 6e6 },
  exclusive: { wall: 2e6, cpu: 1e6 },
  ordinal: 0,
  of: 14,
  isWaiting: false,
} as unknown as CallDetail;
const WHOLE: CallReference = {
  rank: 3,
  thread: 1,
  measure: "cpu",
  median: 1e6,
  range: null,
  hasThreads: false,
  hasLens: false,
  ofThread: { wall: 100e6, cpu: 8e6 },
};

const FRAME: LaneItem = {
  kind: "frames",
  number: 2,
  thread: 1,
  depth: 5,
  call: 0,
  start: 100e6,
  end: 120e6,
  cpu: 8e6,
  isOpenAtEnd: false,
  isAdopted: false,
  name: "",
  method: null,
  measure: 1e6,
  layout: undefined,
  draw: 4e6,
  rest: 15e6,
};
const MESSAGE: LaneItem = { ...FRAME, kind: "messages", method: METHOD };
const PHASE: LaneItem = { ...FRAME, kind: "phases", name: "first frame" };
const ELSEWHERE: LaneItem = { ...FRAME, thread: 2 };
const MARK = { from: 100e6, to: 150e6, text: "", call: null };

const lines = (of: readonly CardLine[]): string[] =>
  of.map(
    ({ name, text: value, note = "" }) => `${name}: ${value}${note === "" ? "" : ` (${note})`}`,
  );

// What the cards say, beside what they say it of.
const SENTENCES: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
  thinText: [
    [text.thinText(1, CALLS), ""],
    [text.thinText(1200, CALLS), "1,200 calls in less than a pixel; the longest:"],
    [text.thinText(2, RUNS), "2 runs in less than a pixel; the longest:"],
  ],
  boxLines: [
    [lines(text.boxLines(5e6, "wall")), ["wall: 5.00 ms"]],
    [lines(text.boxLines(5e6, "cpu")), ["CPU: 5.00 ms"]],
  ],
  callLines: [
    [
      lines(text.callLines(CALL, BOTH, null)),
      [
        "wall: 10.0 ms",
        "CPU: 4.00 ms",
        "wait: 6.00 ms",
        "exclusive: 2.00 ms (wall time)",
        "call: 1 of 14",
      ],
    ],
    [
      lines(text.callLines({ ...CALL, unrecorded: 5e6 }, BOTH, null))[2],
      "wait: 6.00 ms (5.00 ms of that not recorded)",
    ],
    [
      lines(text.callLines({ ...CALL, isWaiting: true }, { ...BOTH, sampled: true }, WHOLE)),
      [
        "wall: 10.0 ms (10 % of the thread)",
        "CPU: 4.00 ms (50 % of the thread)",
        "wait: 6.00 ms (waiting itself)",
        "exclusive: 2.00 ms (wall time)",
        "run: 1 of 14 (4.0× the median CPU time)",
      ],
    ],
    // One clock is named once, and no wait is told.
    [
      lines(text.callLines({ ...CALL, times: { cpu: 4e6 }, exclusive: { cpu: 1e6 } }, CPU, null)),
      ["CPU: 4.00 ms", "exclusive: 1.00 ms", "call: 1 of 14"],
    ],
    // The clocks tick apart.
    [lines(text.callLines({ ...CALL, times: { wait: -1e3 } }, BOTH, null))[0], "wait: 0"],
  ],
  oddText: [
    [text.oddText(BOX_WAITING, CALLS), ""],
    [
      text.oddText(BOX_OPEN_AT_END | BOX_ADOPTED | BOX_OMITS, CALLS),
      " · still open at the end · began before the trace · calls of hidden packages are left out",
    ],
    [text.oddText(BOX_OMITS, RUNS), " · runs of hidden packages are left out"],
  ],
  laneTitle: [
    [text.laneTitle(FRAME, { count: 3, items: [FRAME, FRAME, FRAME] }), "Frame 2 of 3"],
    // Another process has frames of its own, and short frames may not have been told.
    [text.laneTitle(FRAME, { count: 3, items: [FRAME, FRAME, ELSEWHERE] }), "Frame 2 of 2"],
    [text.laneTitle(FRAME, { count: 9000, items: [FRAME, FRAME] }), "Frame 2 of the 2 longest"],
    [text.laneTitle(FRAME, null), "Frame 2"],
    [text.laneTitle(MESSAGE, null), "a.B.run"],
    [text.laneTitle({ ...MESSAGE, method: null }, null), "Message"],
    [text.laneTitle(PHASE, null), "first frame"],
    // Cut by the recording, each says so.
    [text.laneTitle({ ...FRAME, isOpenAtEnd: true }, null), "Frame 2 (still open)"],
    [text.laneTitle({ ...PHASE, isAdopted: true }, null), "first frame (began before)"],
    [
      text.laneTitle({ ...MESSAGE, isAdopted: true, isOpenAtEnd: true }, null),
      "a.B.run (began before, still open)",
    ],
  ],
  laneLines: [
    [
      lines(text.laneLines(FRAME, "wall")),
      ["wall: 20.0 ms", "CPU: 8.00 ms", "measure: 1.00 ms", "draw: 4.00 ms", "other: 15.0 ms"],
    ],
    // Without a wall clock its time is CPU time, and is told once; what is all other has no parts.
    [
      lines(text.laneLines({ ...FRAME, measure: undefined, draw: undefined, rest: 20e6 }, "cpu")),
      ["CPU: 20.0 ms"],
    ],
  ],
  lateText: [
    [text.lateText(FRAME, 16_666_667), "3.33 ms over the budget of 16.7 ms"],
    [text.lateText(FRAME, 33_333_333), ""],
    [text.lateText(PHASE, 16_666_667), ""],
  ],
  markTitle: [
    [text.markTitle({ ...MARK, text: "jank" }, []), "jank"],
    [text.markTitle(MARK, [{ ...MARK, text: "jank" }, MARK]), "Mark 2"],
  ],
  markText: [[text.markText(MARK), "100 – 150 ms · 50.0 ms"]],
};

for (const [name, rows] of Object.entries(SENTENCES))
  test(`what the cards say is made of what they are about: ${name}`, () => {
    for (const [said, expected] of rows) assert.deepEqual(said, expected);
  });

test("each sentence of the cards has its row above", () => {
  assert.deepEqual(Object.keys(text).sort(), Object.keys(SENTENCES).sort());
});
