import assert from "node:assert/strict";
import test from "node:test";
import { groupColumns, groupFilter, groupLabel, groupSortQuery, type GroupRow } from "./group";
import { longestBoxes } from "./twin";

const ROW: GroupRow = {
  name: "java.util",
  methods: 3,
  calls: 1200,
  inclusive: { wall: 5e6 },
  exclusive: { wall: 1e6 },
};

test("groups have columns for the clocks that the trace has", () => {
  const context = {
    by: "package",
    measure: "wall",
    total: { wall: 10e6 },
    isSampled: false,
  } as const;
  const one = groupColumns({ ...context, clocks: ["wall"] });
  assert.ok(one.every((column) => !column.id.includes("cpu") && !column.id.includes("wait")));
  assert.deepEqual(
    one.filter((column) => column.isUsual).map((column) => column.text(ROW)),
    ["java.util", "5.000", "1.000", "10.0 %", "1,200", "3"],
  );
  const two = groupColumns({ ...context, clocks: ["wall", "cpu"] });
  assert.equal(two.find((column) => column.id === "incl-cpu")?.text(ROW), "");
  assert.equal(groupLabel("", "package"), "(no package)");
});

test("a column's sort in the program's words", () => {
  assert.deepEqual(groupSortQuery({ column: "excl-cpu-percent", order: "asc" }), {
    sort: "exclusive",
    by: "cpu",
    order: "asc",
  });
  assert.deepEqual(groupSortQuery({ column: "calls", order: "desc" }), {
    sort: "calls",
    order: "desc",
  });
});

// The program's patterns are PCRE2; quoting apart, these mean the same here.
function lists(by: "class" | "package", name: string, method: string): boolean {
  const body = groupFilter(by, name).slice(1, -1);
  const plain = body.replace(/\\Q(.*?)\\E/g, (_, text: string) =>
    text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return new RegExp(plain).test(method);
}

test("a group's filter lists its own methods and no others", () => {
  assert.ok(lists("package", "java.util", "java.util.List.add (I)V"));
  assert.ok(lists("package", "java.util", "java/util/List.add (I)V"));
  assert.ok(lists("package", "a.b", "a.b.C$$Lambda$7.0x00007f05.run ()V"));
  assert.ok(!lists("package", "java.util", "java.util.concurrent.Future.get ()V"));
  assert.ok(!lists("package", "java.util", "xjava.util.List.add ()V"));
  assert.ok(lists("class", "a.b.C", "a.b.C.<init> ()V"));
  assert.ok(!lists("class", "a.b.C", "a.b.C$D.x ()V"));
  assert.ok(lists("class", "", "main"));
  assert.ok(lists("package", "", "C.main ()V"));
  assert.ok(!lists("package", "", "a.C.main ()V"));
});

test("the twin tells the longest boxes in view, longest first", () => {
  const starts = Array.from({ length: 200 }, (_, ix) => ix * 10);
  const boxes = {
    start: Float64Array.from(starts),
    duration: Float64Array.from(starts, (start) => (start % 70) / 10),
    rank: new Uint32Array(200),
    count: new Uint32Array(200),
    depth: new Uint32Array(200),
    call: new Uint32Array(200),
    flags: new Uint8Array(200),
    cpu: null,
  };
  const tile = {
    from: 0,
    to: 2000,
    level: 0,
    isCoarse: false,
    boxes,
    rows: [{ thread: 1, kind: "depth" as const, depth: 0, first: 0, count: 200 }],
  };
  const found = longestBoxes([tile], { from: 0, to: 1000 }, 5);
  assert.equal(found.length, 5);
  assert.ok(found.every((one) => one.box.duration === 6 && one.box.start <= 1000));
});
