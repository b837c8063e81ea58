// The lens of several calls: a bar of a histogram, rows that are marked, a search, and one seen through another. Every panel has
// their calls and no others; a chip says so, the link carries it, and the command has the same numbers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  assertAccessible,
  BINARY,
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
await page.setViewportSize({ width: 1280, height: 900 });

const rest = () => settle(page);
const chip = page.locator(".chip.through");
const link = () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await rest();
};
const off = async () => {
  await chip.click();
  await rest();
  assert.equal(await chip.count(), 0);
};
// What the command says of the same calls.
const command = (...options) =>
  JSON.parse(execFileSync(BINARY, ["top", "--json", ...options, EXAMPLE], { encoding: "utf8" }));
const wholeText = () =>
  page
    .getByText(/100 % is /)
    .first()
    .innerText();
const isSameWhole = async (total) => {
  const text = await wholeText();
  const [, number, unit] = /100 % is ([\d.,]+) (s|ms|µs)/.exec(text);
  const ns = Number(number.replaceAll(",", "")) * { s: 1e9, ms: 1e6, µs: 1e3 }[unit];
  assert.ok(Math.abs(ns - total.cpu_ns) < total.cpu_ns / 100, `${text} beside ${total.cpu_ns}`);
};

page.setDefaultTimeout(20_000);
const windows = [];
page.on("request", (request) => {
  if (/\/window\?/.test(request.url())) windows.push(new URL(request.url()).searchParams);
});
await openView(page, viewer);

await check("a bar of the histogram limits all panels to its calls", async () => {
  await press("/");
  await page.keyboard.type("nativeFinished");
  await page.locator("#search-list [role=option]").first().click();
  await page.locator("#search").press("Escape");
  await press("5");
  const bars = page.locator(".histogram .bar-of-list:not([aria-disabled=true])");
  await bars.last().waitFor();
  const said = await bars.last().getAttribute("title");
  await page.locator(".bar-list").focus();
  await press("End");
  await page.getByRole("button", { name: "Only these calls, in all panels" }).click();
  const [, count] = /: ([\d,]+) calls?/.exec(said);
  await chip.filter({ hasText: `only ${count} call` }).waitFor();
  assert.match(await chip.innerText(), /nativeFinished, .* to .* CPU time/);
  assert.equal(
    await page.locator(".calls [role=grid]").getAttribute("aria-rowcount"),
    String(Number(count) + 1),
  );
  await page.waitForFunction(() => location.hash.includes("lasting="));
  assert.match(link(), /of=.*nativeFinished.*&lasting=cpu:/);
  await press("1");
  const [, from, below] = /lasting=cpu:([\d.]+)-([\d.]+)ms/.exec(link());
  const { total, chosen } = command(
    "--method",
    "LoadListener.nativeFinished",
    "--duration",
    `${from}ms..${below}ms`,
  );
  assert.equal(chosen, Number(count));
  await isSameWhole(total);
});

await check("the timeline asks for the brackets of these calls alone", async () => {
  const asked = windows.filter((query) => query.has("calls"));
  assert.ok(asked.length > 0);
  for (const query of asked) assert.match(query.get("calls"), /^methods:\d+:cpu=\d+-\d+$/);
});

await check("what these calls made is a lens in the lens, and Back leads out of it", async () => {
  const outer = await chip.innerText();
  await press("2");
  await page.locator(".flame-scroll").focus();
  await press("ArrowDown", "ArrowDown");
  const card = await page.locator(".flame-stage .card").innerText();
  const [, calls] = /calls\s+([\d,]+)/.exec(card);
  await press("Shift+L");
  await chip.filter({ hasText: `only ${calls} call` }).waitFor();
  assert.match(await chip.innerText(), / in calls of .*nativeFinished, .* CPU time/);
  await page.waitForFunction(() => location.hash.includes("then="));
  const inner = await chip.innerText();
  await page.reload();
  await chip.filter({ hasText: inner.trim() }).waitFor();
  await page.goBack();
  await rest();
  for (let i = 0; i < 4 && (await chip.innerText()) !== outer; i++) {
    await page.goBack();
    await rest();
  }
  assert.equal(await chip.innerText(), outer);
  await off();
});

await check("rows with Shift, and with Ctrl, are the calls of their methods", async () => {
  await page.locator(".timeline-scroll").focus();
  await press("Escape", "Escape", "Escape", "1");
  await page.locator("[data-table=profile] .table-body").focus();
  await press("Home");
  const rows = page.locator("[data-table=profile] [data-rank]");
  await rows.nth(0).click();
  await rows.nth(2).click({ modifiers: ["Shift"] });
  await rows.nth(1).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Only calls of these 3 methods" }).click();
  await chip.filter({ hasText: /only [\d,]+ calls of 3 methods/ }).waitFor();
  assert.match(await chip.getAttribute("title"), /^Of .*, .*, /);
  await off();
  const names = [];
  await rows.nth(0).click();
  for (const at of [3, 5]) await rows.nth(at).click({ modifiers: ["Control"] });
  assert.equal(await page.locator("[data-table=profile] .tr.marked").count(), 3);
  await page.locator("[data-table=profile] .table-body").focus();
  await press("l");
  await chip.filter({ hasText: /only [\d,]+ calls of 3 methods/ }).waitFor();
  await page.waitForFunction(() => location.hash.includes("of="));
  for (const [, name] of link().matchAll(/of=([^&]*)/g)) names.push(name);
  assert.equal(names.length, 3);
  const { total, chosen } = command(...names.flatMap((name) => ["--method", name]));
  const [, count] = /only ([\d,]+)/.exec(await chip.innerText());
  assert.equal(chosen, Number(count.replaceAll(",", "")));
  await isSameWhole(total);
  await off();
});

await check("Ctrl, arrows and Space mark rows, and an arrow key alone marks anew", async () => {
  const body = page.locator("[data-table=profile] .table-body");
  await page.locator("[data-table=profile] [data-rank]").nth(0).click();
  await body.focus();
  await press("Control+ArrowDown", "Control+ArrowDown", "Control+Space");
  assert.equal(await page.locator("[data-table=profile] .tr.marked").count(), 2);
  await press("ArrowDown");
  assert.equal(await page.locator("[data-table=profile] .tr.marked").count(), 1);
});

await check("a search is all calls of what it finds", async () => {
  await press("/");
  await page.keyboard.type("=HashMap");
  await page.getByRole("button", { name: "Only their calls" }).click();
  await chip.filter({ hasText: /only [\d,]+ calls of methods with =HashMap/ }).waitFor();
  const { total, chosen } = command("--search", "=HashMap");
  const [, count] = /only ([\d,]+)/.exec(await chip.innerText());
  assert.equal(chosen, Number(count.replaceAll(",", "")));
  await isSameWhole(total);
  await page.waitForFunction(() => location.hash.includes("those="));
  assert.match(link(), /those==HashMap/);
  await page.reload();
  await chip.filter({ hasText: /methods with =HashMap/ }).waitFor();
  await assertAccessible(page);
  await off();
});

await check("a search that finds nothing has no columns, and no calls to show", async () => {
  await page.locator("#search").fill("nothing has this name");
  await page.getByText("0 methods").waitFor();
  assert.equal(await page.locator(".search-heads").count(), 0);
  assert.ok(await page.getByRole("button", { name: "Only their calls" }).isDisabled());
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
