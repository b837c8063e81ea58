// Questions over all traces of a site, clicked through: from the apps to two builds, to a method, and from each row to the traces
// that show it, which open at the longest call.
import assert from "node:assert/strict";
import {
  assertAccessible,
  createChecks,
  settle,
  startBrowser,
  startSite,
  until,
  watchProblems,
} from "./harness.mjs";

const { check, finish } = createChecks();
const site = await startSite(["--rows", "asked"]);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const NAMES = ["shop.Cart.pay", "shop.Cart.show"];

// A trace of version 1 that calls both methods in turns, a millisecond each; call `slow` of pay takes 40 ms.
function traceOf(calls, slow, run) {
  const head = `*version\n1\nclock=global\n*threads\n1\tmain\n*methods\n${NAMES.map(
    (name, ix) =>
      `0x${(4 * (ix + 1)).toString(16)}\tshop.Cart\t${name.slice(10)}\t()V\tCart.java\n`,
  ).join("")}*end\n`;
  const body = Buffer.alloc(16 + calls * 4 * 9);
  body.write("SLOW");
  body.writeUInt16LE(1, 4);
  body.writeUInt16LE(16, 6);
  let [now, at] = [0, 16];
  for (let call = 0; call < 2 * calls; call++)
    for (const action of [0, 1]) {
      body.writeUInt8(1, at);
      body.writeUInt32LE(4 * ((call % 2) + 1) + action, at + 1);
      body.writeUInt32LE(now, at + 5);
      at += 9;
      now += action ? 10 : (call === 2 * slow ? 40000 : 1000) + run;
    }
  return Buffer.concat([Buffer.from(head), body]);
}

// When the slow call began, in ms: each call and its pause before it.
const begins = (slow, run) => (2 * slow * (1010 + run)) / 1000;

const SLOW = { 417: 30, 418: 70 };
for (const build of [417, 418])
  for (const run of [0, 1, 2])
    await fetch(
      `${site.url}api/v1/traces?name=a.trace&rows=1&label_app=shop&label_build=${build}&label_device=pixel`,
      { method: "PUT", body: traceOf(build === 418 ? 120 : 100, SLOW[build], run) },
    );
await until(async () => {
  const told = await (await fetch(`${site.url}api/v1/apps`)).json();
  return told.traces === 6 && told.without_rows === 0;
});

// The viewer's page shows the slow call of the build, and its method is chosen.
async function assertAtSlowest(link, builds) {
  const href = await link.getAttribute("href");
  await link.click();
  await page.locator("[data-rank]").first().waitFor();
  await settle(page);
  const [, from, to] = /view=([\d.]+)-([\d.]+)ms/.exec(href) ?? [];
  const shown = builds.some((build) =>
    [0, 1, 2].some((run) => {
      const at = begins(SLOW[build], run);
      return Number(from) <= at && at + 40 <= Number(to) && to - from < 400;
    }),
  );
  assert.ok(shown, `${href} shows the slow call of ${builds}`);
  assert.match(await page.locator("[data-rank][aria-selected=true]").first().textContent(), /pay/);
  await page.goBack();
  await page.locator("h1").waitFor();
}

await check(
  "apps lead to builds, and builds to the longest call of their worst method",
  async () => {
    await page.goto(`${site.url}apps`);
    await assertAccessible(page);
    await page.getByRole("link", { name: "shop" }).click();
    await page.locator("h1", { hasText: "shop" }).waitFor();
    await assertAccessible(page);
    const rows = page.locator("tbody tr");
    assert.equal(await rows.count(), 2);
    for (const [ix, build] of [
      [0, 418],
      [1, 417],
    ])
      await assertAtSlowest(
        rows.nth(ix).locator('a[title="The trace, at the longest call"]').first(),
        [build],
      );
  },
);

await check("two builds lead to a trace of either, at the longest call", async () => {
  await page.goto(`${site.url}apps?app=shop`);
  await page.getByRole("link", { name: "against the one before" }).first().click();
  await page.locator("h1", { hasText: "417 → 418" }).waitFor();
  await assertAccessible(page);
  const row = page.locator("tbody tr", { hasText: "shop.Cart.pay" }).first();
  await assertAtSlowest(row.locator("td a").nth(0), [417]);
  await assertAtSlowest(row.locator("td a").nth(1), [418]);
});

await check(
  "a method leads to a usual trace and to the slowest, of each build and device",
  async () => {
    await page.goto(`${site.url}apps/diff?app=shop`);
    await page
      .getByRole("link", { name: /shop\.Cart\.pay/ })
      .first()
      .click();
    await page.locator("h1", { hasText: "shop.Cart.pay" }).waitFor();
    await assertAccessible(page);
    const tables = page.locator("table");
    for (const [ix, build] of [
      [0, 418],
      [1, 417],
    ])
      for (const column of [0, 1])
        await assertAtSlowest(
          tables.nth(0).locator("tbody tr").nth(ix).locator("td a").nth(column),
          [build],
        );
    await assertAtSlowest(tables.nth(1).locator("tbody tr").locator("td a").nth(1), [417, 418]);
  },
);

await check("columns of a test are there where times were tested", async () => {
  await page.goto(`${site.url}apps/diff?app=shop`);
  const heads = () => page.locator("thead").first().locator("th").allTextContents();
  assert.ok((await heads()).includes("p"));
  await fetch(
    `${site.url}api/v1/traces?name=a.trace&rows=1&label_app=shop&label_build=418&label_device=other`,
    {
      method: "PUT",
      body: traceOf(120, 70, 3),
    },
  );
  await until(
    async () => (await (await fetch(`${site.url}api/v1/apps/diff?app=shop`)).json()).other_devices,
  );
  await page.reload();
  assert.ok(!(await heads()).includes("p"));
});

await check("narrow, and in both themes, nothing is wider than the page", async () => {
  for (const scheme of ["light", "dark"])
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      for (const where of [
        "apps",
        "apps?app=shop",
        "apps/diff?app=shop",
        "apps/method?app=shop&class=shop.Cart&name=pay&signature=()V",
      ]) {
        await page.goto(site.url + where);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - window.innerWidth,
        );
        assert.ok(over <= 0, `${where} at ${width}`);
      }
    }
  assert.deepEqual(problems, []);
});

await browser.stop();
await site.stop();
finish();
