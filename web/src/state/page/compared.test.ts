import assert from "node:assert/strict";
import test from "node:test";
import { besideAddress, swappedAddress } from "./compared";

const hash = "#tab=changes&against=2";

test("in a viewer each trace has a number, and the first one is 1", () => {
  assert.equal(
    swappedAddress({ pathname: "/SECRET/", hash }, "2"),
    "/SECRET/t/2/#tab=changes&against=1",
  );
  assert.equal(
    swappedAddress({ pathname: "/SECRET/t/2/", hash }, "1"),
    "/SECRET/#tab=changes&against=2",
  );
});

test("on a site each trace has an id", () => {
  assert.equal(
    swappedAddress({ pathname: "/traces/trace/ABC/", hash }, "DEF"),
    "/traces/trace/DEF/#tab=changes&against=ABC",
  );
});

test("a page in a file has no such address", () => {
  assert.equal(swappedAddress({ pathname: "/home/a/report.html", hash }, "1"), null);
});

test("a trace that comes later is compared with the one that is shown", () => {
  const later = "/SECRET/t/3/";
  assert.equal(besideAddress(later, { pathname: "/SECRET/" }), `${later}#tab=changes&against=1`);
  assert.equal(
    besideAddress(later, { pathname: "/SECRET/t/2/" }),
    `${later}#tab=changes&against=2`,
  );
  assert.equal(besideAddress("b.html", { pathname: "/home/a.html" }), "b.html");
});
