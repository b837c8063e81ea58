import assert from "node:assert/strict";
import test from "node:test";
import { actionFor, KEY_TABLE } from "./keys";

function press(key: string, code = "", isShift = false, isCtrl = false) {
  return actionFor({ key, code, isShift, isCtrl, isAlt: false });
}

test("WASD go by place, signs by what they type", () => {
  assert.equal(press("w", "KeyW"), "zoom-in");
  assert.equal(press("z", "KeyW"), "zoom-in", "AZERTY");
  assert.equal(press("q", "KeyA"), "pan-left", "AZERTY");
  assert.equal(press("?", "Slash", true), "help");
  assert.equal(press("&", "Digit1"), "tab-profile", "AZERTY digit row");
  assert.equal(press("_", "Digit8"), "tab-frames", "AZERTY digit row");
  assert.equal(press("1", "Digit1"), "tab-profile");
});

test("Ctrl has keys of its own", () => {
  assert.equal(press("f", "KeyF", false, true), "search");
  assert.equal(press("k", "KeyK", false, true), "palette");
  assert.equal(press("P", "KeyP", true, true), "palette");
  assert.equal(press("w", "KeyW", false, true), null);
});

test("no key has two meanings in the table", () => {
  const keys = KEY_TABLE.flatMap((row) => row.keys);
  assert.equal(new Set(keys).size, keys.length);
});
