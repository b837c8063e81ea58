// Several runs a side in one page of the static site, without a program: files that are given at once are sorted into both sides, a
// link names several addresses of each, and tables, dots, medians and the choice of a run are those that the viewer has.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessibleInBoth,
  BINARY,
  createChecks,
  EXAMPLE,
  settle,
  SITE,
  startBrowser,
  watchProblems,
  whenKept,
} from "./harness.mjs";
import { drop, startStaticHost } from "./static-host.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-static-many-"));
const [last, now] = [path.join(folder, "last"), path.join(folder, "now")];
await mkdir(last);
await mkdir(now);
const runs = { old: [], new: [] };
for (const [ix, until] of [400, 440, 420].entries()) {
  const file = path.join(last, `a${ix + 1}.trace`);
  execFileSync(BINARY, ["export", EXAMPLE, "--from", "0", "--to", `${until}`, "-o", file], {
    stdio: "ignore",
  });
  await utimes(file, 1e9 + ix, 1e9 + ix);
  runs.old.push(file);
}
for (const [ix, name] of ["b1", "b2"].entries()) {
  const file = path.join(now, `${name}.trace.zst`);
  await copyFile(EXAMPLE, file);
  await utimes(file, 1.1e9 + ix, 1.1e9 + ix);
  runs.new.push(file);
}
const all = [...runs.old, ...runs.new];
const diff = JSON.parse(
  execFileSync(BINARY, ["diff", "--json", "-n", "0", last, now], { encoding: "utf8" }),
);
const host = await startStaticHost(SITE, {
  files: Object.fromEntries(all.map((file) => [`traces/${path.basename(file)}`, file])),
});
const browser = await startBrowser();
const problems = [];

async function newPage(address = host.url) {
  const page = await browser.context.newPage();
  watchProblems(page, undefined, problems);
  await page.goto(address);
  return page;
}

const LEFT = 100;
const right = (page) => page.viewportSize().width - 100;
const changed = (page) => page.locator("[data-table=changes] .table-rows .tr");
const head = (page) => page.locator(".changes-head");
const textOf = async (place) => (await place.innerText()).replace(/\s+/g, " ");
const hash = (page) => page.evaluate(() => location.hash);
const strip = (page) => page.getByRole("group", { name: "The old trace", exact: true });
const sidesOf = (page) => page.getByRole("dialog", { name: "Which are the old ones?" });

// The tables are those of the program, whichever runs are shown.
async function assertRuns(page, told = diff) {
  await changed(page).first().waitFor();
  const text = await textOf(head(page));
  const { changed: more, same, undecided } = told.time_verdicts;
  assert.ok(
    text.includes(
      `Inclusive time of ${more + same + undecided} methods was tested: ${more} changed by more than 5 %, ` +
        `${same} the same within it, ${undecided} undecided.`,
    ),
    text,
  );
  const dots = changed(page).first().locator("svg.run-dots");
  assert.equal(await dots.locator("circle.old").count(), told.old.runs);
  assert.equal(await dots.locator("circle.new").count(), told.new.runs);
}

const page = await newPage();
await page.getByRole("heading", { name: "Open a method trace" }).waitFor();

await check(
  "files that are dropped at once are sorted into both sides by their times",
  async () => {
    await drop(page, [...runs.new, ...runs.old], LEFT);
    await sidesOf(page).waitFor();
    const marked = await sidesOf(page)
      .getByRole("checkbox")
      .evaluateAll((boxes) => boxes.map(({ checked }) => checked));
    assert.deepEqual(marked, [true, true, true, false, false]);
    assert.match(await textOf(sidesOf(page)), /a1\.trace old .* b2\.trace\.zst new/);
    assert.match(await textOf(sidesOf(page)), /3 old, 2 new/);
  },
);

await check("either side needs a file, and the dialog is accessible", async () => {
  await assertAccessibleInBoth(page);
  const boxes = sidesOf(page).getByRole("checkbox");
  for (const ix of [3, 4]) await boxes.nth(ix).check();
  await sidesOf(page).getByText("One must be new").waitFor();
  assert.ok(await sidesOf(page).getByRole("button", { name: "Compare" }).isDisabled());
  for (const ix of [3, 4]) await boxes.nth(ix).uncheck();
});

await check("medians, dots and verdicts are those of the program", async () => {
  await sidesOf(page).getByRole("button", { name: "Compare" }).click();
  await assertRuns(page);
  await page.waitForFunction(() => location.hash.includes("against="));
  assert.match(await hash(page), /runs=1,2,3~0,4/);
  const text = await textOf(strip(page));
  assert.match(text, new RegExp(`Old: run ${diff.old.typical} of 3 is shown: the most typical`));
  assert.match(text, new RegExp(`New: run ${diff.new.typical} of 2 is shown: the most typical`));
});

await check("another run of the old side is chosen", async () => {
  await strip(page)
    .getByRole("button", { name: /Old: ?run/ })
    .click();
  await page.getByRole("menuitemradio", { name: /2: a2\.trace/ }).click();
  await page.keyboard.press("Escape");
  await strip(page).getByText("Old: a2.trace").waitFor();
  await page.waitForFunction(() => location.hash.includes("against=2"));
});

