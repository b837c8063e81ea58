// The details pane in a real browser: where the time of what is selected went, what it waited for, and each of its rows
// one press from its place in the timeline.
import assert from "node:assert/strict";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const pane = page.locator(".details");
const link = () => decodeURIComponent(page.url());

// Follows a link in the page that is open; what a check leaves behind that no link names, or asks for that a page asks for once,
// takes a page of its own.
const open = (view) => followLink(page, viewer, view, "[data-rank]");
const openAnew = (view) => openView(page, viewer, view, "[data-rank]");

const figure = async (name) =>
  (
    await pane
      .locator(".details-figures div", { has: page.getByText(name, { exact: true }) })
      .locator("dd")
      .textContent()
  ).trim();

await page.goto(viewer.url);
await page.locator("[data-rank]").first().waitFor();

// The link names the method as the program does.
const named = await page.evaluate(async (api) => {
  const answer = await fetch(`${api}search?q=LoadListener.nativeFinished`);
  const [rank] = (await answer.json()).ranks;
  return (await (await fetch(`${api}methods?ranks=${rank}`)).json()).methods[0].method;
}, viewer.api);
const CALL = `call=${encodeURIComponent(`1:main|10|${named}`)}`;

await check("a call tells its times, and what it waited for by name", async () => {
  await open(`${CALL}&clock=wall`);
  assert.equal(await figure("Wall"), "104 ms");
  assert.equal(await figure("CPU"), "78.0 ms");
  assert.equal(await figure("Wait"), "26.1 ms");
  const waits = pane.getByRole("region", { name: "What it waited for" });
  assert.equal(await waits.locator("h3").textContent(), "Waited 26.1 ms");
  assert.match(
    await waits.locator(".details-row").first().textContent(),
    /Thread\.sleep.*26\.1 ms/,
  );
  assert.match(await pane.getByRole("region", { name: "Inside" }).textContent(), /compactCache/);
  assert.match(
    await pane.getByRole("region", { name: "Longest path" }).textContent(),
    /levels that pass it on/,
  );
  assert.match(
    await pane.getByRole("region", { name: "Distribution" }).textContent(),
    /Longer than 86 % of 14 calls, 53× the median/,
  );
  assert.equal(await pane.locator(".details-place").count(), 1);
});

await check("a press on what was waited for shows that call in the timeline", async () => {
  await pane.locator(".details-row", { hasText: "Thread.sleep" }).first().click();
  await settle(page);
  assert.match(link(), /call=1:main\|\d+\|java\.lang\.Thread\.sleep/);
  assert.equal(await figure("Wait"), "25.1 ms");
  await page.goBack();
  await settle(page);
  assert.match(link(), /nativeFinished/);
  assert.equal(await figure("Wait"), "26.1 ms");
});

await check("the method, the thread and the range are a press away", async () => {
  await pane.getByRole("radio", { name: "Method" }).click();
  await settle(page);
  assert.equal(await figure("Wall"), "330 ms");
  assert.equal(await figure("Calls"), "14");
  await pane.getByRole("radio", { name: "Thread" }).click();
  await settle(page);
  assert.match(await pane.locator("h2").textContent(), /main/);
  await open("picked=620-724ms&clock=wall");
  assert.equal(
    await pane.getByRole("radio", { name: "Range" }).getAttribute("aria-checked"),
    "true",
  );
  assert.equal(await figure("Wall"), "520 ms");
});

await check("a method shows its longest call, wherever the timeline is", async () => {
  await open(`method=${encodeURIComponent(named)}&clock=wall&view=0-20ms`);
  await pane.getByRole("button", { name: "Show" }).click();
  await settle(page);
  const [from, to] = link()
    .match(/view=([\d.]+)-([\d.]+)ms/)
    .slice(1)
    .map(Number);
  const longest = await page.evaluate(async (api) => {
    const [rank] = (await (await fetch(`${api}search?q=LoadListener.nativeFinished`)).json()).ranks;
    const { calls } = await (await fetch(`${api}calls?method=${rank}&n=1&clock=wall`)).json();
    return [calls[0].start_ns / 1e6, calls[0].end_ns / 1e6];
  }, viewer.api);
  assert.ok(longest[0] > 20 && from < longest[1] && to > longest[0], `${from} to ${to} ms`);
});

await check("a recursive method has the own time that the Profile says", async () => {
  const row = await page.evaluate(
    async (api) => (await (await fetch(`${api}top?n=1&match=RecipeApp.fib`)).json()).methods[0],
    viewer.api,
  );
  assert.ok(row.recursive_calls > 0);
  await open(`method=${encodeURIComponent(row.method)}&clock=wall`);
  assert.equal(await figure("Excl Wall"), `${(row.exclusive.wall_ns / 1e6).toFixed(1)} ms`);
  assert.match(
    await pane.getByRole("region", { name: "Inside" }).textContent(),
    /its own code, outermost calls\d/,
  );
});

