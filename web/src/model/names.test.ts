import assert from "node:assert/strict";
import test from "node:test";
import {
  fitName,
  fullName,
  nameForms,
  packageOf,
  readableSignature,
  shortClass,
  shortName,
  sourceOf,
  taskForms,
} from "./names";

function method(className: string, name: string, signature = "()V") {
  return {
    rank: 0,
    id: "0x0",
    method: `${className}.${name} ${signature}`,
    class: className,
    name,
    signature,
    file: "A.java",
    line: 7,
  };
}

test("packages are cut first, then outer classes, then the class", () => {
  assert.deepEqual(nameForms(method("com.example.Outer$Inner", "run")), [
    "Outer$Inner.run",
    "Inner.run",
    "run",
  ]);
  assert.deepEqual(nameForms(method("A", "run")), ["A.run", "run"]);
  assert.deepEqual(taskForms(method("com.A$Inner", "run")), ["A$Inner.run", "Inner.run", "Inner"]);
  assert.deepEqual(taskForms(method("com.A", "load")), ["A.load", "load"]);
});

test("an anonymous class keeps its outer name", () => {
  assert.equal(nameForms(method("com.A$1", "run"))[1], "run");
});

test("a hidden class is one name", () => {
  assert.equal(packageOf("com.A$$Lambda$7.0x00007f05"), "com");
  assert.equal(shortClass("com.A$$Lambda$7.0x00007f05"), "A$$Lambda$7.0x00007f05");
});

test("slashes separate as dots do", () => {
  assert.equal(packageOf("java/lang/String"), "java.lang");
  assert.equal(shortName(method("java/lang/String", "length")), "String.length");
});

test("a method without a class or name is shown as the program calls it", () => {
  assert.equal(shortName({ ...method("", "(0x1f)"), method: "(0x1f)" }), "(0x1f)");
  assert.equal(fullName({ ...method("", ""), method: "(0x1f)" }), "(0x1f)");
});

test("no dot follows a class whose method has no name", () => {
  const nameless = method("(0x70002000)", "");
  assert.deepEqual(nameForms(nameless), ["(0x70002000)"]);
  assert.equal(fullName(nameless), "(0x70002000)");
  assert.equal(fullName(method("com.A", "")), "com.A");
});

test("signatures become readable, and what is none stays", () => {
  assert.equal(readableSignature("(ILjava/lang/String;[[J)V"), "(int, String, long[][]) void");
  assert.equal(readableSignature("()Ljava/util/Map$Entry;"), "() Map.Entry");
  assert.equal(readableSignature("(Q)V"), "(Q)V");
  assert.equal(readableSignature("nonsense"), "nonsense");
  assert.equal(readableSignature("(Ljava/lang/String"), "(Ljava/lang/String");
});

test("sources show the line only where there is one", () => {
  assert.equal(sourceOf(method("A", "b")), "A.java:7");
  assert.equal(sourceOf({ ...method("A", "b"), line: -1 }), "A.java");
  assert.equal(sourceOf({ ...method("A", "b"), file: "" }), "");
});

test("the longest form that fits is taken, else the shortest is cut", () => {
  const measure = (text: string): number => text.length * 10;
  assert.equal(fitName(["Outer.run", "run"], 90, measure), "Outer.run");
  assert.equal(fitName(["Outer.run", "run"], 40, measure), "run");
  assert.equal(fitName(["Outer.running", "running"], 50, measure), "runn…");
  assert.equal(fitName(["running"], 12, measure), "");
});

test("a hidden class is named without its address", () => {
  const method = {
    rank: 0,
    id: "0x0",
    method: "",
    class: "com.example.App$$Lambda$7.0x00007f0594001850",
    name: "run",
    signature: "()V",
    file: "",
    line: -1,
  };
  assert.equal(nameForms(method)[0], "App$$Lambda$7.run");
});
