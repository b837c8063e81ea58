import assert from "node:assert/strict";
import test from "node:test";
import { MAX_SCROLL_PX, scrollToShow, virtualWindow } from "./virtual";

test("a short list scrolls by pixel, a very long one in proportion", () => {
  assert.deepEqual(virtualWindow(1000, 20, 400, 200, 0), {
    first: 20,
    last: 30,
    height: 20_000,
    top: 400,
  });
  const long = virtualWindow(5_000_000, 20, MAX_SCROLL_PX - 200, 200, 0);
  assert.equal(long.height, MAX_SCROLL_PX);
  assert.equal(long.last, 5_000_000);
});

test("scrolling to a row that shows does nothing", () => {
  assert.equal(scrollToShow(5, 1000, 20, 0, 200), 0);
  assert.equal(scrollToShow(500, 1000, 20, 0, 200), 9910);
});
