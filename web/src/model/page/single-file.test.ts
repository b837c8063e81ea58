import assert from "node:assert/strict";
import { test } from "node:test";
import type { InView } from "./download";
import { firstPageChoice, pageForm } from "./single-file";

const SEEN: InView = {
  span: 1e9,
  range: { from: 100e6, to: 300e6 },
  view: { from: 150e6, to: 400e6 },
  threads: new Set([1]),
  filter: "Database",
  hidden: ["java."],
  lens: null,
  chosenCalls: null,
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

test("a part begins without the story that is open: its insights have other numbers", () => {
  const link = (choice: typeof CHOICE, seen: InView) =>
    pageForm(choice, seen, "#tab=tree&story=1.2&method=a.story=1")["link"];
  assert.equal(link(CHOICE, SEEN), "tab=tree&method=a.story=1");
  const whole: InView = { ...SEEN, range: null, threads: null };
  assert.equal(link(firstPageChoice(whole, "wall"), whole), "tab=tree&story=1.2&method=a.story=1");
});

test("without them the whole trace is", () => {
  const seen = { ...SEEN, range: null, threads: null };
  const choice = firstPageChoice(seen, "cpu");
  assert.equal(choice.time, "whole");
  assert.deepEqual(pageForm(choice, seen, ""), { clock: "cpu", title: "", note: "", link: "" });
});
