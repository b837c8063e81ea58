// The page in a real browser over the bundled example: opens, sorts, expands, zooms, selects, in light
// and dark, and axe-core finds nothing.
import assert from "node:assert/strict";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  IS_ENGINE,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
  wheel,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const names = () =>
  page.$$eval("[data-rank] code", (cells) => cells.map((cell) => cell.textContent));
const row = (name) => page.locator("[role=row][data-rank]", { hasText: name }).first();
const boxes = () => page.$eval(".stage canvas", (canvas) => Number(canvas.dataset.boxes ?? 0));
const where = () => page.locator(".where").textContent();
const rest = () => settle(page);
const stage = () => page.locator(".stage").boundingBox();

async function cells(name) {
  const found = row(name);
  await found.waitFor();
  return found.locator(".td").allTextContents();
}

await check("opens and shows the file, its threads and its calls", async () => {
  const asked = [];
  const note = (request) => /\/api\//.test(request.url()) && asked.push(request.url());
  page.on("request", note);
  await page.goto(viewer.url);
  await page.locator("[data-rank]").first().waitFor();
  await settle(page);
  page.off("request", note);
  const twice = asked.filter((url, ix) => asked.indexOf(url) < ix);
  assert.deepEqual(twice, [], "nothing is asked twice");
  assert.match(await page.title(), /recipes\.trace/);
  assert.match(await page.locator(".facts").textContent(), /5 threads · 401,98\d calls/);
});

await check(
  "nothing moves once the first picture is there, in wide and narrow windows",
  async () => {
    // What can be recorded is found later, too.
    const late = await startBrowser({ seesDevices: true });
    const java = {
      pid: 7,
      name: "App",
      user: "me",
      java: "17",
      uptime_s: 5,
      ready: true,
      advice: "",
    };
    await late.context.route(/api\/processes/, async (route) => {
      await new Promise((done) => setTimeout(done, 300));
      await route.fulfill({ json: { recorder: true, advice: "", processes: [java] } });
    });
    for (const [width, height] of [
      [1400, 900],
      [1280, 720],
      [900, 600],
      [600, 800],
    ]) {
      const other = await late.context.newPage();
      await other.setViewportSize({ width, height });
      await other.addInitScript(() => {
        self.shifts = [];
        const told = (place) => place.node?.parentElement?.outerHTML.slice(0, 120) ?? "";
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries())
            self.shifts.push(`${value} ${sources.map(told).join(" ")}`);
        }).observe({ type: "layout-shift", buffered: true });
      });
      const found = IS_ENGINE ? null : other.waitForResponse(/api\/processes/);
      await other.goto(viewer.url);
      await other.locator("[data-rank]").first().waitFor();
      await found;
      await other.locator(".tab-count", { hasText: /\d/ }).waitFor();
      await settle(other);
      assert.deepEqual(await other.evaluate(() => self.shifts), [], `${width} x ${height}`);
      await other.close();
    }
    await late.stop();
  },
);

await check("draws the busiest thread unfolded, and no more than 10,000 boxes", async () => {
  await page.waitForFunction(
    () => Number(document.querySelector(".stage canvas")?.dataset.boxes ?? 0) > 100,
  );
  assert.ok((await boxes()) <= 10_000);
  assert.equal(await page.locator(".gutter [aria-expanded=true]").count(), 1);
  assert.match(await page.locator(".gutter").textContent(), /main/);
});

await checkProgram(
  "until the first picture stands nothing is asked but what it shows",
  async () => {
    const other = await browser.context.newPage();
    await other.addInitScript(() => {
      self.asked = [];
      const note = (address) => {
        const isPictured = document.querySelector(".stage canvas[data-boxes]") !== null;
        if (!isPictured) self.asked.push(String(address).split("?")[0]);
      };
      const { fetch, WebSocket } = self;
      self.fetch = (address, ...others) => {
        note(address);
        return fetch(address, ...others);
      };
      self.WebSocket = class extends WebSocket {
        constructor(address) {
          note(new URL(address).pathname.slice(1 + new URL(address).pathname.indexOf("/", 1)));
          super(address);
        }
      };
    });
    await other.goto(viewer.url);
    await other.locator("[data-rank]").first().waitFor();
    assert.deepEqual(await other.evaluate(() => self.asked), [
      "api/events",
      "api/first",
      "api/window",
    ]);
    await other.close();
  },
);

await check("the layer above the boxes is there while something is on it", async () => {
  const layer = page.locator(".stage canvas").nth(1);
  await layer.waitFor({ state: "hidden" });
  const box = await stage();
  await page.mouse.move(box.x + 300, box.y + 60);
  await layer.waitFor({ state: "visible" });
  await page.mouse.move(10, 10);
  await layer.waitFor({ state: "hidden" });
});

await check("begins with whose own code took the time, as traceview top does", async () => {
  const heading = page.locator("[role=columnheader]", { hasText: "Excl CPU" });
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("sort"), null);
  const { methods } = await (await fetch(`${viewer.api}top?n=1`)).json();
  assert.equal(
    await page.locator("[data-rank]").first().getAttribute("data-rank"),
    `${methods[0].rank}`,
  );
});

await check("has seven columns at first", async () => {
  assert.equal(await page.locator("[role=columnheader]").count(), 7);
});

await check("sorts by inclusive time, and back up on a second press", async () => {
  const heading = page.locator("[role=columnheader]", { hasText: "Incl CPU" });
  await heading.locator("button").click();
  await rest();
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  assert.match((await names())[0], /RecipeApp\.main/);
  const top = Number(
    (await page.locator("[data-rank]").first().locator(".td").nth(1).textContent()).trim(),
  );
  await heading.locator("button").click();
  await rest();
  assert.equal(await heading.getAttribute("aria-sort"), "ascending");
  const low = Number(
    (await page.locator("[data-rank]").first().locator(".td").nth(1).textContent()).trim(),
  );
  assert.ok(top > low, `${top} > ${low}`);
  await heading.locator("button").click();
  await rest();
  assert.match((await names())[0], /RecipeApp\.main/);
});

