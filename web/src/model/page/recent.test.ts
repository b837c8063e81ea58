import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge } from "./recent";

const NOW = 1_790_000_000;

test("an age is told in the largest unit that fits", () => {
  const hour = 3600;
  assert.equal(formatAge(NOW + 5, NOW), "just now"); // another clock
  assert.equal(formatAge(NOW - 59, NOW), "just now");
  assert.equal(formatAge(NOW - 60, NOW), "1 minute ago");
  assert.equal(formatAge(NOW - 59 * 60, NOW), "59 minutes ago");
  assert.equal(formatAge(NOW - hour, NOW), "1 hour ago");
  assert.equal(formatAge(NOW - 23 * hour, NOW), "23 hours ago");
  assert.equal(formatAge(NOW - 24 * hour, NOW), "yesterday");
  assert.equal(formatAge(NOW - 3 * 24 * hour, NOW), "3 days ago");
  assert.equal(formatAge(1_700_000_000, NOW), "2023-11-14");
});
