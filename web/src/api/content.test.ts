import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeStartList, unlessUnreadable } from "./content";

test("the list may lack the example and more", () => {
  assert.deepEqual(decodeStartList({}), { files: [], example: null });
  const list = decodeStartList({
    recent: [{ id: "0x1", name: "a.trace", folder: "~", bytes: 5, opened_s: 7 }],
    example: { name: "recipes.trace.zst", bytes: 9 },
  });
  assert.equal(list.files[0]?.openedSeconds, 7);
  assert.deepEqual(list.example, { name: "recipes.trace.zst", bytes: 9 });
  assert.throws(() => decodeStartList({ recent: [{ id: 5 }] }));
});

test("a page is led to unless the program says soon that its trace cannot be read", async () => {
  const { fetch } = globalThis;
  const asked: string[] = [];
  const answered = (...answers: readonly object[]): void => {
    let at = 0;
    globalThis.fetch = (address) => {
      asked.push(String(address));
      return Promise.resolve(Response.json(answers[Math.min(at++, answers.length - 1)]));
    };
  };
  const loading = { state: { loading: true } };
  try {
    answered(loading, { state: {}, info: {} });
    assert.equal(await unlessUnreadable("/a/t/2/"), "/a/t/2/");
    assert.deepEqual(asked, ["/a/t/2/api/first", "/a/t/2/api/first"]);
    answered(loading, { state: { error: "is cut" } });
    await assert.rejects(unlessUnreadable("/a/t/2/"), /^Error: is cut$/);
    answered(loading);
    assert.equal(await unlessUnreadable("/a/t/2/"), "/a/t/2/", "a long one is not waited for");
    asked.length = 0;
    assert.equal(await unlessUnreadable(null), null);
    assert.deepEqual(asked, []);
  } finally {
    globalThis.fetch = fetch;
  }
});