await check("every time says which clock it is, or its heading does", async () => {
  for (const clock of ["wall", "cpu", "wait"])
    for (const subject of [`method=${encodeURIComponent(named)}`, CALL, "picked=620-724ms"]) {
      await open(`${subject}&clock=${clock}`);
      const told = await pane.evaluate((one) => {
        const isTime = /\d (ns|µs|ms|s)/;
        const figures = [...one.querySelectorAll(".details-figures div")];
        return [
          ...figures
            .filter((figure) => isTime.test(figure.lastElementChild.textContent))
            .map((figure) => figure.firstElementChild.textContent),
          ...[...one.querySelectorAll("section")]
            .filter((section) => isTime.test(section.textContent))
            .map((section) => section.querySelector("h3").textContent),
        ];
      });
      assert.ok(told.length >= 5, told.join("; "));
      for (const heading of told) assert.match(heading, /wall|CPU|wait/i);
    }
});

await check(
  "its actions: calls, callers, the flame graph from here, a copy with the numbers",
  async () => {
    await open(`${CALL}&clock=wall`);
    await pane.getByRole("button", { name: "Callers" }).click();
    await settle(page);
    assert.match(link(), /tab=callers/);
    await pane.getByRole("button", { name: "Calls", exact: true }).click();
    await settle(page);
    assert.match(link(), /tab=calls/);
    await pane.getByRole("button", { name: "Copy" }).click();
    await settle(page);
    assert.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /Waited 26\.1 ms: Thread\.sleep 26\.1 ms\./,
    );
    const whole = async () => {
      await settle(page);
      assert.match(link(), /tab=flame/);
      return page.locator("#tab-panel").textContent();
    };
    await pane.getByRole("button", { name: "Flame" }).click();
    assert.match(await whole(), /104 ms wall time/, "of the call, and of no other thread");
    assert.match(link(), /within=1:main\|10\|.*nativeFinished/);
    assert.equal(await figure("Wait"), "26.1 ms");
    await open(`${CALL}&clock=wall`);
    await pane.getByRole("radio", { name: "Thread" }).click();
    await settle(page);
    const ofThread = await figure("Wall");
    await pane.getByRole("button", { name: "Flame" }).click();
    assert.ok((await whole()).includes(`${ofThread} wall time`), "of the thread alone");
    assert.match(link(), /threads=1:main/);
  },
);

await check("the copied lists are on the clock that they were found on", async () => {
  await open("clock=cpu&picked=620-724ms");
  await pane.getByRole("button", { name: "Copy" }).click();
  await settle(page);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^Along the longest path, CPU time:$/m);
  const [, first] = /^Inside, CPU time:\n {2}(\S+ \S+) /m.exec(text);
  const row = pane.getByRole("region", { name: "Inside" }).locator(".details-row").first();
  assert.equal(await row.locator(".details-time").textContent(), first);
});

await check("idle threads count nowhere where they do not count in the Profile", async () => {
  const method = (name) => `method=${encodeURIComponent(name)}`;
  const follow = (view) => followLink(page, viewer, view, "#tab-panel");
  await follow(`clock=wait&tab=calls&${method("java.lang.Object.hashCode ()I")}`);
  const footer = page.locator(".table-footer .grow");
  assert.match(await footer.textContent(), /4,572 calls/);
  assert.equal(await figure("Calls"), "4,572");
  assert.match(await pane.locator(".details-title").textContent(), /on 1 of 5 threads/);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("menuitem", { name: /as Markdown/ }).click();
  await settle(page);
  const report = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(report, /without 4 idle threads/);
  assert.match(report, /calls 4,572/);
  // All of its calls are of such a thread.
  const panel = page.locator("#tab-panel");
  await follow(`clock=wait&tab=callers&${method("java.lang.Object.wait (J)V")}`);
  assert.match(await panel.textContent(), /No call of it that waited itself in these threads\./);
  await page.getByRole("tab", { name: "Calls" }).click();
  await settle(page);
  assert.match(await panel.textContent(), /No call of it in these threads\./);
  await page.getByRole("button", { name: "Count idle threads, too" }).click();
  await settle(page);
  assert.match(await footer.textContent(), /1 call/);
  assert.match(link(), /idle=counted/);
});

