// The lens: a box, a node, a call or a method limits all panels to its calls; one chip says so and undoes it; Back and the
// link carry it.
import assert from "node:assert/strict";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
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
await page.setViewportSize({ width: 1280, height: 800 });

const rest = () => settle(page);
const chip = page.locator(".chip.through");
const chipText = async () => (await chip.innerText()).trim();
const link = () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await rest();
};
const menu = async (label) => {
  await page.getByRole("menuitem", { name: label }).click();
  await rest();
};
const whole = () => page.locator(".lower").innerText();

await openView(page, viewer);

await check(
  "the box of the flame graph that says 1 call lists one, not all of its method",
  async () => {
    await press("2");
    await page.locator(".flame-scroll").focus();
    // The first box, and down the largest callees to the first that stands for fewer calls than its method has.
    await press("ArrowDown", "ArrowDown", "ArrowDown");
    const card = await page.locator(".flame-stage .card").innerText();
    const [, calls] = /calls\s+([\d,]+)/.exec(card);
    await press("l");
    await chip.filter({ hasText: `only ${calls} call` }).waitFor();
    await press("5");
    await page.locator(".calls .table-footer, .calls footer").first().waitFor();
    const rows = await page.locator(".calls [role=grid]").getAttribute("aria-rowcount");
    assert.equal(Number(rows) - 1, Number(calls.replaceAll(",", "")));
    assert.match(link(), /along=.*main/);
  },
);

await check(
  "the profile and the flame graph have nothing else, and say of what their shares are",
  async () => {
    await press("1");
    await page
      .getByText(/100 % is .*these calls of all threads/)
      .first()
      .waitFor();
    assert.match(await whole(), /in these calls · \d+ threads/);
    const rows = await page.locator(".profile [role=grid], [data-rank]").count();
    assert.ok(rows > 3);
    await press("2");
    await page.locator(".flame-scroll").focus();
    await press("ArrowDown");
    const card = await page.locator(".flame-stage .card").innerText();
    assert.match(card, /100 % of all/);
  },
);

await check("Back takes it off, Forward puts it on, and a new window shows the same", async () => {
  const text = await chipText();
  await page.waitForFunction(() => location.hash.includes("along="));
  const address = page.url();
  const other = await browser.context.newPage();
  await other.goto(address);
  await other.locator(".chip.through", { hasText: text }).waitFor();
  await other.close();
  for (let i = 0; i < 5 && (await chip.count()) > 0; i++) {
    await page.goBack();
    await rest();
  }
  assert.equal(await chip.count(), 0);
  // What is left is the selection, which limits nothing.
  assert.doesNotMatch(link().replace(/&selected=.*/, ""), /along=/);
  await page.goForward();
  await chip.filter({ hasText: text }).waitFor();
  await chip.click();
  await rest();
  assert.equal(await chip.count(), 0);
});

await check("a node of the tree does the same by its menu", async () => {
  await press("3");
  await page.locator(".tr", { hasText: "RecipeApp.main" }).first().click();
  await press("*");
  const row = page.locator(".tr", { hasText: "nativeFinished" }).first();
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: /List these calls\s*Shift\+Enter/ }).waitFor();
  await press("Escape");
  await row.click();
  await press("Shift+Enter");
  await chip
    .filter({ hasText: "only 14 calls of RecipeApp$LoadListener.nativeFinished" })
    .waitFor();
  assert.equal(await page.locator(".calls [role=grid]").getAttribute("aria-rowcount"), "15");
  assert.match(await chip.getAttribute("title"), /^Called by RecipeApp\.lambda\$onResume\$2, by /);
});

await check("one of its calls is a lens of its own, with its own time", async () => {
  await page.locator(".calls .table-rows .tr").first().click({ button: "right" });
  await menu("Only this call, in all panels");
  await chip.filter({ hasText: "only call 1 of RecipeApp$LoadListener.nativeFinished" }).waitFor();
  assert.equal(await page.locator(".calls [role=grid]").getAttribute("aria-rowcount"), "2");
  await press("1");
  await page
    .getByText(/100 % is 20\d ms CPU time, this call/)
    .first()
    .waitFor();
  assert.match(link(), /within=1:main\|1\|.*nativeFinished/);
  await page.reload();
  await chip.filter({ hasText: "only call 1 of" }).waitFor();
});

await check("Esc undoes it, and L on a selected method takes all its calls", async () => {
  await page.locator(".timeline-scroll").focus();
  for (let i = 0; i < 3 && (await chip.count()) > 0; i++) await press("Escape");
  assert.equal(await chip.count(), 0);
  await press("1");
  await page.locator("[data-rank]").first().click();
  await press("l");
  await chip.filter({ hasText: /only [\d,]+ calls of/ }).waitFor();
  assert.match(link(), /upwards=/);
  await press("l");
  assert.equal(await chip.count(), 0);
});

await check("the chip can be read by all", async () => {
  await press("l");
  await chip.waitFor();
  await assertAccessible(page);
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
