// Two traces in one page of the static site, without a program: one is opened beside the other, by a drop, by Compare or both at once,
// and the page shows of them what the viewer shows of two.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessibleInBoth,
  assertChanges,
  BINARY,
  createChecks,
  EXAMPLE,
  settle,
  SITE,
  startBrowser,
  watchProblems,
  whenKept,
} from "./harness.mjs";
import { traceOf } from "./odd-traces.mjs";
import { drop, startStaticHost } from "./static-host.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-static-two-"));
const half = path.join(folder, "half.trace");
execFileSync(BINARY, ["export", EXAMPLE, "--from", "0", "--to", "400", "-o", half], {
  stdio: "ignore",
});
await utimes(half, 1e9, 1e9);
const whole = path.join(folder, path.basename(EXAMPLE));
await writeFile(whole, await readFile(EXAMPLE));
const host = await startStaticHost(SITE, {
  files: { "traces/half.trace": half, "traces/recipes.trace.zst": whole },
});
const browser = await startBrowser();
const problems = [];

async function newPage() {
  const page = await browser.context.newPage();
  watchProblems(page, undefined, problems);
  await page.goto(host.url);
  await page.getByRole("heading", { name: "Open a method trace" }).waitFor();
  return page;
}

// Holds a file over a place of the window.
const hold = (page, x) =>
  page.evaluate((clientX) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "x.trace"));
    document.body.dispatchEvent(
      new DragEvent("dragover", {
        dataTransfer,
        clientX,
        clientY: 300,
        bubbles: true,
        cancelable: true,
      }),
    );
  }, x);

const LEFT = 100;
const right = (page) => page.viewportSize().width - 100;
const shownRows = (page) => page.locator("[data-rank]").first().waitFor();
const changedRows = (page) => page.locator("[data-table=changes] .table-rows .tr");
const title = (page) => page.locator(".bar h1").textContent();
const changesTab = (page) => page.getByRole("tab", { name: "Changes" });
const sides = async (page) =>
  (await page.locator(".changes-head dd .clip").allTextContents()).map((text) => text.trim());

// What the program says of both files.
const diff = JSON.parse(
  execFileSync(BINARY, ["diff", "--json", half, whole], { encoding: "utf8" }),
);

const page = await newPage();

