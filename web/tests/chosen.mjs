// A press on a box of the flame graph or on a row of the tree selects its calls, and not all calls of its method: Calls, the
// details, the brackets, copies and exports are of these; one chip says so and undoes it; Back and the link carry it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import {
  assertAccessible,
  BINARY,
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
await page.setViewportSize({ width: 1600, height: 900 });
await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);

const rest = () => settle(page);
const chip = page.locator(".chip.chosen-calls");
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await rest();
};
const link = () => decodeURIComponent(new URL(page.url()).hash.replaceAll("+", " "));
const listed = async () =>
  Number(await page.locator(".calls [role=grid]").getAttribute("aria-rowcount")) - 1;
const copied = () => page.evaluate(() => navigator.clipboard.readText());
// The brackets that were drawn: where calls are asked for.
const asked = [];
page.on("request", (request) => {
  const url = new URL(request.url());
  if (url.pathname.endsWith("/window")) asked.push(url);
});

await openView(page, viewer);

const details = page.locator("section.details");
const cardCalls = async () => {
  const card = await page.locator(".flame-stage .card").innerText();
  return Number(/calls\s+([\d,]+)/.exec(card)[1].replaceAll(",", ""));
};
// What the command says of all calls of the method.
const METHOD = "java.lang.invoke.MethodHandleNatives.linkCallSite";
const told = (...options) =>
  JSON.parse(
    execFileSync(BINARY, ["callers", "--json", ...options, EXAMPLE, METHOD], { encoding: "utf8" }),
  ).method;
const all = told().calls;
let own = 0;

await check("a box has as many calls in Calls and in the details as it says", async () => {
  await press("2");
  await page.locator(".flame-scroll").focus();
  // The loop, its neighbour, and the largest callee of that.
  await press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown");
  own = await cardCalls();
  assert.ok(own > 0 && own < all, `${own} of ${all}`);
  const text = `selected: ${own} of ${all} calls of MethodHandleNatives.linkCallSite`;
  await chip.filter({ hasText: text }).waitFor();
  assert.match(
    await details.innerText(),
    new RegExp(`linkCallSite[^]*in these calls[^]*Calls\\s+${own}\\b`),
  );
  await press("5");
  assert.equal(await listed(), own);
});

await checkProgram("the brackets are theirs", async () => {
  await page.waitForFunction(() => location.hash.includes("selected="));
  const calls = asked
    .map((url) => url.searchParams.get("calls") ?? "")
    .filter((text) => text !== "");
  assert.match(calls.at(-1), /^along:\d+\.\d+\.\d+$/);
  // The whole trace in the tab Flame is still there: a selection limits nothing.
  await press("2");
  assert.match(await page.locator(".lower").innerText(), /whole trace · 5 threads/);
});

await check("a call of the list stays among them, and one of the timeline does not", async () => {
  await press("5");
  await page.locator(".calls [role=row]").nth(1).click();
  await rest();
  assert.equal(await listed(), own);
  await chip.waitFor();
  assert.match(await details.innerText(), /call \d+ of 19/);
  await press(".");
  await chip.waitFor({ state: "detached" });
  assert.equal(await listed(), all);
});

await check("Back selects them again, and a new window shows the same", async () => {
  await page.goBack();
  await rest();
  await chip.waitFor();
  assert.equal(await listed(), own);
  const other = await browser.context.newPage();
  await other.setViewportSize({ width: 1600, height: 900 });
  await other.goto(page.url());
  await settle(other);
  assert.equal(await other.locator(".chip.chosen-calls").innerText(), await chip.innerText());
  assert.equal(
    await other.locator(".calls [role=grid]").getAttribute("aria-rowcount"),
    `${own + 1}`,
  );
  await other.close();
});

await checkProgram("copies are of them, with the command that counts them", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Explain this selection" }).click();
  await page.getByText("Explanation copied.").waitFor();
  const text = await copied();
  assert.match(text, new RegExp(`- only ${own} calls of MethodHandleNatives\\.linkCallSite`));
  assert.match(text, new RegExp(`\\| calls ${own} \\|`));
  assert.match(text, /100 % is [\d.]+ ms CPU time, these calls of all threads/);
  const [command] = /^traceview callers .*$/m.exec(text);
  const said = execFileSync(
    "sh",
    ["-c", command.replace(/^traceview callers/, '"$0" callers --json'), BINARY],
    {
      cwd: path.dirname(EXAMPLE),
      encoding: "utf8",
    },
  );
  assert.equal(JSON.parse(said).method.calls, own);
});

await checkProgram("a download is of them on wish", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: /Download as/ }).click();
  const only = page.getByRole("checkbox", { name: "Only the selected calls" });
  assert.equal(await only.isChecked(), false);
  await only.check();
  await page.getByRole("radio", { name: /folded/ }).check();
  const request = page.waitForRequest(/\/export\?/);
  await page.getByRole("button", { name: "Download", exact: true }).click();
  assert.match((await request).url(), /calls=along(:|%3A)\d+\.\d+\.\d+(&|$)/);
  await press("Escape");
});

await check("the chip can be read by all, and gives all calls of the method", async () => {
  await chip.waitFor();
  await assertAccessible(page);
  await chip.click();
  await rest();
  assert.equal(await chip.count(), 0);
  assert.equal(await listed(), all);
});

