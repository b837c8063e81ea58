import assert from "node:assert/strict";
import test from "node:test";
import { ownName, pageOf } from "./own-page";

test("a page is called by its number in a viewer, and by its id on a site", () => {
  assert.equal(ownName({ pathname: "/SECRET/" }), "1");
  assert.equal(ownName({ pathname: "/SECRET/t/12/" }), "12");
  assert.equal(ownName({ pathname: "/traces/trace/ABC/" }), "ABC");
  assert.equal(ownName({ pathname: "/home/a/report.html" }), null);
});

test("the page of another trace is beside this one", () => {
  assert.equal(pageOf({ pathname: "/SECRET/t/12/" }, "1"), "/SECRET/");
  assert.equal(pageOf({ pathname: "/SECRET/" }, "3"), "/SECRET/t/3/");
  assert.equal(pageOf({ pathname: "/traces/trace/ABC/" }, "DEF"), "/traces/trace/DEF/");
  assert.equal(pageOf({ pathname: "/home/a/report.html" }, "1"), null);
});
