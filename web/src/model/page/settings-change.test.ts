import assert from "node:assert/strict";
import test from "node:test";
import { settingsChange, withSettingsChange } from "./settings-change";

const BEFORE = {
  theme: "dark",
  hidden_packages: ["java.", "kotlin."],
  gutter: 200,
  column_widths: { profile: { calls: 80, wall: 90 }, tree: { calls: 70 } },
};

test("a change has what differs, and null for what is gone", () => {
  const now = {
    theme: "dark",
    hidden_packages: ["java."],
    column_widths: { profile: { calls: 80, wall: 95 } },
    short_names: true,
  };
  const change = settingsChange(BEFORE, now);
  assert.deepEqual(change, {
    hidden_packages: ["java."],
    gutter: null,
    column_widths: { profile: { wall: 95 }, tree: null },
    short_names: true,
  });
  assert.deepEqual(withSettingsChange(BEFORE, change), now);
  assert.deepEqual(settingsChange(BEFORE, { ...BEFORE }), {});
});

test("what another page changed meanwhile stays", () => {
  const mine = settingsChange(BEFORE, { ...BEFORE, theme: "light" });
  const other = { ...BEFORE, hidden_packages: ["com.mycompany."], source_link: "x:{file}" };
  assert.deepEqual(withSettingsChange(other, mine), { ...other, theme: "light" });
  assert.deepEqual(withSettingsChange({}, { column_widths: { tree: { calls: 1 } } }), {
    column_widths: { tree: { calls: 1 } },
  });
});