await check("a row of the tree selects its calls, which L limits all panels to", async () => {
  await press("3");
  const rows = page.locator(".tab-panel [role=row][aria-level]");
  const row = rows.filter({ hasText: "linkCallSite" }).first();
  await row.click();
  await chip.filter({ hasText: `of ${all} calls of MethodHandleNatives.linkCallSite` }).waitFor();
  const [, count] = /selected: ([\d,]+) of/.exec(await chip.innerText());
  assert.equal(await page.locator(".tab-panel [role=row][aria-selected=true]").count(), 1);
  await page.locator(".timeline-stage, .timeline").first().focus();
  await press("l");
  const lens = page.locator(".chip.through");
  await lens.filter({ hasText: `only ${count} call` }).waitFor();
  assert.equal(await chip.count(), 0);
  await press("5");
  assert.equal(await listed(), Number(count));
  await lens.click();
  await rest();
  assert.equal(await listed(), all);
});

await check("a caller, from the bottom up, is selected with all of its calls", async () => {
  await press("2");
  await page.getByRole("radio", { name: "Bottom up" }).click();
  await rest();
  await page.locator(".flame-scroll").focus();
  await press("ArrowDown", "ArrowDown");
  await page.waitForFunction(() => location.hash.includes("method="));
  assert.equal(await chip.count(), 0);
  assert.doesNotMatch(link(), /selected=/);
});

await check(
  "the box of a recursive method has in the details the calls that it says, too",
  async () => {
    await followLink(page, viewer, "tab=flame&siblings=time");
    await page.locator(".flame-stage").click({ position: { x: 900, y: 98 } });
    await chip.waitFor();
    const card = await page.locator(".flame-stage .card").innerText();
    assert.match(card, /RecipeApp\.measure/);
    const count = await cardCalls();
    await chip.filter({ hasText: new RegExp(`selected: ${count} of \\d+ calls`) }).waitFor();
    await page.waitForFunction(
      (wanted) =>
        new RegExp(`Calls\\s+${wanted}\\b`).test(
          document.querySelector(".details-figures").innerText,
        ),
      count,
    );
    await press("5");
    assert.equal(await listed(), count);
  },
);

await check(
  "a call of theirs is selected no more when another box of the method is pressed",
  async () => {
    await page.locator(".calls [role=row]").nth(1).click();
    await page.waitForFunction(() => location.hash.includes("call="));
    await press("2");
    const before = link();
    await page.locator(".flame-stage").click({ position: { x: 900, y: 117 } });
    await rest();
    const card = await page.locator(".flame-stage .card").innerText();
    assert.match(card, /RecipeApp\.measure/);
    assert.match(await details.innerText(), /in these calls/);
    await page.waitForFunction(() => !location.hash.includes("call="));
    assert.notEqual(link(), before);
  },
);

await check("all calls of a method are no part of it, and none of the trace are told", async () => {
  await followLink(page, viewer, "tab=flame");
  await page.locator(".flame-scroll").focus();
  await press("ArrowDown", "ArrowDown");
  await page.waitForFunction(
    () => /method=/.test(location.hash) && !/selected/.test(location.hash),
  );
  assert.equal(await chip.count(), 0);
  assert.match(await details.innerText(), /in the whole trace/);
  // Pressed twice before it is known how many calls they are.
  for (let i = 0; i < 2; i++)
    await page.locator(".flame-stage").click({ position: { x: 300, y: 47 }, delay: 0 });
  await rest();
  assert.match(await page.locator(".flame-stage .card").innerText(), /dispatchMessage/);
  await page.waitForFunction(
    () => /method=.*dispatchMessage/.test(location.hash) && !/selected/.test(location.hash),
  );
  assert.equal(await chip.count(), 0);
  const [, method] = /method=([^&]*)/.exec(new URL(page.url()).hash);
  await followLink(
    page,
    viewer,
    `tab=calls&method=${method}&selected=&along=${method}&along=${method}`,
  );
  await page.getByText("This trace has no calls like the selected ones").waitFor();
  await rest();
  assert.equal(await page.locator(".error-lines .notice").count(), 1);
  assert.equal(await chip.count(), 0);
  assert.ok((await listed()) > 0);
  await followLink(page, viewer, "tab=flame&selected=&those=load");
  assert.equal(await chip.count(), 0);
  await page.waitForFunction(() => !location.hash.includes("selected"));
});

await check("Esc selects nothing", async () => {
  await followLink(page, viewer, "tab=flame");
  await page.locator(".flame-scroll").focus();
  await press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown");
  await chip.waitFor();
  await press("Escape");
  assert.equal(await chip.count(), 0);
  await page.waitForFunction(() => !/selected=|method=/.test(location.hash));
});

await check("the estimate of the tracing is of all calls, and not told of some", async () => {
  const charAt = "java.lang.String.charAt+(I)C";
  const caller =
    "jdk.internal.org.objectweb.asm.Type.getArgumentsAndReturnSizes+(Ljava/lang/String;)I";
  await followLink(page, viewer, `tab=calls&method=${charAt}`);
  const of = await listed();
  await page.locator(".estimate", { hasText: "is the tracing itself" }).waitFor();
  await followLink(
    page,
    viewer,
    `tab=calls&method=${charAt}&selected=&upwards=${charAt}&upwards=${caller}`,
  );
  await chip.waitFor();
  assert.ok((await listed()) < of);
  assert.equal(await page.getByText("is the tracing itself").count(), 0);
});

// What the trace does not have is answered so.
await check("no error came of it", () =>
  assert.deepEqual(
    problems.filter((text) => !/\b404\b/.test(text)),
    [],
  ),
);

await browser.stop();
await viewer.stop();
finish();