await check("another run of the new side is shown without reading anything again", async () => {
  const other = diff.new.typical === 1 ? 2 : 1;
  await head(page)
    .getByRole("button", { name: /New: ?run/ })
    .click();
  await page.getByRole("menuitemradio", { name: new RegExp(`${other}: b${other}`) }).click();
  await page.locator(".bar h1", { hasText: `b${other}.trace.zst` }).waitFor();
  await assertRuns(page);
  assert.match(await textOf(head(page)), new RegExp(`New: run ${other} of 2 is shown`));
  assert.match(await hash(page), /tab=changes.*against=2&runs=1,2,3~0,4/);
});

await check("Profile, Tree and Callers have the runs, too", async () => {
  for (const tab of ["Profile", "Tree", "Callers"]) {
    await page.getByRole("tab", { name: tab }).click();
    const dots = page.locator("[role=tabpanel] svg.run-dots").first();
    await dots.waitFor();
    assert.equal(await dots.locator("circle.old").count(), 3);
    assert.equal(await dots.locator("circle.new").count(), 2);
    await page.getByText(/changes are of medians: 3 old runs, 2 new/).waitFor();
  }
  await page.getByRole("tab", { name: "Changes" }).click();
});

await check("a reload shows all of them again", async () => {
  await settle(page);
  for (const file of all) await whenKept(page, path.basename(file));
  await page.reload();
  await assertRuns(page);
  assert.match(await hash(page), /runs=1,2,3~0,4/);
});

await check("the sides are swapped", async () => {
  await page.getByRole("button", { name: "Swap the sides" }).click();
  await page.waitForFunction(() => location.hash.includes("runs=1,2~0,3,4"));
  await assertRuns(page, {
    ...diff,
    time_verdicts: JSON.parse(
      execFileSync(BINARY, ["diff", "--json", "-n", "0", now, last], { encoding: "utf8" }),
    ).time_verdicts,
    old: diff.new,
    new: diff.old,
  });
});

await check("files that are dropped on the right half are runs of the new side", async () => {
  const other = await newPage();
  await other.getByRole("heading", { name: "Open a method trace" }).waitFor();
  await drop(other, [runs.old[0]], LEFT);
  await other.locator("[data-rank]").first().waitFor();
  await drop(other, runs.new, right(other));
  await changed(other).first().waitFor();
  await other.waitForFunction(() => /against=1&runs=1~0,2/.test(location.hash));
  assert.match(await textOf(head(other)), /b1\.trace\.zst and 1 more/);
  await drop(other, [runs.old[0]], LEFT);
  await other.waitForFunction(() => !location.hash.includes("runs="));
  assert.equal(await other.getByRole("tab", { name: "Changes" }).count(), 0);
  await other.close();
});

const addresses = (parameter, files) =>
  files.map((file) => `${parameter}=traces/${path.basename(file)}`).join("&");

await check("a link with several addresses a side shows them, and none that is gone", async () => {
  const link = `${addresses("url", runs.new)}&${addresses("against", runs.old)}`;
  const other = await newPage(`${host.url}?${link}`);
  await assertRuns(other);
  await other.waitForFunction(() => /against=\d&runs=1,2,3~0,4/.test(location.hash));
  await other.getByRole("button", { name: "Swap the sides" }).click();
  await other.waitForURL(/\?url=traces%2Fa\d\.trace&url=/);
  assert.equal(new URL(other.url()).searchParams.getAll("against").length, 2);
  await other.goto("about:blank");
  await other.goto(`${host.url}?${link}&against=traces/gone.trace`);
  await other
    .locator(".failed, .start-problem", { hasText: "traces/gone.trace answered 404" })
    .first()
    .waitFor();
  await other.close();
});

await check("more than 32 files are refused", async () => {
  const other = await newPage();
  await other.getByRole("heading", { name: "Open a method trace" }).waitFor();
  await other.setInputFiles("#file-input", Array(33).fill(runs.old[0]));
  await other.getByText("At most 32 traces are compared at once.").first().waitFor();
  await other.close();
});

await check("a run that cannot be read is named with its side", async () => {
  const other = await newPage();
  await other.getByRole("heading", { name: "Open a method trace" }).waitFor();
  const notes = path.join(folder, "static-many.txt");
  await copyFile(new URL(import.meta.url).pathname, notes);
  await other.setInputFiles("#file-input", [...runs.new, notes, runs.old[0]]);
  await sidesOf(other).getByRole("button", { name: "Compare" }).click();
  const problem = other.locator(".start-problem");
  await problem.waitFor();
  assert.match(
    await problem.textContent(),
    /the (old|new) trace, static-many\.txt: |static-many\.txt: /,
  );
  await other.close();
});

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(
    problems.filter((text) => !/gone\.trace|404/.test(text)),
    [],
  );
});

await browser.stop();
await host.stop();
await rm(folder, { recursive: true, force: true });
finish();
