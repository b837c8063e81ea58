import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { DEFAULT_SETTINGS, readSettings, writeSettings } from "./settings";

test("settings survive a round trip, and nonsense falls back", () => {
  const own = { ...DEFAULT_SETTINGS, theme: "dark" as const, columns: ["calls"], split: 0.4 };
  assert.deepEqual(readSettings(writeSettings(own)), own);
  assert.deepEqual(
    readSettings({ theme: 7, split: 40, columns: "x", palette: null }),
    DEFAULT_SETTINGS,
  );
});

// Kept for all traces, it would filter the next one, too, and silently.
test("my code only is no setting, whatever an earlier version kept", () => {
  const settings = readSettings({ my_code_only: true });
  assert.deepEqual(settings, DEFAULT_SETTINGS);
  assert.ok(!("my_code_only" in writeSettings(settings)));
});

// The tests run in web.
test("the platform's packages are those of the program", () => {
  const header = readFileSync("../src/analysis/selection/platform.h", "utf8");
  const list = /"(java\.[^"]*)"/.exec(header)?.[1];
  assert.deepEqual(list?.split(","), DEFAULT_SETTINGS.hiddenPackages);
});
