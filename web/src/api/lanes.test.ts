import assert from "node:assert/strict";
import test from "node:test";
import { laneColumns, laneItemName } from "../model/frames/lane-columns";
import { decodeLanes } from "./decode-lanes";

const ITEM = { thread: 1, depth: 5, call: 3, start_ns: 1e6, end_ns: 3e7, cpu_ns: 2e6 };
const METHOD = {
  rank: 7,
  id: "0x4",
  method: "com.app.Job.run ()V",
  class: "com.app.Job",
  name: "run",
  signature: "()V",
};

test("items of each lane are read, and those of a thread are numbered", () => {
  const lanes = decodeLanes({
    phases: { count: 1, items: [{ ...ITEM, name: "first frame" }] },
    frames: {
      count: 9,
      items: [ITEM, { ...ITEM, thread: 2 }, { ...ITEM, draw_ns: 5, rest_ns: 6 }],
    },
    messages: {
      count: 2,
      items: [
        { ...ITEM, rank: 7 },
        { ...ITEM, rank: 7, adopted: true, open_at_end: true },
      ],
    },
    methods: [METHOD],
  });
  assert.deepEqual(
    lanes.frames.items.map((item) => [item.thread, item.number]),
    [
      [1, 1],
      [2, 1],
      [1, 2],
    ],
  );
  assert.equal(lanes.frames.count, 9);
  assert.equal(lanes.frames.items[2]?.draw, 5);
  assert.equal(lanes.frames.items[2]?.measure, undefined);
  assert.deepEqual(
    [lanes.phases.items[0], lanes.frames.items[2], ...lanes.messages.items].map((item) =>
      item === undefined ? "" : laneItemName(item),
    ),
    ["first frame", "Frame 2", "Job.run", "Job.run (began before, still open)"],
  );
  const [frame] = lanes.frames.items;
  assert.ok(frame !== undefined);
  const texts = laneColumns("frames", 16_666_667, { axis: "wall", hasBoth: true }).map((column) =>
    column.text(frame),
  );
  assert.deepEqual(texts.slice(0, 5), ["Frame 1", "1.000", "29.000", "12.333", "2.000"]);
  const labels = laneColumns("messages", 16_666_667, { axis: "cpu", hasBoth: false }).map(
    (column) => column.label,
  );
  assert.deepEqual(labels, ["Message", "Start, ms", "CPU, ms", "Over, ms"]);
});

test("an answer without a lane is refused", () => {
  assert.throws(() => decodeLanes({ phases: { items: [] }, frames: { items: [] } }));
});
