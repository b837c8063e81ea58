import assert from "node:assert/strict";
import test from "node:test";
import { pinchView, Press, stretchView, wheelFactor, wheelSideways } from "./gesture";

const VIEW = { from: 4000, to: 6000 };
const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-6, `${a} is ${b}`);

test("two fingers that spread zoom in about their middle", () => {
  const seen = pinchView({ view: VIEW, a: 400, b: 600 }, 300, 700, 1000, 10_000);
  near(seen.from, 4500);
  near(seen.to, 5500);
});

test("two fingers that move together pan", () => {
  const seen = pinchView({ view: VIEW, a: 400, b: 600 }, 500, 700, 1000, 10_000);
  near(seen.from, 3800);
  near(seen.to, 5800);
});

test("it does not matter which finger is which, nor that they meet", () => {
  const one = pinchView({ view: VIEW, a: 400, b: 600 }, 700, 300, 1000, 10_000);
  near(one.from, 4500);
  const met = pinchView({ view: VIEW, a: 400, b: 600 }, 500, 500, 1000, 10_000);
  assert.deepEqual(met, { from: 0, to: 10_000 });
});

test("a drag on the old scale keeps the time under the pointer and zooms out", () => {
  const right = stretchView(VIEW, 500, 750, 1000, 10_000);
  assert.deepEqual(right, { from: 2000, to: 6000 });
  const left = stretchView(VIEW, 500, 250, 1000, 10_000);
  assert.deepEqual(left, { from: 4000, to: 8000 });
});

test("a drag on the old scale ends at the ends of the trace", () => {
  assert.deepEqual(stretchView(VIEW, 10, 999, 1000, 10_000), { from: 0, to: 6000 });
  assert.deepEqual(stretchView(VIEW, 990, -5, 1000, 10_000), { from: 4000, to: 10_000 });
});

test("the wheel zooms by pixels and by lines, and never by much at once", () => {
  const turned = { deltaX: 0, deltaY: 120, deltaMode: 0, shiftKey: false };
  near(wheelFactor(turned), Math.exp(0.5));
  near(wheelFactor({ ...turned, deltaY: -3, deltaMode: 1 }), Math.exp(-0.5));
  near(wheelFactor({ ...turned, deltaY: 1e6 }), Math.E);
});

test("the wheel pans when it is turned sideways, or with Shift", () => {
  const turned = { deltaX: 0, deltaY: 120, deltaMode: 0, shiftKey: false };
  assert.equal(wheelSideways(turned), 0);
  assert.equal(wheelSideways({ ...turned, shiftKey: true }), 120);
  assert.equal(wheelSideways({ ...turned, deltaX: -150 }), -150);
  assert.equal(wheelSideways({ ...turned, deltaX: 50, deltaY: 0, shiftKey: true }), 50);
});

test("a click behind a drag is no press, one where the pointer went down or by a key is", () => {
  const press = new Press();
  press.begin({ clientX: 10, clientY: 10 });
  assert.equal(press.isClick({ clientX: 11, clientY: 11 }), true);
  press.begin({ clientX: 10, clientY: 10 });
  assert.equal(press.isClick({ clientX: 10, clientY: 14 }), false);
  assert.equal(press.isClick({ clientX: 500, clientY: 500 }), true, "the drag has ended");
});
