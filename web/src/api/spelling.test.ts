import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeMethods } from "./decode-methods";
import { withWrittenNames } from "./spelling";

const ANSWER = {
  count: 2,
  methods: [
    {
      rank: 0,
      method: "app.Store.save (Lapp/Row;)V",
      class: "app.Store",
      name: "save",
      signature: "(Lapp/Row;)V",
      written: "a.b.c (La/d;)V",
      synthesized: true,
    },
    {
      rank: 1,
      method: "java.util.Map.get ()V",
      class: "java.util.Map",
      name: "get",
      signature: "()V",
    },
  ],
};

test("methods have the names of the file, and keep what links name them by", () => {
  const [first, second] = decodeMethods(withWrittenNames(ANSWER));
  assert.equal(first?.method, "app.Store.save (Lapp/Row;)V");
  assert.deepEqual(
    [first?.class, first?.name, first?.signature, first?.sourceClass, first?.written],
    ["a.b", "c", "(La/d;)V", "app.Store", "a.b.c (La/d;)V"],
  );
  assert.equal(first?.isSynthesized, true);
  assert.equal(second?.class, "java.util.Map");
  assert.equal(second?.sourceClass, undefined);
  assert.equal(second?.written, undefined);
});

test("without it methods have the names of the source, and those of the file beside", () => {
  const [first] = decodeMethods(ANSWER);
  assert.deepEqual([first?.class, first?.written], ["app.Store", "a.b.c (La/d;)V"]);
  assert.equal(first?.sourceClass, undefined);
});

test("names without a class or a signature, and other answers, are taken as they are", () => {
  assert.deepEqual(withWrittenNames({ class: "x", written: "run" }), {
    class: "",
    name: "run",
    signature: "",
    written: "run",
    source_class: "x",
  });
  assert.deepEqual(withWrittenNames({ class: "x", written: "a.b$$Lambda$7.0x0f.run ()V" }), {
    class: "a.b$$Lambda$7.0x0f",
    name: "run",
    signature: "()V",
    written: "a.b$$Lambda$7.0x0f.run ()V",
    source_class: "x",
  });
  assert.deepEqual(withWrittenNames([1, "a", null, { b: [true] }]), [1, "a", null, { b: [true] }]);
});
