import assert from "node:assert/strict";
import test from "node:test";
import { fitName } from "../names";
import {
  bandsOf,
  budgetOf,
  isOver,
  itemAt,
  itemsIn,
  laneForms,
  type LaneItem,
  type LaneKind,
} from "./lanes";

function item(kind: LaneKind, start: number, end: number, thread = 1): LaneItem {
  return {
    kind,
    number: 1,
    thread,
    depth: 5,
    call: 0,
    start,
    end,
    cpu: undefined,
    isOpenAtEnd: false,
    isAdopted: false,
    name: "",
    method: null,
    measure: undefined,
    layout: undefined,
    draw: undefined,
    rest: undefined,
  };
}

const lane = (...items: LaneItem[]) => ({ count: items.length, items });

test("a thread has the lanes in which it has items, start-up on top", () => {
  const bands = bandsOf({
    frames: lane(item("frames", 10, 20), item("frames", 30, 40, 2)),
    messages: lane(item("messages", 0, 20)),
    phases: lane(),
  });
  assert.deepEqual(
    bands.get(1)?.map((band) => band.kind),
    ["messages", "frames"],
  );
  assert.deepEqual(
    bands.get(2)?.map((band) => band.kind),
    ["frames"],
  );
  assert.equal(bandsOf(null).size, 0);
});

test("what takes longer than the budget is over it, but for phases", () => {
  const budget = budgetOf(60, "wall");
  assert.ok(!isOver(item("frames", 0, 16_666_667), budget));
  assert.ok(isOver(item("frames", 0, 16_666_668), budget));
  assert.ok(isOver(item("messages", 0, 9_000_000), budgetOf(120, "wall")));
  assert.ok(!isOver(item("phases", 0, 1e9), budget));
  assert.ok(!isOver(item("frames", 0, 1e9), budgetOf(60, "cpu")), "CPU time is not how long");
});

test("the items in view are found among many", () => {
  const items = Array.from({ length: 1000 }, (_, ix) => item("frames", ix * 10, ix * 10 + 5));
  const found = itemsIn({ kind: "frames", items }, { from: 5003, to: 5021 });
  assert.deepEqual(
    found.map((one) => one.start),
    [5000, 5010, 5020],
  );
});

test("of phases within each other the innermost is under the pointer, and a near one is reached", () => {
  const items = [item("phases", 0, 100), item("phases", 20, 60), item("phases", 200, 201)];
  const at = (time: number, reach: number) => itemAt({ kind: "phases", items }, time, reach)?.start;
  assert.equal(at(30, 1), 20);
  assert.equal(at(70, 1), 0);
  assert.equal(at(150, 1), undefined);
  assert.equal(at(197, 5), 200);
});

test("the time of a frame is told whole or not at all: 423… would read as another one", () => {
  const width = (text: string): number => text.length * 7;
  const forms = laneForms(item("frames", 0, 423e6), "");
  assert.equal(fitName(forms, 60, width), "423 ms");
  assert.equal(fitName(forms, 35, width), "");
});
