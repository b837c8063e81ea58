// The page by keyboard alone: every stop of the focus, forwards and backwards, can be seen and left; the digits lead
// into the panels, whose arrows are their own.
import assert from "node:assert/strict";
import {
  createChecks,
  drawn,
  EXAMPLE,
  followLink,
  settle,
  startBrowser,
  startViewer,
} from "./harness.mjs";
import { startFirefox, TAB } from "./marionette.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const rest = () => settle(page);
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";

const open = (link) => followLink(page, viewer, link);
const labelsOf = (buttons) => buttons.map((button) => button.querySelector("span").textContent);

// What has the focus: a name that is its own, and whether it can be seen and be seen to have the focus.
const stop = () =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return null;
    self.stops ??= new Map();
    if (!self.stops.has(at)) self.stops.set(at, self.stops.size);
    const style = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    const around = getComputedStyle(at.closest(".search") ?? at);
    const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
    const probe = document.createElement("i");
    probe.style.color = accent;
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    const hasRing = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const text = (at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 30);
    return {
      name: `${self.stops.get(at)} ${at.tagName.toLowerCase()}.${at.classList[0] ?? ""} ${text}`,
      isSeen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
      isMarked: hasRing || around.borderTopColor === colour || at.matches(".sr-only *"),
    };
  });

const MOST = 200;
// Presses the key until the focus comes back to where it was first. Between the last stop and the first one the focus
// may be the browser's own.
const walk = async (key) => {
  const stops = [];
  let outside = 0;
  for (let i = 0; i < MOST; i += 1) {
    await page.keyboard.press(key);
    const at = await stop();
    outside = at === null ? outside + 1 : 0;
    assert.ok(outside < 3, `the focus is lost after ${stops.at(-1)?.name}`);
    if (at === null) continue;
    if (at.name === stops[0]?.name) return stops;
    stops.push(at);
  }
  throw new Error(`the focus never comes round: ${stops.at(-1).name}`);
};
// All stops that a reader of the page's source would expect.
const tabbable = (around) =>
  page.$$eval(
    `${around} :is(button, input, select, a[href], [tabindex], textarea, summary)`,
    (list) =>
      list.filter(
        (one) =>
          one.tabIndex >= 0 &&
          !one.disabled &&
          one.checkVisibility({ visibilityProperty: true }) &&
          one.closest("[inert]") === null,
      ).length,
  );
const assertWalks = async (around) => {
  await rest(); // a dialog takes the focus
  const wanted = await tabbable(around);
  const there = await walk("Tab");
  const names = (stops) => stops.map((one) => one.name);
  assert.equal(new Set(names(there)).size, there.length, "no stop comes twice");
  assert.ok(there.length >= wanted, `${there.length} of ${wanted}: ${names(there).join("; ")}`);
  for (const one of there) {
    assert.ok(one.isSeen, `not on the screen: ${one.name}`);
    assert.ok(one.isMarked, `no ring: ${one.name}`);
  }
  const back = await walk("Shift+Tab");
  assert.deepEqual([...new Set(names(back))].sort(), [...new Set(names(there))].sort());
};

const TABS = ["profile", "flame", "tree", "callers", "calls", "trace", "insights", "frames"];
for (const tab of drawn(TABS, "stops"))
  await check(
    `Tab and Shift+Tab go through the page with ${tab}, and every stop is seen`,
    async () => {
      await open(`tab=${tab}&method=${METHOD}&search=Database`);
      await assertWalks("body");
    },
  );

// Firefox stops at whatever scrolls and has no stop of its own, and brings what has the focus into sight in its own way.
const stopInFirefox = `
  const at = document.activeElement;
  if (at === null || at === document.body || at === document.documentElement) return null;
  self.stops ??= new Map();
  if (!self.stops.has(at)) self.stops.set(at, self.stops.size);
  const box = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const around = getComputedStyle(at.closest(".search") ?? at);
  const probe = document.createElement("i");
  probe.style.color = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  document.body.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();
  const topOf = (selector) => document.querySelector(selector).getBoundingClientRect().top;
  const group = at.closest("[role=radiogroup], [role=tablist], [role=tree], [role=listbox]");
  const middle = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 8));
  return {
    name: self.stops.get(at) + " " + at.tagName + "." + at.className + " " + at.textContent.trim().slice(0, 30),
    isSeen: box.width > 0 && box.bottom > 8 && box.top < innerHeight - 8 &&
      (at.matches("[role=slider], [role=columnheader] *") || at.contains(middle) || middle?.contains(at) === true),
    isMarked: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) ||
      around.borderTopColor === accent,
    isKnown: at.matches("button, input, select, a[href], summary, [role], [aria-label]"),
    group: group === null || group.querySelectorAll("[aria-checked], [aria-selected]").length === 0
      ? null
      : group.getAttribute("aria-label") ?? group.className,
    own: document.querySelector(".gutter").scrollTop,
    apart: Math.abs(topOf(".gutter") - topOf(".stage")),
  };`;
