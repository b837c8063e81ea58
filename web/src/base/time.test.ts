import assert from "node:assert/strict";
import test from "node:test";
import {
  MIN_SPAN_NS,
  blendRange,
  fitRange,
  rangeWithin,
  movedEnd,
  panRange,
  revealRange,
  sameRange,
  zoomRange,
} from "./time";

test("fit keeps a range inside the trace and its width", () => {
  assert.deepEqual(fitRange({ from: -500, to: 500 }, 10_000), { from: 0, to: 1000 });
  assert.deepEqual(fitRange({ from: 9_500, to: 10_500 }, 10_000), { from: 9_000, to: 10_000 });
});

test("fit puts the ends in order and keeps the smallest span", () => {
  assert.deepEqual(fitRange({ from: 900, to: 400 }, 10_000), { from: 400, to: 900 });
  const tiny = fitRange({ from: 500, to: 501 }, 10_000);
  assert.equal(tiny.to - tiny.from, MIN_SPAN_NS);
});

test("a trace of no length still has a range", () => {
  assert.deepEqual(fitRange({ from: 0, to: 0 }, 0), { from: 0, to: 1 });
});

test("zoom keeps the time under the pointer in its place", () => {
  const zoomed = zoomRange({ from: 0, to: 8000 }, 2000, 0.5, 8000);
  assert.deepEqual(zoomed, { from: 1000, to: 5000 });
  assert.equal((2000 - zoomed.from) / (zoomed.to - zoomed.from), 0.25);
});

test("pan stops at the trace's ends", () => {
  assert.deepEqual(panRange({ from: 1000, to: 2000 }, -5000, 9000), { from: 0, to: 1000 });
  assert.deepEqual(panRange({ from: 1000, to: 2000 }, 50_000, 9000), { from: 8000, to: 9000 });
});

test("reveal leaves the view alone when the call shows at a fair size", () => {
  const view = { from: 0, to: 100_000 };
  assert.equal(revealRange(view, { from: 10_000, to: 20_000 }, 200_000), view);
});

test("reveal zooms to a call that is out of sight or too small to see", () => {
  assert.deepEqual(revealRange({ from: 0, to: 10_000 }, { from: 50_000, to: 51_000 }, 200_000), {
    from: 49_000,
    to: 52_000,
  });
  assert.deepEqual(revealRange({ from: 0, to: 200_000 }, { from: 50_000, to: 51_000 }, 200_000), {
    from: 49_000,
    to: 52_000,
  });
});

test("blend and compare", () => {
  assert.deepEqual(blendRange({ from: 0, to: 10 }, { from: 10, to: 30 }, 0.5), { from: 5, to: 20 });
  assert.ok(sameRange(null, null));
  assert.ok(!sameRange(null, { from: 0, to: 1 }));
});

test("one end moves, not past the other, and not out of the trace", () => {
  const view = { from: 4000, to: 6000 };
  assert.deepEqual(movedEnd(view, "from", 500, 10_000), { from: 4500, to: 6000 });
  assert.deepEqual(movedEnd(view, "to", -500, 10_000), { from: 4000, to: 5500 });
  assert.deepEqual(movedEnd(view, "from", -9000, 10_000), { from: 0, to: 6000 });
  assert.deepEqual(movedEnd(view, "to", 9000, 10_000), { from: 4000, to: 10_000 });
  assert.equal(movedEnd(view, "from", 9000, 10_000).to, 6000);
  assert.equal(movedEnd(view, "from", 9000, 10_000).from, 6000 - MIN_SPAN_NS);
});

test("of a range that is not all in the trace, only what is there is taken", () => {
  assert.deepEqual(rangeWithin({ from: 400, to: 900 }, 10_000), { from: 400, to: 900 });
  assert.deepEqual(rangeWithin({ from: 9_000, to: 12_000 }, 10_000), { from: 9_000, to: 10_000 });
  assert.equal(rangeWithin({ from: 15_000, to: 25_000 }, 10_000), null);
  assert.equal(rangeWithin({ from: 900, to: 400 }, 10_000), null);
});
