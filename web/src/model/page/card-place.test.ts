import assert from "node:assert/strict";
import { test } from "node:test";
import { placeCard } from "./card-place";

const PAGE = { width: 900, height: 600 };
const STAGE = { left: 200, top: 90, width: 700, height: 300 };
const CARD = { width: 300, height: 150 };

test("a card stands below the pointer and to its right, in the panel", () => {
  assert.deepEqual(placeCard({ x: 50, y: 40 }, CARD, STAGE, PAGE), { left: 266, top: 144 });
});

test("where the panel ends it stands above the pointer, where the window ends to its left", () => {
  assert.deepEqual(placeCard({ x: 600, y: 250 }, CARD, STAGE, PAGE), { left: 484, top: 176 });
});

test("a panel that is too low for it does not cut it, a window keeps all of it", () => {
  const low = { ...STAGE, top: 500, height: 60 };
  assert.deepEqual(placeCard({ x: 50, y: 30 }, CARD, low, PAGE), { left: 266, top: 366 });
  const high = { ...STAGE, height: 60 };
  assert.deepEqual(placeCard({ x: 50, y: 30 }, CARD, high, PAGE), { left: 266, top: 134 });
  const tiny = { width: 320, height: 160 };
  const place = placeCard({ x: 10, y: 20 }, CARD, { ...STAGE, left: 0, top: 60 }, tiny);
  assert.deepEqual(place, { left: 4, top: 4 });
});
