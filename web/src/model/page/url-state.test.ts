import assert from "node:assert/strict";
import test from "node:test";
import { readUrl, withTrace, writeUrl, type UrlState } from "./url-state";

const EMPTY: UrlState = {
  view: null,
  crumbs: [],
  picked: null,
  threads: null,
  unfolded: null,
  pinned: [],
  hidden: [],
  order: [],
  marks: [],
  method: null,
  call: null,
  tab: "profile",
  measure: null,
  sort: null,
  search: "",
  filter: "",
  without: [],
  mine: null,
  ops: [],
  zoom: [],
  isInverted: false,
  middle: null,
  isInTime: false,
  groupBy: "method",
  isCallersOfAll: false,
  isIdleCounted: false,
  against: null,
  runs: null,
  matched: [],
  flameChoice: null,
  lens: null,
  chosenCalls: null,
  beside: null,
  oldView: { align: { kind: "start" }, isHidden: false },
  story: null,
  trace: null,
};

const FULL: UrlState = {
  view: { from: 1, to: 804_057_001 },
  crumbs: [
    { from: 100_000_000, to: 700_000_000 },
    { from: 300_000_001, to: 400_000_000 },
  ],
  picked: { from: 310_000_000, to: 320_000_000 },
  threads: [
    { id: 1, name: "main" },
    { id: 65_536, name: "a,b|c %2C é #&" },
  ],
  unfolded: [{ id: 1, name: "main" }],
  pinned: [{ id: 3, name: "Worker, 1" }],
  hidden: [
    { id: 4, name: "" },
    { id: 5, name: "x" },
  ],
  order: [
    { id: 7, name: "b" },
    { id: 6, name: "a" },
  ],
  marks: [
    { from: 0, to: 5_000_000, text: "start & end", call: null },
    {
      from: 100_000_000,
      to: 200_000_000,
      text: "",
      call: { thread: { id: 1, name: "main" }, method: "a.B.c (I)V", ordinal: 2 },
    },
  ],
  method: "com.example.A$B.run (Ljava/lang/String;)V",
  call: {
    thread: { id: 1, name: "main" },
    method: "com.example.A$B.run (Ljava/lang/String;)V",
    ordinal: 10,
  },
  tab: "calls",
  measure: "wait",
  sort: { key: "per-call", clock: "cpu", order: "asc" },
  search: "/Load.*&=/i",
  filter: "com.example & co",
  without: ["android.", "a.b."],
  mine: ["java.", "kotlin."],
  ops: [
    { kind: "merge", method: "a.B.c (Ljava/lang/String;)V" },
    { kind: "collapse", package: "java.util" },
  ],
  zoom: ["a.B.main ([Ljava/lang/String;)V", "a.B.x+y ()V"],
  isInverted: true,
  middle: "a.B.foo(I)V, &c",
  isInTime: true,
  groupBy: "package",
  isCallersOfAll: true,
  isIdleCounted: true,
  against: "2",
  runs: { old: ["2", "3"], new: ["1"] },
  matched: [{ old: "a.b (I)V", new: "c.d|e ()V" }],
  flameChoice: { view: "gone", isByShare: true },
  lens: { kind: "along", methods: ["a.B.main ()V", "a.B.c (I)V"], past: "java.,a,b." },
  chosenCalls: {
    kind: "along",
    methods: ["a.B.d ()V"],
    past: "",
    before: { kind: "search", text: "selected" },
  },
  beside: { old: "1.5.7", new: "1.5.9" },
  oldView: { align: { kind: "method", method: "a.B.c (I)V" }, isHidden: true },
  story: { of: 3, step: 2 },
  trace: "0123456789abcdef",
};

test("a link gives back the state that it was made from", () => {
  assert.deepEqual(readUrl(`#${writeUrl(FULL)}`), FULL);
});

test("nothing chosen is an empty link", () => {
  assert.equal(writeUrl(EMPTY), "");
  assert.deepEqual(readUrl(""), EMPTY);
});

test("a link says names and milliseconds", () => {
  const link = writeUrl({
    ...EMPTY,
    crumbs: [{ from: 612_000_000, to: 1_105_500_000 }],
    threads: [{ id: 1, name: "main" }],
  });
  assert.equal(link, "range=612-1105.5ms&threads=1:main");
});

test("what a link says wrongly is ignored", () => {
  assert.deepEqual(
    readUrl(
      "#range=9-3ms,x&tab=nope&clock=sundial&sort=size&call=main&view=1e9-2e9ms&threads=main",
    ),
    {
      ...EMPTY,
      threads: [],
    },
  );
});

test("what changed is a view of the flame graph, and anything else is none", () => {
  const none = readUrl("");
  const choice = { view: "old", isByShare: false } as const;
  assert.equal(writeUrl({ ...none, flameChoice: choice }), "change=old");
  assert.deepEqual(readUrl("change=new.share").flameChoice, { view: "new", isByShare: true });
  assert.equal(readUrl("change=other").flameChoice, null);
});

test("my code only goes with the link, even where it hides nothing", () => {
  assert.equal(writeUrl({ ...EMPTY, mine: ["java.", "a.b."] }), "mine=java.,a.b.");
  assert.equal(writeUrl({ ...EMPTY, mine: [] }), "mine=");
  assert.deepEqual(readUrl("mine=").mine, []);
  assert.equal(readUrl("").mine, null);
});

test("a link that is shared names its trace once", () => {
  assert.equal(withTrace("", "0f"), "trace=0f");
  assert.equal(withTrace("#tab=flame&trace=11", "0f"), "tab=flame&trace=0f");
  assert.equal(withTrace("#tab=flame&trace=11", null), "tab=flame");
});

test("a lens is a path of methods or one call, and a path too long for a link is left out", () => {
  const within = {
    kind: "within",
    call: { thread: { id: 1, name: "m" }, method: "x", ordinal: 3 },
  };
  const lenses = [
    within,
    { kind: "upwards", methods: ["a, b|c", "d"], past: "" },
    { kind: "along", methods: ["a", "a"], past: "x." },
    { kind: "methods", methods: ["a", "b"], lasting: { measure: "cpu", from: 0, below: 1500 } },
    { kind: "search", text: "a&=;b", lasting: { measure: "wall", from: 10, below: null } },
    {
      kind: "along",
      methods: ["a"],
      past: "",
      before: {
        kind: "methods",
        methods: ["a"],
        before: { kind: "search", text: "b", before: within },
      },
    },
  ] as const;
  for (const lens of lenses)
    assert.deepEqual(readUrl(writeUrl({ ...EMPTY, lens: lens as UrlState["lens"] })).lens, lens);
  for (const chosenCalls of lenses)
    for (const lens of [null, ...lenses]) {
      const state = { ...EMPTY, lens: lens as UrlState["lens"] };
      const both = { ...state, chosenCalls: chosenCalls as UrlState["lens"] };
      assert.deepEqual(readUrl(writeUrl(both)), both);
    }
  const long = { kind: "along", methods: Array(201).fill("a"), past: "" } as const;
  assert.equal(writeUrl({ ...EMPTY, lens: long }), "");
  assert.deepEqual(readUrl("of=a&lasting=cpu:5-1ms&then=&then=").lens, {
    kind: "methods",
    methods: ["a"],
  });
});
