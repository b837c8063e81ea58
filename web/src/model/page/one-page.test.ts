import assert from "node:assert/strict";
import { test } from "node:test";
import type { InView } from "./download";
import { firstPageChoice, pageForm, pageLink } from "./one-page";

const SEEN: InView = {
  span: 1e9,
  range: { from: 100e6, to: 300e6 },
  view: { from: 150e6, to: 400e6 },
  threads: new Set([1]),
  filter: "Database",
  hidden: ["java."],
};
const CHOICE = firstPageChoice(SEEN, "wall");

test("a selected range and chosen threads are taken at first, with whole calls", () => {
  const choice = { ...CHOICE, title: " One ", note: "two\n" };
  assert.deepEqual(pageForm(choice, SEEN, "#tab=tree"), {
    from: 100e6,
    to: 300e6,
    threads: "1",
    clock: "wall",
    title: "One",
    note: "two",
    link: "tab=tree",
  });
});

test("without them the whole trace is", () => {
  const seen = { ...SEEN, range: null, threads: null };
  const choice = firstPageChoice(seen, "cpu");
  assert.equal(choice.time, "whole");
  assert.deepEqual(pageForm(choice, seen, ""), { clock: "cpu", title: "", note: "", link: "" });
});

test("the times of the view are those of the part", () => {
  const hash = "#range=0-900ms,100-300ms&view=150-400ms&picked=500-600ms&mark=250-310ms|here";
  assert.equal(
    pageLink(hash, CHOICE, SEEN),
    "range=0-200ms,0-200ms&view=50-200ms&mark=150-200ms|here",
  );
  assert.equal(pageLink("#view=150-400ms", { ...CHOICE, time: "whole" }, SEEN), "view=150-400ms");
});

test("a call of a part is told by its method", () => {
  const whole = pageLink("#call=1:main|3|a.b.C.d()V", { ...CHOICE, time: "whole" }, SEEN);
  assert.match(whole, /^call=/);
  assert.match(pageLink("#call=1:main|3|a.b.C.d()V", CHOICE, SEEN), /^method=a\.b\.C\.d/);
});

test("redacted, the link has no name", () => {
  const hash =
    "#tab=calls&clock=wall&range=100-300ms&threads=1:main&open=1:main&pin=1:main&hide=4:Worker" +
    "&order=1:main&mark=150-160ms|secret&method=com.app.Main.run()V&search=app&filter=Database" +
    "&without=java.&op=drop:com.app.Main.run()V&zoom=com.app.Main.run()V&group=package";
  const link = pageLink(hash, { ...CHOICE, isRedacted: true }, SEEN);
  for (const name of ["main", "Worker", "secret", "app", "Database", "java"])
    assert.ok(!link.includes(name), `${name} in ${link}`);
  assert.match(link, /^tab=calls&clock=wall&range=0-200ms&mark=50-60ms\|/);
  assert.match(link, /group=package/);
});
