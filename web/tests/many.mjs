// Several runs a side, in a real browser: parts of the example of several lengths beside all of it. Tables have each run, the
// timelines are of the most typical ones, which are said, and others can be chosen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessibleInBoth,
  BINARY,
  createChecks,
  EXAMPLE,
  isRefusedForNow,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-many-"));
const [last, now] = [path.join(folder, "last"), path.join(folder, "now")];
await mkdir(last);
await mkdir(now);
for (const [ix, until] of [400, 440, 420, 300, 480].entries())
  execFileSync(
    BINARY,
    [
      "export",
      EXAMPLE,
      "--from",
      "0",
      "--to",
      String(until),
      "-o",
      path.join(last, `a${ix + 1}.trace`),
    ],
    { stdio: "ignore" },
  );
for (const name of ["b1", "b2", "b3", "b4"])
  await copyFile(EXAMPLE, path.join(now, `${name}.trace.zst`));
// Nine traces: more than stay open at once.
const viewer = await startViewer(now, [last]);
const browser = await startBrowser();
const page = await browser.context.newPage();
// A question opens a trace again that was closed meanwhile; run 77 is asked for in vain.
const problems = watchProblems(
  page,
  (text) => isRefusedForNow(text) || /\b404\b.*[?&]old=2,77&/.test(text),
);
const rows = page.locator("[data-table=changes] .table-rows .tr");
const diff = JSON.parse(
  execFileSync(BINARY, ["diff", "--json", "-n", "0", last, now], { encoding: "utf8" }),
);
const head = page.locator(".changes-head");
const strip = page.getByRole("group", { name: "The old trace", exact: true });
const hash = () => page.evaluate(() => location.hash);

await page.goto(viewer.url);
await rows.first().waitFor();

await checkProgram("the most typical runs are shown, and which they are is told", async () => {
  assert.equal(diff.old.typical, 3);
  assert.equal(diff.new.typical, 1);
  await page.waitForFunction(() => location.hash.includes("against="));
  const link = await hash();
  assert.match(link, /against=4&runs=2,3,4,5,6~1,7,8,9/);
  await strip.getByText("Old: a3.trace").waitFor();
  const text = (await strip.innerText()).replace(/\s+/g, " ");
  assert.match(text, /Old: run 3 of 5 is shown: the most typical/);
  assert.match(text, /New: run 1 of 4 is shown: the most typical/);
});

await checkProgram("the tables are those of diff, with the runs", async () => {
  const text = (await head.innerText()).replace(/\s+/g, " ");
  assert.match(text, /a1\.trace and 4 more/);
  assert.match(text, /median to median/);
  const { changed, same, undecided } = diff.time_verdicts;
  assert.ok(
    text.includes(
      `Inclusive time of ${changed + same + undecided} methods was tested: ${changed} changed by more than 5 %, ` +
        `${same} the same within it, ${undecided} undecided.`,
    ),
    text,
  );
  const all = [...diff.calls, ...diff.times, ...diff.undecided];
  const first = await rows.first().locator(".td").allTextContents();
  const told = all.find(({ method }) => method === first[0]);
  const ms = (list) => list.map((ns) => (ns / 1e6).toFixed(3));
  assert.ok(
    first[4].endsWith(
      `${ms(told.old_runs.time_ns).join(", ")} before, ${ms(told.new_runs.time_ns).join(", ")} now`,
    ),
    first[4],
  );
  const dots = rows.first().locator("svg.run-dots");
  assert.equal(await dots.locator("circle.old").count(), 5);
  assert.equal(await dots.locator("circle.new").count(), 4);
});

await checkProgram(
  "another run of the old side is chosen, and Back leads to the first",
  async () => {
    await strip.getByRole("button", { name: /Old: ?run/ }).click();
    await page.getByRole("menuitemradio", { name: /2: a2\.trace/ }).click();
    await page.keyboard.press("Escape");
    await strip.getByText("Old: a2.trace").waitFor();
    assert.match((await strip.innerText()).replace(/\s+/g, " "), /run 2 of 5 is shown(?!:)/);
    await page.waitForFunction(() => location.hash.includes("against=3"));
    await page.goBack();
    await strip.getByText("Old: a3.trace").waitFor();
  },
);

