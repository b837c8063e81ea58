// Methods that are matched by hand, in a real browser: the example beside itself with one method renamed. The match is chosen in
// Changes, is in the link, is followed by every tab, and is undone by Back and by its chip.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  assertAccessibleInBoth,
  BINARY,
  createChecks,
  EXAMPLE,
  isAskedAgain,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-matching-"));
const now = path.join(folder, "now.trace");
const before = path.join(folder, "before.trace");
execFileSync(BINARY, ["export", EXAMPLE, "-o", now], { stdio: "ignore" });
const bytes = await readFile(now, "latin1");
const OLD = "com.example.recipes.RecipeApp$LoadListener.nativeCompleted (I)V";
const NEW = "com.example.recipes.RecipeApp$LoadListener.nativeFinished (I)V";
await writeFile(before, bytes.replaceAll("nativeFinished", "nativeCompleted"), "latin1");

const viewer = await startViewer(now, [before]);
const browser = await startBrowser();
const page = await browser.context.newPage();
// The method that is matched in vain is told.
const problems = watchProblems(
  page,
  (text) => isAskedAgain(text) || /\b404\b.*[?&]matched=a\.b%0A/.test(text),
);
const rows = page.locator("[data-table=changes] .table-rows .tr");
const chip = page.getByRole("button", { name: /^matched: nativeCompleted → nativeFinished/ });
const head = page.locator(".changes-head");

await page.goto(viewer.url);
await head.getByText("(1 new, 1 gone)").waitFor();

await checkProgram("a method without a partner is matched, in the menu of its row", async () => {
  await rows.filter({ hasText: "nativeCompleted" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Match by hand…" }).click();
  const dialog = page.getByRole("dialog", { name: "Match by hand" });
  await dialog.getByText("is on the old side alone, with 14 calls").waitFor();
  await assertAccessible(page);
  await dialog.getByRole("searchbox").fill("nothing like it");
  await dialog.getByText("0 methods.").waitFor();
  await dialog.getByRole("searchbox").fill("Finished");
  await dialog.getByRole("button", { name: /nativeFinished/ }).click();
  await head.getByText("(0 new, 0 gone)").waitFor();
  await chip.waitFor();
  await page.waitForFunction(() => location.hash.includes("matched="));
});

await checkProgram("the command says the same of the same match", async () => {
  const diff = JSON.parse(
    execFileSync(BINARY, ["diff", "--json", "--match", `${OLD}=${NEW}`, before, now], {
      encoding: "utf8",
    }),
  );
  assert.deepEqual([diff.added, diff.gone, diff.calls_verdicts.changed], [0, 0, 0]);
  const { same } = diff.calls_verdicts;
  assert.ok((await head.innerText()).includes(`of ${same.toLocaleString("en")} they are the same`));
});

await checkProgram("Profile, Tree, Callers and Flame follow it", async () => {
  await page.evaluate((name) => {
    location.hash += `&method=${encodeURIComponent(name)}`;
  }, NEW);
  await page.getByRole("tab", { name: "Profile" }).click();
  await page
    .locator("#tab-panel .tr")
    .filter({ hasText: "nativeFinished" })
    .filter({ hasText: "same calls" })
    .first()
    .waitFor();
  await page.getByRole("tab", { name: "Callers" }).click();
  await page.locator("#tab-panel").getByText("same calls").first().waitFor();
  await page.getByRole("tab", { name: "Flame" }).click();
  await page.getByRole("radio", { name: "Change" }).click();
  await page.getByText("0 boxes are new, 0 are gone").waitFor();
});

await checkProgram("the selected method is that of both timelines", async () => {
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".bar-old").length > 0);
});

await checkProgram("the link keeps it, and Back undoes it", async () => {
  await page.goto("about:blank");
  await page.goto(viewer.url);
  await rows.filter({ hasText: "nativeFinished" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Match by hand…" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /nativeCompleted/ })
    .click();
  await chip.waitFor();
  await page.waitForFunction(() => location.hash.includes("as="));
  await page.reload();
  await chip.waitFor();
  await head.getByText("(0 new, 0 gone)").waitFor();
  await page.goBack();
  await chip.waitFor({ state: "hidden" });
  await head.getByText("(1 new, 1 gone)").waitFor();
  await page.goForward();
  await chip.click();
  await head.getByText("(1 new, 1 gone)").waitFor();
  assert.doesNotMatch(await page.evaluate(() => location.hash), /nothing/);
});

await checkProgram("a swap turns the match round", async () => {
  await page.goto("about:blank");
  const link = `&matched=${encodeURIComponent(OLD)}&as=${encodeURIComponent(NEW)}`;
  await page.goto(viewer.url + link);
  await head.getByText("(0 new, 0 gone)").waitFor();
  await page.getByRole("button", { name: "Swap the sides" }).click();
  await page.getByRole("button", { name: /^matched: nativeFinished → nativeCompleted/ }).waitFor();
  await head.getByText("(0 new, 0 gone)").waitFor();
});

await checkProgram("a match of a method that is not there is told, and can be undone", async () => {
  await page.goto("about:blank");
  await page.goto(`${viewer.url}&matched=a.b&as=${encodeURIComponent(NEW)}`);
  await page
    .getByText("the old side has no method a.b, which is matched by hand")
    .first()
    .waitFor();
  await page.getByRole("button", { name: /^matched: b →/ }).click();
  await head.getByText("(1 new, 1 gone)").waitFor();
});

await checkProgram("the page is accessible in both themes", async () => {
  await settle(page);
  await assertAccessibleInBoth(page);
});

await checkProgram("nothing else went wrong", () => {
  assert.deepEqual(problems, []);
});

await viewer.stop();
await browser.stop();
await rm(folder, { recursive: true });
finish();