await check(
  "a file dropped on the right half is compared with the trace that is open",
  async () => {
    await drop(page, [half], LEFT);
    await shownRows(page);
    assert.equal(await changesTab(page).count(), 0);
    await hold(page, right(page));
    const halves = await page.locator(".drop-halves").innerText();
    assert.match(halves, /Open it\s+in place of this trace/);
    await drop(page, [whole], right(page));
    await assertChanges(page, diff);
    assert.match(page.url(), /#tab=changes&against=1$/);
    assert.equal(await title(page), "recipes.trace.zst");
    const [old, opened] = await sides(page);
    assert.match(old, /half\.trace/);
    assert.match(opened, /recipes\.trace\.zst/);
  },
);

await check("the page is accessible in both themes", async () => {
  await assertAccessibleInBoth(page);
});

await check("both have timelines above each other", async () => {
  const old = page.getByRole("region", { name: "Timeline of the old trace" });
  await old.waitFor();
  await page.waitForFunction(() => {
    const canvases = [...document.querySelectorAll(".timelines .stage canvas:first-child")];
    return canvases.length === 2 && canvases.every(({ dataset }) => Number(dataset.boxes) > 100);
  });
  assert.match(
    await page.getByRole("group", { name: "The old trace", exact: true }).innerText(),
    /half\.trace/,
  );
});

await check("the profile has what each number was, and the tree", async () => {
  await page.keyboard.press("1");
  await page
    .locator("[data-table=profile] .th, [role=columnheader]", { hasText: /Old/i })
    .first()
    .waitFor();
  await page
    .getByText(/same calls|calls \+/)
    .first()
    .waitFor();
  await page.keyboard.press("3");
  await page.getByRole("treegrid", { name: "Tree" }).waitFor();
  await page
    .getByText(/same calls|calls \+/)
    .first()
    .waitFor();
});

await check("the flame graph shows what changed", async () => {
  await page.getByRole("tab", { name: "Flame" }).click();
  await page.getByRole("radio", { name: "Change" }).click();
  await page.locator(".tab-tools.of-change").getByText("of CPU time").waitFor();
  await page.waitForFunction(() => location.hash.includes("change=new"));
});

await check("a reload shows both again, as they were seen", async () => {
  await changesTab(page).click();
  await settle(page);
  await whenKept(page, "recipes.trace.zst");
  await page.reload();
  await assertChanges(page, diff);
  assert.equal(await title(page), "recipes.trace.zst");
});

await check("the sides are swapped in the page, and once more", async () => {
  const swap = page.getByRole("button", { name: "Swap the sides" });
  await swap.click();
  await page.locator(".bar h1", { hasText: "half.trace" }).waitFor();
  await changedRows(page).first().waitFor();
  assert.match((await sides(page))[0], /recipes\.trace\.zst/);
  assert.match(
    await page.getByRole("list", { name: "What changed" }).getByRole("button").first().innerText(),
    /is gone: it was called once/,
  );
  await swap.click();
  await page.locator(".bar h1", { hasText: "recipes.trace.zst" }).waitFor();
  await assertChanges(page, diff);
});

await check("a file that cannot be read beside it leaves both as they are", async () => {
  const bad = path.join(folder, "bad.trace");
  await writeFile(bad, "this is no trace");
  await drop(page, [bad], right(page));
  await page.getByText("bad.trace: ", { exact: false }).first().waitFor();
  assert.equal(await title(page), "recipes.trace.zst");
  await changedRows(page).first().click();
  await assertChanges(page, diff);
});

await check(
  "a file dropped on the left half is shown alone, and its link names no other",
  async () => {
    const small = path.join(folder, "small.trace");
    await writeFile(small, traceOf(3));
    await drop(page, [small], LEFT);
    await page.locator(".bar h1", { hasText: "small.trace" }).waitFor();
    await shownRows(page);
    assert.equal(await changesTab(page).count(), 0);
    assert.doesNotMatch(page.url(), /against/);
  },
);

await check("a recent file is compared", async () => {
  const other = await newPage();
  await drop(other, [half], LEFT);
  await shownRows(other);
  await other.keyboard.press("Control+K");
  await other.keyboard.type("Recent files");
  await other.keyboard.press("Enter");
  const entry = other.locator(".start-recent li", { hasText: "recipes.trace.zst" }).first();
  await entry.getByRole("button", { name: "Compare" }).click();
  await assertChanges(other, diff);
  await other.close();
});

await check(
  "two files at once are compared, the one that was changed last as the new one",
  async () => {
    const other = await newPage();
    await other.setInputFiles("#file-input", [whole, half]);
    await assertChanges(other, diff);
    assert.equal(await title(other), "recipes.trace.zst");
    await drop(other, [whole, half, whole], LEFT);
    await other.getByRole("dialog", { name: "Which are the old ones?" }).waitFor();
    await other.close();
  },
);

await check("an old one that cannot be read is named, and the new one is shown alone", async () => {
  const other = await newPage();
  const bad = path.join(folder, "bad old.trace");
  await writeFile(bad, "this is no trace");
  await utimes(bad, 1e9, 1e9);
  await other.setInputFiles("#file-input", [whole, bad]);
  await other.getByText("the old trace, bad old.trace: ", { exact: false }).first().waitFor();
  await other.locator(".bar h1", { hasText: path.basename(whole) }).waitFor();
  assert.doesNotMatch(other.url(), /against/);
  await shownRows(other);
  assert.equal(await changesTab(other).count(), 0);
  await other.close();
});

await check(
  "two of one name are compared, and what is compared with itself has not changed",
  async () => {
    const other = await newPage();
    const newer = await mkdtemp(path.join(folder, "new-"));
    const [first, second] = [folder, newer].map((place) => path.join(place, "app.trace"));
    await writeFile(first, traceOf(3));
    await writeFile(second, traceOf(3, 4000));
    await drop(other, [first], LEFT);
    await shownRows(other);
    await other.keyboard.press("2");
    await drop(other, [second], right(other));
    await other.locator(".changes-head", { hasText: "2,000 calls" }).waitFor();
    assert.match(await other.locator(".changes-head").innerText(), /1,000 calls/);
    await other.getByRole("button", { name: "Swap the sides" }).click();
    await other.locator(".facts", { hasText: "1,000 calls" }).waitFor();
    await other
      .locator(".changes-head dd")
      .last()
      .getByText("1,000 calls", { exact: false })
      .waitFor();
    await drop(other, [first], right(other));
    await other.locator(".changes-head", { hasText: /Calls of 0 methods changed/ }).waitFor();
    await other.close();
  },
);

await check("a link to two traces that are not there shows one", async () => {
  const other = await newPage();
  await other.goto("about:blank");
  await other.goto(`${host.url}#tab=changes&against=1`);
  await other.locator(".start-example").click();
  await shownRows(other);
  assert.equal(await changesTab(other).count(), 0);
  await other.close();
});

const LINK = "?url=traces/recipes.trace.zst&against=traces/half.trace";

await check("a link to both shows what changed, and a reload again, swapped too", async () => {
  const other = await browser.context.newPage();
  watchProblems(other, undefined, problems);
  await other.goto(host.url + LINK);
  await assertChanges(other, diff);
  assert.equal(await title(other), "recipes.trace.zst");
  await other.goto("about:blank");
  await other.goto(`${host.url}${LINK}#tab=tree&against=1`);
  await other.getByRole("treegrid", { name: "Tree" }).waitFor();
  await other
    .getByText(/same calls|calls \+/)
    .first()
    .waitFor();
  await changesTab(other).click();
  await other.getByRole("button", { name: "Swap the sides" }).click();
  await other.locator(".bar h1", { hasText: "half.trace" }).waitFor();
  assert.match(other.url(), /\?url=traces%2Fhalf\.trace&against=traces%2Frecipes\.trace\.zst#/);
  await other.reload();
  await other.locator(".bar h1", { hasText: "half.trace" }).waitFor();
  await changedRows(other).first().waitFor();
  // Another trace is shown alone, and the address names neither of both any more.
  await drop(other, [half], LEFT);
  await shownRows(other);
  assert.doesNotMatch(other.url(), /traces/);
  await other.close();
});

await check("a link to a trace that is gone, or to none, says so", async () => {
  const other = await browser.context.newPage();
  const failed = (text) =>
    other.locator(".failed, .start-problem", { hasText: text }).first().waitFor();
  await other.goto(`${host.url}?url=traces/half.trace&against=traces/gone.trace`);
  await failed("traces/gone.trace answered 404");
  for (const wrong of ["http://[", "http://127.0.0.1:1/%"]) {
    await other.goto(`${host.url}?url=traces/half.trace&against=${encodeURIComponent(wrong)}`);
    await failed("half.trace");
  }
  await other.close();
});

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await host.stop();
await rm(folder, { recursive: true, force: true });
finish();
