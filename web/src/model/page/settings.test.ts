import assert from "node:assert/strict";
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
