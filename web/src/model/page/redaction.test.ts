import assert from "node:assert/strict";
import { test } from "node:test";
import { packageLabel, redactionWords } from "./redaction";

const PREVIEW = {
  methodsKept: 0,
  methodsReplaced: 1234,
  threadsReplaced: 4,
  filesLeftOut: 1,
  propertiesLeftOut: 1,
  packages: [],
};

test("what leaves is said, and that nothing does", () => {
  assert.equal(
    redactionWords(PREVIEW),
    "No method keeps its name, 1,234 as hashes. Left out: the names of 4 threads, " +
      "1 source file name, 1 property. Times and who called whom stay.",
  );
  assert.match(
    redactionWords({ ...PREVIEW, threadsReplaced: 0, filesLeftOut: 0 }),
    / as hashes\. Left out: 1 property\. Times /,
  );
  const nothing = { threadsReplaced: 0, filesLeftOut: 0, propertiesLeftOut: 0 };
  assert.match(redactionWords({ ...PREVIEW, ...nothing }), / as hashes\. Times and /);
  assert.match(redactionWords({ ...PREVIEW, methodsKept: 1 }), /^1 method leaves by name, /);
  assert.match(redactionWords({ ...PREVIEW, methodsKept: 2 }), /^2 methods leave by name, /);
});

test("a package without a name has words for it", () => {
  const one = { name: "", isKept: false, methods: 1, example: "", becomes: "" };
  assert.equal(packageLabel(one), "(no package), 1 method");
  assert.equal(packageLabel({ ...one, name: "a.b", methods: 2 }), "a.b, 2 methods");
});
