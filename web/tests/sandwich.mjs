// The flame graph of one method between its callers and its callees, and siblings in time.
import assert from "node:assert/strict";
import {
  assertAccessible,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);
await page.setViewportSize({ width: 1280, height: 900 });

const rest = () => settle(page);
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await rest();
};
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished";
const graph = page.locator(".flame-scroll");
const card = page.locator(".flame-stage .card");
const middle = page.locator(".tab-tools code");
const link = () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
const asked = [];
page.on("request", (request) => {
  const url = new URL(request.url());
  if (url.pathname.endsWith("/flame")) asked.push(url.searchParams);
});

await openView(page, viewer);

await check(
  "the selected method is drawn between callers and callees; without one it says what to do",
  async () => {
    await press("2");
    await page.getByRole("radio", { name: "Sandwich" }).click();
    await page.getByText("Select a method: its callers").waitFor();
    await page.getByRole("radio", { name: "Top down" }).click();
    await followLink(page, viewer, `tab=flame&method=${METHOD}`);
    await page.getByRole("radio", { name: "Sandwich" }).click();
    await rest();
    assert.equal(await middle.innerText(), "RecipeApp$LoadListener.nativeFinished");
    await page.waitForFunction(() => location.hash.includes("middle="));
    assert.match(link(), /middle=/);
  },
);

await checkProgram("both halves are of the method's inclusive time", async () => {
  const name = await middle.innerText();
  const ops = asked.filter((query) => query.has("ops")).slice(-2);
  assert.deepEqual(ops.map((query) => query.get("ops").split(":")[0]).sort(), ["end", "focus"]);
  await graph.focus();
  await press("ArrowDown");
  const text = await card.innerText();
  assert.ok(text.includes(name.split(".").at(-1)), text);
  assert.match(text, /not from within itself/);
  await press("ArrowUp");
  assert.match(await card.innerText(), /of the middle, called this way/);
  await press("ArrowDown");
  assert.match(await card.innerText(), /not from within itself/);
});

await check("the menu of a method opens it; Enter on a box puts that one between", async () => {
  await press("1");
  const row = page.locator("[data-rank]").nth(2);
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Its callers and callees as flames" }).click();
  await rest();
  const before = await middle.innerText();
  await graph.focus();
  await press("ArrowDown", "ArrowUp", "Enter");
  assert.notEqual(await middle.innerText(), before);
  await page;
  const after = await middle.innerText();
  await page.waitForTimeout(400);
  await page.goBack();
  await rest();
  assert.equal(await middle.innerText(), before);
  await page.goForward();
  await rest();
  assert.equal(await middle.innerText(), after);
});

await check("a caller's box is a set of calls for all panels", async () => {
  await graph.focus();
  await press("Escape");
  await followLink(page, viewer, `tab=flame&middle=${METHOD}`);
  await graph.focus();
  await press("ArrowDown", "ArrowUp");
  const [, calls] = /calls\s+([\d,]+)/.exec(await card.innerText());
  await press("l");
  await page.locator(".chip.through", { hasText: `only ${calls} calls of` }).waitFor();
  assert.match(link(), /upwards=.*nativeFinished/);
  await page.locator(".chip.through").click();
  await rest();
});

await checkProgram(
  "siblings stand in time where that is chosen, and the link says so",
  async () => {
    await page.getByRole("radio", { name: "In time" }).click();
    await rest();
    assert.equal(asked.at(-1).get("intime"), "1");
    await page.waitForFunction(() => location.hash.includes("siblings=time"));
    const other = await browser.context.newPage();
    await other.goto(page.url());
    await other.locator(".tab-tools code").waitFor();
    assert.equal(await other.locator(".tab-tools code").innerText(), await middle.innerText());
    assert.equal(
      await other.getByRole("radio", { name: "In time" }).getAttribute("aria-checked"),
      "true",
    );
    await other.close();
  },
);

await check("I leads back to the graph of all", async () => {
  await press("i");
  assert.equal(await middle.count(), 0);
  await assertAccessible(page);
});

await check("no error came of it", () => assert.deepEqual(problems, []));

await browser.stop();
await viewer.stop();
finish();
