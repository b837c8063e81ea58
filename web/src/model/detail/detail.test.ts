import assert from "node:assert/strict";
import { test } from "node:test";
import * as text from "./detail";
import type { Detail, SubjectKind } from "./detail";
import type { Method } from "../trace";
import { callWords } from "../words";

const method = (name: string): Method => ({
  rank: 0,
  id: "0x4",
  method: name,
  class: "",
  name,
  signature: "",
  file: "",
  line: 0,
});

const WORDS = callWords(false);
const RUNS = callWords(true);

test("the trace is looked at where no range is", () => {
  const none = { hasCall: false, hasMethod: false, hasRange: false, hasThread: false };
  assert.deepEqual(text.subjectsOf(none), ["trace"]);
  assert.deepEqual(text.subjectsOf({ ...none, hasCall: true, hasMethod: true, hasRange: true }), [
    "call",
    "method",
    "range",
  ]);
});

test("the copied text names what was waited for", () => {
  const row = { calls: 2, exclusive: {}, passedOn: 0, longest: null };
  const detail: Detail = {
    total: {},
    calls: 1,
    inclusive: { wall: 104e6, cpu: 78e6, wait: 26e6 },
    exclusive: { wall: 20e3 },
    self: { wall: 15e3 },
    parts: [{ ...row, method: method("compact"), inclusive: { wall: 102e6, cpu: 76e6 }, wait: 0 }],
    moreParts: 0,
    path: [],
    waits: [{ ...row, method: method("sleep"), inclusive: { wall: 26e6 }, wait: 26e6 }],
    idle: 0,
    moreWaits: { methods: 0, ns: 0 },
    smallWaits: { methods: 0, ns: 0 },
    hiddenWait: 0,
    unrecorded: 0,
  };
  assert.deepEqual(text.detailText("load", detail, "call", "wall", (of) => of.name).split("\n"), [
    "load",
    "wall 104 ms, CPU 78.0 ms, wait 26.0 ms; exclusive wall 15.0 µs",
    "Waited 26.0 ms: sleep 26.0 ms.",
    "Inside, wall time:",
    "  102 ms compact",
  ]);
  // The lists were sorted, and the path found, on the clock in use.
  const byCpu = text.detailText("load", detail, "call", "cpu", (of) => of.name).split("\n");
  assert.deepEqual(byCpu.slice(3), ["Inside, CPU time:", "  76.0 ms compact"]);
  // A recursive method has own code below its outermost calls, too.
  assert.deepEqual(text.ownTimes(detail, "method"), { wall: 20e3 });
  assert.match(
    text.detailText("load", detail, "method", "wall", (of) => of.name),
    /exclusive wall 20\.0 µs/,
  );
});

// What the details say, beside the numbers that it is made of.
const NONE = { methods: 0, ns: 0 };
const PLAIN: Detail = {
  total: {},
  calls: 1,
  inclusive: { wall: 100e6, cpu: 30e6, wait: 70e6 },
  exclusive: { wall: 10e6, cpu: 4e6 },
  self: { wall: 10e6, cpu: 4e6 },
  parts: [],
  moreParts: 0,
  path: [],
  waits: [],
  idle: 0,
  moreWaits: NONE,
  smallWaits: NONE,
  hiddenWait: 0,
  unrecorded: 0,
};
const ROW = {
  method: method("sleep"),
  calls: 2,
  inclusive: { wall: 60e6, cpu: 0, wait: 60e6 },
  exclusive: { wall: 5e6 },
  ...{ passedOn: 0, longest: null, wait: 60e6 },
};
const HIDDEN = { inclusive: { wait: 669e6 } };
const LONGEST = { thread: 1, depth: 0, call: 0, start: 0, end: 60e6 };

const SENTENCES: Readonly<
  Record<string, readonly (readonly [Partial<Detail>, (detail: Detail) => unknown, unknown])[]>
