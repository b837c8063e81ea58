import assert from "node:assert/strict";
import test from "node:test";
import { isNewEntry, stepOf } from "./history";
import { readUrl } from "./url-state";

const step = (link: string) => stepOf(readUrl(link));
const LONG = 5000;

test("a place is a step at once, a moved view after a pause", () => {
  assert.ok(isNewEntry(step(""), step("tab=flame"), 0));
  assert.ok(isNewEntry(step(""), step("view=1-2ms"), LONG));
  assert.ok(!isNewEntry(step("view=1-2ms"), step("view=1-3ms"), 300));
});

test("letters of a search and the order of a table are no steps", () => {
  assert.ok(!isNewEntry(step("search=a"), step("search=ab"), LONG));
  assert.ok(!isNewEntry(step("filter=a"), step("filter=ab"), LONG));
  assert.ok(isNewEntry(step("search=a"), step("filter=a"), 0));
  assert.ok(!isNewEntry(step(""), step("sort=name.cpu.asc"), LONG));
});