await checkProgram("another run of the new side has its page, with the same shown", async () => {
  await head.getByRole("button", { name: /New: ?run/ }).click();
  await page.getByRole("menuitemradio", { name: /3: b3/ }).click();
  await page.waitForURL(/\/t\/8\/#.*runs=/);
  await rows.first().waitFor();
  assert.match(await hash(), /tab=changes.*against=4&runs=2,3,4,5,6~1,7,8,9/);
  assert.match((await head.innerText()).replace(/\s+/g, " "), /New: run 3 of 4 is shown/);
  await settle(page);
});

// What `top` says of a method in each of the runs: milliseconds of exclusive and of inclusive CPU time, and calls.
const METHOD = "java.lang.String.charAt (I)C";
const files = [1, 2, 3, 4, 5].map((ix) => path.join(last, `a${ix}.trace`));
const toldOf = (file, key) => {
  const { methods } = JSON.parse(
    execFileSync(BINARY, ["top", "--json", "-n", "0", file], { encoding: "utf8" }),
  );
  return methods.find(({ method }) => method === METHOD)?.[key].cpu_ns ?? 0;
};
const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const ms = (ns) => (ns / 1e6).toFixed(3);

await checkProgram("the Profile has medians of all runs, and each run as a dot", async () => {
  await page.getByRole("tab", { name: "Profile" }).click();
  const row = page.locator(".tr[data-rank]").filter({ hasText: "charAt" });
  await row.first().locator("svg.run-dots").first().waitFor();
  const exclusive = files.map((file) => toldOf(file, "exclusive"));
  const own = toldOf(EXAMPLE, "exclusive");
  const cells = (await row.first().locator(".td").allInnerTexts()).map((text) => text.trim());
  assert.ok(cells.includes(ms(middle(exclusive))), `${ms(middle(exclusive))} in ${cells}`);
  const texts = await row.first().locator(".td .sr-only").allTextContents();
  const wanted = `${exclusive.map(ms).join(", ")} before, ${Array(4).fill(ms(own)).join(", ")} now`;
  assert.ok(texts.includes(wanted), `${wanted} in ${texts}`);
  assert.equal(await row.first().locator("svg.run-dots").first().locator("circle.old").count(), 5);
  await page.getByText(/changes are of medians: 5 old runs, 4 new/).waitFor();
});

await checkProgram(
  "so have Tree and Callers, which are sorted by the change of medians",
  async () => {
    for (const tab of ["Tree", "Callers"]) {
      await page.getByRole("tab", { name: tab }).click();
      const dots = page.locator(".tabpanel svg.run-dots, [role=tabpanel] svg.run-dots").first();
      await dots.waitFor();
      assert.equal(await dots.locator("circle.new").count(), 4);
      await page.getByText(/changes are of medians: 5 old runs, 4 new/).waitFor();
    }
  },
);

await checkProgram(
  "Calls and the flame graph of the change say of which runs they are",
  async () => {
    await page.getByRole("tab", { name: "Calls", exact: true }).click();
    await page.getByRole("tab", { name: "Flame" }).click();
    await page
      .getByRole("radio", { name: "Change" })
      .or(page.getByRole("button", { name: "Change", exact: true }))
      .first()
      .click();
    await page
      .getByText(
        /of one run a side: old run 2 of 5; new run 1 of 4|of one run a side: old run 3 of 5, the most typical; new run \d of 4/,
      )
      .waitFor();
  },
);

await checkProgram("a range is of the runs that are shown alone, and says so", async () => {
  await page.getByRole("tab", { name: "Profile" }).click();
  await settle(page);
  await page.evaluate(() => (location.hash += "&picked=100-200ms"));
  await page.getByText("beside the old trace, times are one sample of each").waitFor();
  await settle(page);
  await page.goBack();
  await page.getByText(/changes are of medians/).waitFor();
  await settle(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  await rows.first().waitFor();
});

await checkProgram("the sides swap", async () => {
  await settle(page);
  await page.getByRole("button", { name: "Swap the sides" }).click();
  await page.waitForURL(/\/t\/4\/#.*runs=1,7,8,9~2,3,4,5,6/);
  await head.getByText("b1.trace.zst and 3 more").waitFor();
  assert.match((await head.innerText()).replace(/\s+/g, " "), /Old.*b1\.trace\.zst and 3 more/);
});

await checkProgram("the page is accessible in both themes", async () => {
  await assertAccessibleInBoth(page);
});

await checkProgram("runs that are not there are told", async () => {
  await page.goto("about:blank");
  await page.goto(`${viewer.url.replace(/#.*/, "")}#tab=changes&runs=2,77~1`);
  await page.getByText("These cannot be compared").waitFor();
  assert.match(await page.locator(".insights-none").innerText(), /77/);
});

await checkProgram("nothing else went wrong", () => {
  assert.deepEqual(problems, []);
});

await viewer.stop();
await browser.stop();
await rm(folder, { recursive: true });
finish();
