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

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const rest = () => settle(page);
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";

const open = (link) => followLink(page, viewer, link);

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
        await page.keyboard.press("ArrowDown");
      }
      assert.equal(seen.size, count);
      await page.keyboard.press(leave);
      await page.locator(".menu").waitFor({ state: "detached" });
      await rest();
      assert.equal(await button.evaluate((one) => document.activeElement === one), true);
    }
  });

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