> = {
  waitHeading: [
    [{}, text.waitHeading, "Waited 70.0 ms"],
    // No method has a row, and calls waited all the same.
    [{ smallWaits: { methods: 200, ns: 70e6 } }, text.waitHeading, "Waited 70.0 ms"],
    [
      { inclusive: { wall: 30e6, cpu: 30e6, wait: 0 } },
      text.waitHeading,
      "No wait in sum: CPU time is as long as wall time",
    ],
    [
      { inclusive: { wall: 3e6, cpu: 8e6, wait: 0 } },
      text.waitHeading,
      "No wait in sum: CPU time is longer than wall time",
    ],
  ],
  waitText: [
    [
      { waits: [ROW] },
      (detail) => text.waitText(detail, () => "Thread.sleep"),
      "Waited 70.0 ms: Thread.sleep 60.0 ms.",
    ],
  ],
  waitRests: [
    [{ waits: [ROW] }, text.waitRests, []],
    [
      { hiddenWait: 70e6, smallWaits: { methods: 349, ns: 1e6 } },
      text.waitRests,
      ["70.0 ms in hidden packages"],
    ],
    // Three large waits in hidden code are no small waits.
    [{ ...HIDDEN, hiddenWait: 669e6 }, text.waitRests, ["669 ms in hidden packages"]],
    [
      { moreWaits: { methods: 3, ns: 20e6 }, smallWaits: { methods: 9, ns: 2e6 } },
      text.waitRests,
      ["20.0 ms in 3 more methods", "2.00 ms in 9 methods of less than 1 % each"],
    ],
    [
      { moreWaits: { methods: 1, ns: 20e6 }, smallWaits: { methods: 1, ns: 2e6 } },
      text.waitRests,
      ["20.0 ms in 1 more method", "2.00 ms in 1 method of less than 1 %"],
    ],
  ],
  selfOn: [
    [{}, (detail) => text.selfOn(detail, "wall"), 10e6],
    [{}, (detail) => text.selfOn(detail, "wait"), 6e6],
    [{ self: { wall: 90e6, cpu: 0 } }, (detail) => text.selfOn(detail, "wait"), 70e6],
    [{ self: { wall: 1e6, cpu: 2e6 } }, (detail) => text.selfOn(detail, "wait"), 0],
    [{ self: { cpu: 2e6 } }, (detail) => text.selfOn(detail, "wait"), 0],
  ],
  selfText: [
    [{}, (detail) => text.selfText(detail, "call", "wall", WORDS), "its own code"],
    [{}, (detail) => text.selfText(detail, "trace", "wall", WORDS), "hidden packages"],
    [{ self: {} }, (detail) => text.selfText(detail, "trace", "wall", WORDS), ""],
    [
      { exclusive: { wall: 15e6, cpu: 5e6 } },
      (detail) => text.selfText(detail, "method", "wall", WORDS),
      "its own code, outermost calls",
    ],
    [
      { exclusive: { wall: 15e6, cpu: 5e6 } },
      (detail) => text.selfText(detail, "method", "cpu", RUNS),
      "its own code, outermost runs",
    ],
    [
      { exclusive: { wall: 15e6, cpu: 5e6 } },
      (detail) => text.selfText(detail, "method", "wait", WORDS),
      "its own code",
    ],
  ],
  noPartsText: [
    [{}, (detail) => text.noPartsText(detail, "call", "wall"), ""],
    [
      { self: {} },
      (detail) => text.noPartsText(detail, "call", "wall"),
      "It called nothing that took wall time.",
    ],
    [
      { self: { wall: 10e6, cpu: 10e6 } },
      (detail) => text.noPartsText(detail, "method", "wait"),
      "It called nothing that waited.",
    ],
    [{ self: {} }, (detail) => text.noPartsText(detail, "range", "cpu"), "Nothing took CPU time."],
  ],
  morePartsText: [
    [{}, text.morePartsText, ""],
    [{ moreParts: 1 }, text.morePartsText, "and 1 more method"],
    [{ moreParts: 3 }, text.morePartsText, "and 3 more methods"],
  ],
  processorText: [
    [{}, text.processorText, "30 % of the wall time on a processor"],
    // The clocks tick apart.
    [
      { inclusive: { wall: 100, cpu: 103 } },
      text.processorText,
      "100 % of the wall time on a processor",
    ],
    [{ inclusive: { cpu: 103 } }, text.processorText, ""],
  ],
  rowNotes: [
    [{}, () => text.rowNotes(ROW, WORDS, null), []],
    [
      {},
      () => text.rowNotes({ ...ROW, longest: LONGEST }, RUNS, "wall"),
      ["2 runs, the longest shown by a press", "its own code 5.00 ms"],
    ],
    [{}, () => text.rowNotes({ ...ROW, calls: 1, longest: LONGEST }, WORDS, null), []],
  ],
  passedOnText: [
    [{}, () => text.passedOnText(1), "1 level that passes it on"],
    [{}, () => text.passedOnText(10), "10 levels that pass it on"],
  ],
  toldOn: [
    [{}, (detail) => text.toldOn(detail.self), "wall"],
    [{ self: { cpu: 1 } }, (detail) => text.toldOn(detail.self), "cpu"],
  ],
  detailText: (["method", "trace"] as const).map((subject: SubjectKind) => [
    { waits: [ROW], hiddenWait: 9e6, smallWaits: { methods: 2, ns: 1e6 } },
    (detail: Detail) =>
      text.detailText("of it", detail, subject, "wall", (of) => of.name).split("\n"),
    [
      "of it",
      `wall 100 ms, CPU 30.0 ms, wait 70.0 ms; ${subject === "trace" ? "hidden packages" : "exclusive"} wall 10.0 ms, CPU 4.00 ms`,
      "Waited 70.0 ms: sleep 60.0 ms, 1.00 ms in 2 methods of less than 1 % each, 9.00 ms in hidden packages.",
    ],
  ]),
};

for (const [name, rows] of Object.entries(SENTENCES))
  test(`what the details say is made of their numbers: ${name}`, () => {
    for (const [choice, say, expected] of rows)
      assert.deepEqual(say({ ...PLAIN, ...choice }), expected);
  });

test("each sentence of the details has a test", () => {
  const apart = ["subjectsOf", "ownTimes", "isOfCode"];
  const said = Object.entries(text).flatMap(([name, of]) => (typeof of === "function" ? name : []));
  assert.deepEqual(said.sort(), [...Object.keys(SENTENCES), ...apart].sort());
});