const assertWalksInFirefox = async (firefox) => {
  const names = new Set();
  const groups = [];
  for (let i = 0; i < MOST; i += 1) {
    await firefox.press(TAB);
    await firefox.run(
      "return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(1))))",
    );
    const at = await firefox.run(stopInFirefox);
    // The browser's own stops come last.
    if (at === null || names.has(at.name)) return names;
    names.add(at.name);
    if (at.group !== null) groups.push(at.group);
    assert.ok(at.isSeen, `not on the screen: ${at.name}`);
    assert.ok(at.isMarked, `no ring: ${at.name}`);
    assert.ok(at.isKnown, `nobody knows what it is: ${at.name}`);
    assert.equal(at.own, 0, `the names alone were scrolled: ${at.name}`);
    assert.ok(at.apart < 1, `names and rows are ${at.apart} px apart: ${at.name}`);
    assert.equal(new Set(groups).size, groups.length, `two stops in a group: ${at.name}`);
  }
  throw new Error("the focus never comes round");
};

await checkProgram("Tab goes through the page in Firefox, and rows stay beside names", async () => {
  const firefox = await startFirefox();
  try {
    for (const tab of drawn(TABS.slice(0, -1), "stops in Firefox")) {
      await firefox.goto("about:blank");
      await firefox.goto(`${viewer.url}#tab=${tab}&method=${METHOD}`);
      await firefox.waitFor(
        `return document.querySelector(".gutter .fold") !== null &&
          document.querySelector("#tab-panel :is(.tr, .flame-scroll, .insight)") !== null &&
          document.querySelector("[aria-busy=true], [data-busy=true]") === null`,
      );
      const names = await assertWalksInFirefox(firefox);
      assert.ok(names.size > 20, `${names.size} stops with ${tab}`);
    }
  } finally {
    await firefox.stop();
  }
});

for (const [name, key] of [
  ["help", "?"],
  ["threads", "t"],
  ["marks", "Shift+M"],
])
  await check(
    `the dialog ${name} is walked, and left by Escape to where the keyboard was`,
    async () => {
      await open(`method=${METHOD}`);
      await page.locator(".table-body").focus();
      await page.keyboard.press(key);
      await page.locator("dialog[open]").waitFor();
      await assertWalks("dialog[open]");
      await page.locator("dialog[open] button").first().focus();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await rest();
      assert.ok(await page.evaluate(() => document.activeElement.matches(".table-body")));
    },
  );

