import assert from "node:assert/strict";
import test from "node:test";
import { ON_A_SITE, type Abilities } from "../../api/source";
import {
  besideAddress,
  fragmentOfHeld,
  runFragment,
  swappedAddress,
  traceAgainst,
} from "./compared";

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

const ALONE: Abilities = { ...ON_A_SITE, open: true, reach: [] };

test("a page that holds two traces asks about the old one itself, a report about none", () => {
  const beside = { ...ALONE, holdsTwo: true };
  const anywhere = { pathname: "/traces/" };
  assert.equal(traceAgainst(beside, anywhere, "1"), "1");
  assert.equal(traceAgainst(beside, anywhere, "v"), "v");
  assert.equal(traceAgainst(beside, anywhere, "ABC"), null);
  assert.equal(traceAgainst(ALONE, anywhere, "1"), null);
  assert.equal(traceAgainst(ON_A_SITE, { pathname: "/SECRET/" }, "2"), "/SECRET/t/2/");
});

const ONE = { own: "0", compared: 0, runs: null };
const TWO = { own: "0", compared: 1, runs: null };
const RUNS = { own: "0", compared: 1, runs: { old: ["1", "2"], new: ["0", "3"] } };

test("the link of a page that holds two traces names the old one while it is there", () => {
  assert.equal(fragmentOfHeld("", TWO), "#tab=changes&against=1");
  assert.equal(fragmentOfHeld("#tab=tree&against=2", TWO), "#tab=changes&against=1");
  assert.equal(fragmentOfHeld("#tab=tree&against=1", TWO), "#tab=tree&against=1");
  assert.equal(fragmentOfHeld("#tab=tree&runs=1,2~0,3", TWO), "#tab=changes&against=1");
  assert.equal(fragmentOfHeld("#tab=tree", ONE), "#tab=tree");
  assert.equal(fragmentOfHeld("#tab=tree&against=1", ONE), "#tab=tree");
  assert.equal(fragmentOfHeld("#tab=flame&against=1&change=new", ONE), "#tab=flame");
  assert.equal(fragmentOfHeld("#tab=changes&runs=1,2~0", ONE), "#");
});

test("the link of a page that holds several runs a side names those that are there", () => {
  assert.equal(fragmentOfHeld("", RUNS), "#tab=changes&runs=1,2~0,3");
  assert.equal(
    fragmentOfHeld("#tab=tree&against=2&runs=1,2~0,3", RUNS),
    "#tab=tree&against=2&runs=1,2~0,3",
  );
  assert.equal(
    fragmentOfHeld("#tab=tree&against=3&runs=1,2~0,3", RUNS),
    "#tab=changes&runs=1,2~0,3",
  );
  assert.equal(fragmentOfHeld("#tab=tree&against=1", RUNS), "#tab=changes&runs=1,2~0,3");
  assert.equal(fragmentOfHeld("#runs=1~0,2,3", RUNS), "#tab=changes&runs=1,2~0,3");
});

test("another run keeps the tab, and no moments of this one", () => {
  const fragment = runFragment("#view=0..5&tab=tree&against=2&runs=1,2~0,3", "1");
  assert.equal(fragment, "#tab=tree&against=1&runs=1,2~0,3");
});
