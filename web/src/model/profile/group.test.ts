import assert from "node:assert/strict";
import test from "node:test";
import { groupColumns, groupFilter, groupLabel, groupSortQuery, type GroupRow } from "./group";

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

// The program's patterns are PCRE2; these mean the same here.
function lists(by: "class" | "package", name: string, method: string): boolean {
  return new RegExp(groupFilter(by, name).slice(1, -1)).test(method);
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