await check("what is opened while a dialog closes stays open", async () => {
  await open("");
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  // The browser closes a dialog first and tells the page of it later.
  await page.evaluate(() => {
    document.querySelector("dialog[open]").close();
    const key = { key: "k", code: "KeyK", ctrlKey: true, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", key));
  });
  await rest();
  assert.ok(await page.getByRole("dialog", { name: "Commands" }).isVisible());
  await page.keyboard.press("Escape");
});

for (const name of ["Share", "All threads", "Group", "Columns"])
  await check(`the menu ${name} is walked by arrows, and left by Escape and by Tab`, async () => {
    await open(`method=${METHOD}`);
    const button = page.getByRole("button", { name, exact: true });
    for (const leave of ["Escape", "Tab", "Shift+Tab"]) {
      await button.focus();
      await page.keyboard.press("Enter");
      await page.locator(".menu").waitFor();
      await rest();
      const count = await page.locator(".menu button").count();
      const seen = new Set();
      for (let i = 0; i < count; i += 1) {
        const at = await stop();
        assert.ok(at.isMarked, at.name);
        seen.add(at.name);
        await page.keyboard.press("ArrowRight");
      }
      assert.equal(seen.size, count);
      await page.keyboard.press(leave);
      await page.locator(".menu").waitFor({ state: "detached" });
      await rest();
      assert.equal(await button.evaluate((one) => document.activeElement === one), true);
    }
  });

await check(
  "in a menu arrows up and down, Home, End and the beginning of a name lead to lines",
  async () => {
    await open("");
    await page.getByRole("button", { name: "All threads", exact: true }).focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu", { name: "Threads" });
    const labels = await menu.locator("button:not(.menu-alone)").evaluateAll(labelsOf);
    const rows = await page.locator(".gutter .row .fold .thread-name").allTextContents();
    assert.deepEqual(labels.slice(1, 1 + rows.length), rows, "threads in the order of their rows");
    const focused = () => menu.locator("button:focus").evaluateAll(labelsOf);
    const down = [];
    for (const _ of labels) {
      down.push(...(await focused()));
      await page.keyboard.press("ArrowDown");
    }
    assert.deepEqual(down, labels);
    await page.keyboard.press("End");
    assert.deepEqual(await focused(), labels.slice(-1));
    await page.keyboard.press("Home");
    assert.deepEqual(await focused(), labels.slice(0, 1));
    await page.keyboard.press("Shift+C");
    await page.keyboard.type("ommon");
    assert.deepEqual(await focused(), ["Common-Cleaner"]);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#thread-button").innerText(), "All threads");
  },
);

await check(
  "a space in the beginning of a name that is typed presses nothing in a menu",
  async () => {
    await page.getByRole("button", { name: "Share", exact: true }).focus();
    await page.keyboard.press("Enter");
    const buttons = page.locator(".menu button");
    const named = (await buttons.evaluateAll(labelsOf)).findLast((label) => label.includes(" "));
    await page.keyboard.type(named);
    assert.deepEqual(await page.locator(".menu button:focus").evaluateAll(labelsOf), [named]);
    await page.keyboard.press("Escape");
  },
);

const PANELS = [
  ["1", ".table-body"],
  ["2", ".flame-scroll"],
  ["3", ".table-body"],
  ["4", ".table-body"],
  ["5", ".table-body"],
  ["6", ".table-body"],
  ["7", ".insight"],
];
await check("the digits lead into the panels, and arrows then stay in them", async () => {
  await open(`method=${METHOD}`);
  await page.locator(".timeline-scroll").focus();
  await page.keyboard.press(".");
  await rest();
  const call = () => decodeURIComponent(page.url()).match(/call=([^&]*)/)?.[1] ?? "";
  for (const [key, target] of PANELS) {
    await page.locator(".timeline-scroll").focus();
    await page.keyboard.press(key);
    await rest();
    const isThere = await page.evaluate(
      (selector) => document.activeElement.matches(`#tab-panel ${selector}`),
      target,
    );
    assert.ok(isThere, key);
    const asked = [];
    const note = (request) => asked.push(request.url());
    page.on("request", note);
    for (const arrow of ["ArrowLeft", "ArrowRight"]) await page.keyboard.press(arrow);
    await rest();
    page.off("request", note);
    assert.deepEqual(
      asked.filter((address) => /api\/call\?.*step=/.test(address)),
      [],
      `${key}: ${call()}`,
    );
  }
});

await check("a choice of one is one stop for Tab, and arrows choose", async () => {
  await open("");
  const chosen = page.locator(".bar [role=radio][aria-checked=true]");
  await chosen.focus();
  assert.equal(await chosen.innerText(), "CPU");
  await page.keyboard.press("ArrowRight");
  await rest();
  assert.equal(await chosen.innerText(), "Wait");
  await page.keyboard.press("ArrowRight");
  await rest();
  assert.equal(await chosen.innerText(), "Wall");
  assert.ok(await chosen.evaluate((one) => one === document.activeElement));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "thread-button");
});

await check("what cannot be done is grey in menus, with what it lacks", async () => {
  await open("");
  await page.getByRole("button", { name: "Share" }).click();
  const stack = page.getByRole("menuitem", { name: "Copy the call's stack" });
  assert.equal(await stack.getAttribute("aria-disabled"), "true");
  assert.match(await stack.innerText(), /no call is selected/);
  await page.keyboard.press("Escape");
  await page.locator("[data-rank]").first().click({ button: "right" });
  const source = page.getByRole("menuitem", { name: "Open the source" });
  assert.equal(await source.getAttribute("aria-disabled"), "true");
  assert.match(await source.innerText(), /no link in the settings yet/);
  await page.keyboard.press("Escape");
});

await check("a hidden panel comes back when a digit leads into it", async () => {
  await open("");
  await page.keyboard.press("q");
  await page.locator(".lower").waitFor({ state: "hidden" });
  await page.keyboard.press("2");
  await rest();
  assert.ok(await page.locator(".flame-scroll").isVisible());
});

await browser.stop();
await viewer.stop();
finish();
