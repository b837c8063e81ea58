import assert from "node:assert/strict";
import { test } from "node:test";
import { columnTracks, timeWidth, withWidth } from "./widths";

const COLUMNS = [
  { id: "name", width: 0 },
  { id: "incl", width: 96 },
  { id: "thread", width: 0 },
];

test("columns have what they need, and share what is left in proportion", () => {
  assert.deepEqual(columnTracks(COLUMNS, {}, null), {
    "--columns": "minmax(96px, 96fr) minmax(120px, 120fr)",
    "--needs": "216px",
  });
});

test("the column with the bars has room for them", () => {
  assert.equal(
    columnTracks(COLUMNS, {}, "incl")["--columns"],
    "minmax(calc(96px + var(--bar)), 96fr) minmax(120px, 120fr)",
  );
});

test("a width that was given stays, that of names too, within limits", () => {
  const widths = withWidth(withWidth({}, "name", 410.4), "incl", 3);
  assert.deepEqual(columnTracks(COLUMNS, widths, "incl"), {
    "--name": "410px",
    "--columns": "48px minmax(120px, 120fr)",
    "--needs": "168px",
  });
  assert.equal(withWidth({}, "name", 1e9)["name"], 2000);
});

test("a column of times has room for its longest number", () => {
  assert.equal(timeWidth(undefined, 100), 100);
  assert.equal(timeWidth(5e6, 100), 100);
  assert.equal(timeWidth(39_752_123e3, 90), 104);
  assert.ok(timeWidth(9e18, 100) > 150);
});