await check("it can be closed and made larger, and stays so", async () => {
  await open(`${CALL}&clock=wall`);
  const before = (await pane.boundingBox()).width;
  await page.getByRole("separator", { name: "Size of the details" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await settle(page);
  const after = (await pane.boundingBox()).width;
  assert.ok(after > before + 40, `${before} became ${after}`);
  await page.getByRole("button", { name: "Close the details" }).click();
  await settle(page);
  assert.equal(await pane.count(), 0);
  await openAnew(`${CALL}&clock=wall`);
  assert.equal(await pane.count(), 0);
  await page.keyboard.press("x");
  await settle(page);
  assert.equal(Math.round((await pane.boundingBox()).width), Math.round(after));
});

await check("in a narrow window it lies below the tabs", async () => {
  for (const [width, height] of [
    [900, 600],
    [1280, 720],
    [2560, 1440],
  ]) {
    await page.setViewportSize({ width, height });
    await settle(page);
    const own = await pane.boundingBox();
    const tabs = await page.locator(".tab-panel").boundingBox();
    if (width <= 1000) assert.ok(own.y >= tabs.y + tabs.height, "below");
    else assert.ok(own.x >= tabs.x + tabs.width, "beside");
    assert.ok(own.height >= 100, `${own.height} px high`);
    await page.emulateMedia({ colorScheme: "light" });
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertColours(page);
  }
});

await check("who waited: idle threads are apart, and a press counts them", async () => {
  await page.setViewportSize({ width: 1600, height: 900 });
  await open("clock=wait&sort=exclusive.wait.desc&picked=620-724ms");
  const first = page.locator(".profile [role=treegrid] .tr[data-rank], .tr[data-rank]").first();
  assert.match(await first.textContent(), /sleep/);
  const chip = page.locator(".chip.idle");
  assert.match(await chip.textContent(), /without 4 idle threads/);
  await chip.click();
  const menu = page.getByRole("menu", { name: "Idle threads" });
  assert.match(await menu.textContent(), /Common-Cleaner.*104 ms/);
  await menu.getByRole("menuitemcheckbox").click();
  await page.keyboard.press("Escape");
  await settle(page);
  assert.match(await first.textContent(), /park/);
  assert.match(link(), /idle=counted/);
  await page.reload();
  await chip.waitFor();
  await settle(page);
  assert.match(await first.textContent(), /park/);
  await chip.click();
  await menu.getByRole("menuitem", { name: "Common-Cleaner" }).click();
  await settle(page);
  assert.match(link(), /threads=2:Common-Cleaner/);
  assert.match(await first.textContent(), /Object.*wait/s);
});

await check("no row has more exclusive than inclusive wait", async () => {
  const rows = await page.evaluate(async (api) => {
    const answer = await fetch(`${api}top?clock=wait&n=0`);
    return (await answer.json()).methods.map((row) => row.wait);
  }, viewer.api);
  assert.ok(rows.length > 500);
  assert.deepEqual(
    rows.filter((wait) => wait.exclusive_ns > wait.inclusive_ns),
    [],
  );
});

await check(
  "rows that are found, and rows that are marked, are added up below the Profile",
  async () => {
    await open("clock=wall&sort=inclusive.wall.desc&search=HashMap&filter=HashMap");
    const totals = page.locator(".table-footer .totals");
    await totals.waitFor();
    const set = await page.evaluate(
      async (api) => (await (await fetch(`${api}top?clock=wall&match=HashMap&set=1`)).json()).set,
      viewer.api,
    );
    assert.ok(set.methods > 10 && set.exclusive.wall_ns < set.inclusive.wall_ns);
    const calls = String(set.calls).replace(/\B(?=(\d{3})+$)/g, ",");
    assert.match(await totals.textContent(), new RegExp(`^${calls} calls, inclusive`));
    await open("clock=wall&sort=inclusive.wall.desc");
    await page.locator("[data-rank]").first().click();
    for (let ix = 0; ix < 3; ix += 1) await page.keyboard.press("Shift+ArrowDown");
    await settle(page);
    await totals.waitFor();
    const marked = await page.evaluate(
      async (api) =>
        (await (await fetch(`${api}top?clock=wall&sort=inclusive&by=wall&n=4&set=page`)).json())
          .set,
      viewer.api,
    );
    assert.equal(marked.methods, 4);
    const text = await totals.textContent();
    assert.match(text, /^4 marked: /);
    // The four contain one another: together they are not more than the trace.
    const inclusive = `inclusive ${(marked.inclusive.wall_ns / 1e9).toFixed(2)} s`;
    assert.ok(text.includes(inclusive), `${text} has ${inclusive}`);
  },
);

await check("nothing went wrong in the page meanwhile", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await viewer.stop();
finish();