await check("sorts by name from A", async () => {
  await page.locator("[role=columnheader]", { hasText: "Name" }).locator("button").click();
  await rest();
  const shown = await names();
  assert.deepEqual([...shown].sort()[0] === undefined, false);
  assert.ok(!/RecipeApp\.main/.test(shown[0]));
  await page.locator("[role=columnheader]", { hasText: "Incl CPU" }).locator("button").click();
  await rest();
});

await check("a method opens into callers and callees with its exclusive time", async () => {
  const listener = row("LoadListener.nativeFinished");
  await listener.locator(".twist-button").click();
  await page.locator(".tr.inside.children", { hasText: "exclusive" }).waitFor();
  await rest();
  assert.equal(await page.locator(".tr.group.parents").count(), 1);
  assert.ok((await page.locator(".tr.inside.children").count()) >= 2);
  const query = await page
    .locator(".tr.inside.children", { hasText: "Database.query" })
    .first()
    .locator(".td")
    .allTextContents();
  assert.ok(query.includes("14/14"), query.join(" | "));
});

await check("parents are purple and children yellow", async () => {
  const colour = (selector) =>
    page.$eval(selector, (element) => getComputedStyle(element).backgroundColor);
  assert.notEqual(await colour(".tr.inside.parents"), await colour(".tr.inside.children"));
});

await check("pressing a child opens it alone", async () => {
  await page.locator(".tr.inside.children", { hasText: "Database.query" }).first().click();
  await rest();
  assert.match(await page.locator(".tr.selected").textContent(), /Database\.query/);
  assert.equal(await page.locator("[data-rank][aria-expanded=true]").count(), 1);
});

await check("a click in the timeline selects the call in both panels", async () => {
  await page.keyboard.press("Escape");
  const box = await stage();
  await page.mouse.click(box.x + box.width * 0.6, box.y + 30);
  await page.locator(".tr.selected", { hasText: "RecipeApp.main" }).waitFor();
  await page.locator("#tab-calls", { hasText: /Calls 1$/ }).waitFor();
});

await check("hovering shows the call's own numbers", async () => {
  const box = await stage();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 50);
  await page.locator(".card", { hasText: /wall.*CPU.*1 of 1/s }).waitFor();
  await page.mouse.move(10, 10);
});

await check("a drag selects a range, which the table follows", async () => {
  const before = await cells("RecipeApp.main");
  const box = await stage();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 6 });
  await page.mouse.up();
  await rest();
  assert.match(await where(), /^in \d/);
  const after = await cells("RecipeApp.main");
  assert.ok(Number(after[1]) < Number(before[1]), `${after[1]} < ${before[1]}`);
});

await check("Enter zooms to it and leaves a breadcrumb", async () => {
  await page.keyboard.press("Enter");
  await rest();
  assert.match(page.url(), /range=\d/);
  assert.match(await page.locator(".crumbs").textContent(), /Whole trace.*ms/);
});

await check("W zooms, D pans, 0 goes back to the whole trace", async () => {
  await page.keyboard.press("0");
  await rest();
  await page.keyboard.press("KeyW");
  await rest();
  const zoomed = page.url();
  assert.match(zoomed, /view=/);
  await page.keyboard.press("KeyD");
  await rest();
  assert.notEqual(page.url(), zoomed);
  await page.keyboard.press("0");
  await rest();
  assert.doesNotMatch(page.url(), /view=|range=/);
});

await check("Ctrl and the wheel zoom at the pointer", async () => {
  const box = await stage();
  await page.mouse.move(box.x + 400, box.y + 100);
  await page.keyboard.down("Control");
  await wheel(page, 0, -400);
  await page.keyboard.up("Control");
  await rest();
  assert.match(page.url(), /view=/);
  await page.keyboard.press("0");
  await rest();
});

await check("threads fold and unfold", async () => {
  const fold = page.locator(".gutter .fold").first();
  for (const isOpen of ["false", "true"]) {
    await fold.click();
    await rest();
    assert.equal(await fold.getAttribute("aria-expanded"), isOpen);
  }
});

await check("the clock switch changes the leading columns", async () => {
  await page.getByRole("radio", { name: "Wall" }).click();
  await rest();
  assert.match(await page.locator("[role=columnheader]").nth(1).textContent(), /Incl Wall/);
  await page.getByRole("radio", { name: "CPU" }).click();
  await rest();
});

await check("search finds, counts and walks", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("nativeFinished");
  await page.locator(".found", { hasText: /^1$/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tr.selected", { hasText: "nativeFinished" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
});

await check("the link gives the same view in another page", async () => {
  await page.locator("#search").fill("Database.parse");
  await rest();
  await page.keyboard.press("Enter");
  await page.locator(".tr.selected", { hasText: "Database.parse" }).waitFor();
  await page.locator("#search").fill("");
  await page.keyboard.press("Escape");
  await rest();
  const other = await browser.context.newPage();
  await other.goto(page.url());
  await other.locator(".tr.selected", { hasText: "Database.parse" }).waitFor();
  await other.close();
});

await check("a narrow thread set changes the numbers", async () => {
  await page.keyboard.press("n");
  await rest();
  assert.match(await where(), /1 of 5 threads$/);
  await page.keyboard.press("p");
  await rest();
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await rest();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
    await assertFine(page);
  });

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await viewer.stop();
finish();
