import assert from "node:assert/strict";
import { test } from "node:test";
import {
  NOTHING,
  readKept,
  withOwn,
  withUnfinished,
  withoutUnfinished,
  writeKept,
} from "./upload-history";
import { leftText, note, rateOf, type Track } from "./rate";
import { lifeText } from "./site";

const ID = "0123456789abcdef0123456789abcdef";
const TOKEN = "ffffffffffffffffffffffffffffffff";

test("what is kept is read as it was written", () => {
  const own = { id: ID, name: "a.trace", token: TOKEN, bytes: 5, createdS: 7 };
  const unfinished = { id: TOKEN, name: "b", token: ID, bytes: 9, modifiedMs: 11 };
  const kept = withUnfinished(withOwn(NOTHING, [own]), unfinished);
  assert.deepEqual(readKept(writeKept(kept)), kept);
  assert.deepEqual(withoutUnfinished(kept, TOKEN).unfinished, []);
});

test("what is no list of uploads is nothing, and a bad entry is left out", () => {
  for (const text of [null, "", "{", "[]", "3", '{"own":3}', '{"own":[null,{"id":"x"}]}'])
    assert.deepEqual(readKept(text), NOTHING, String(text));
  const good = `{"id":"${ID}","owner_token":"${TOKEN}","bytes":-1}`;
  assert.deepEqual(readKept(`{"own":[{"id":"${ID}/../x","owner_token":"${TOKEN}"},${good}]}`).own, [
    { id: ID, token: TOKEN, name: "", bytes: 0, createdS: 0 },
  ]);
});

test("a trace is kept once, the newest first", () => {
  const at = (id: string, createdS: number) => ({ id, name: id, token: TOKEN, bytes: 1, createdS });
  const kept = withOwn(withOwn(NOTHING, [at("a", 1), at("b", 3)]), [at("a", 2)]);
  assert.deepEqual(
    kept.own.map(({ id, createdS }) => [id, createdS]),
    [
      ["b", 3],
      ["a", 2],
    ],
  );
});

test("the rate is that of the last seconds", () => {
  let track: Track = [];
  assert.equal(rateOf(track), null);
  for (let ms = 0; ms <= 20_000; ms += 100)
    track = note(track, ms, ms <= 10_000 ? ms * 10 : 100_000 + (ms - 10_000) * 2);
  assert.equal(Math.round(rateOf(track) ?? 0), 2000);
  assert.ok(track.length < 70);
});

test("after a step back the rate begins anew", () => {
  const track = note(note(note([], 0, 0), 1000, 5000), 2000, 100);
  assert.equal(rateOf(track), null);
});

test("time left is told in units that fit", () => {
  assert.equal(leftText(1000, 500), "2 s left");
  assert.equal(leftText(600_000, 1000), "10 min left");
  assert.equal(leftText(7_200_000, 1000), "2 h left");
  assert.equal(leftText(1, 0), "");
});

test("the life that is left is never told too long", () => {
  assert.equal(lifeText(null, 0), "kept until it is deleted");
  assert.equal(lifeText(90 * 86_400, 3600), "expires in 89 days");
  assert.equal(lifeText(3 * 3600, 1), "expires in 2 hours");
  assert.equal(lifeText(100, 100), "expired");
});
