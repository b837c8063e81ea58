import assert from "node:assert/strict";
import test from "node:test";
import { visibleText } from "../base/text";
import {
  exactPattern,
  linkName,
  nameElsewhere,
  opLabel,
  opsQuery,
  opText,
  readOp,
  withOp,
  writeOp,
} from "./ops";
import type { Method } from "./trace";

const METHOD: Method = {
  rank: 3,
  id: "0x30",
  method: "a.B.c (Ljava/lang/String;)V",
  class: "a.B",
  name: "c",
  signature: "(Ljava/lang/String;)V",
  file: "",
  line: -1,
};

test("the program gets ranks, a link gets names", () => {
  assert.equal(opText({ kind: "focus", rank: 3 }), "focus:3");
  assert.deepEqual(opsQuery([]), {});
  assert.deepEqual(
    opsQuery([
      { kind: "merge", rank: 3 },
      { kind: "collapse", package: "java.util" },
    ]),
    { ops: "merge:3;collapse:java.util" },
  );
  assert.equal(writeOp({ kind: "focus", method: METHOD.method }), `focus:${METHOD.method}`);
});

test("a transform is read back from a link, and nonsense is nothing", () => {
  for (const op of [
    { kind: "drop", method: "x:y (I)V" } as const,
    { kind: "collapse", package: "a.b" } as const,
  ])
    assert.deepEqual(readOp(writeOp(op)), op);
  for (const text of ["", "focus", "focus:", "explode:3", ":x"]) assert.equal(readOp(text), null);
});

test("the same transform twice is one", () => {
  const once = withOp([], { kind: "drop", rank: 1 });
  assert.equal(withOp(once, { kind: "drop", rank: 1 }), once);
  assert.equal(withOp(once, { kind: "drop", rank: 2 }).length, 2);
});

test("a link tells a name of 60,000 bytes by its id", () => {
  assert.equal(linkName(METHOD), METHOD.method);
  assert.equal(linkName({ ...METHOD, method: "x".repeat(60_000) }), "0x30");
});

test("a link names one of two methods of a whole name by the file's name, or the id", () => {
  const shared = { ...METHOD, sharesWholeName: true };
  assert.equal(linkName(shared), "0x30");
  assert.equal(linkName({ ...shared, written: "a.a.b (I)V" }), "a.a.b (I)V");
  assert.equal(linkName({ ...METHOD, written: "a.a.b (I)V" }), METHOD.method);
  assert.equal(nameElsewhere(shared), METHOD.method);
});

test("the pattern for a name quotes it whole", () => {
  assert.equal(exactPattern("a.b$c (I)V"), "/^a\\.b\\$c \\(I\\)V$/");
  assert.equal(exactPattern("a\\Eb"), "/^a\\\\Eb$/");
  assert.equal(exactPattern(visibleText("a\u202eb")), "/^a[\\s\\S]{1,10}b$/");
});

test("a transform in words", () => {
  assert.equal(
    opLabel({ kind: "drop", rank: 3 }, () => "B.c"),
    "without B.c",
  );
  assert.equal(
    opLabel({ kind: "drop", rank: 3 }, () => undefined),
    "without method 3",
  );
  assert.equal(
    opLabel({ kind: "collapse", package: "a" }, () => ""),
    "collapsed a",
  );
});
