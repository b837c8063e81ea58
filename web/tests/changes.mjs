// Two traces on one page, in a real browser: the first 400 ms of the example beside all of it. What changed is told in
// sentences and in a table; a press selects the method; the sides swap; what cannot be compared says why.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  assertAccessibleInBoth,
  assertColours,
  assertChanges,
  BINARY,
  createChecks,
  dropFile,
  EXAMPLE,
  followLink,
  isAskedAgain,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-changes-"));
const half = path.join(folder, "half.trace");
execFileSync(BINARY, ["export", EXAMPLE, "--from", "0", "--to", "400", "-o", half], {
  stdio: "ignore",
});
const viewer = await startViewer(EXAMPLE, [half]);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page, isAskedAgain);
const rows = page.locator("[data-table=changes] .table-rows .tr");
const told = page.getByRole("list", { name: "What changed" }).getByRole("button");
// The new trace, and the old one as a trace of its own; the viewer's own address has the link to what changed.
const base = { url: viewer.url.replace(/#.*/, "") };
const old = { url: `${base.url}t/2/` };
const FIRST_ROW = "[data-table=profile] .table-rows .tr";

await page.goto(viewer.url);
await rows.first().waitFor();

await checkProgram("the page says what diff says", async () => {
  const diff = JSON.parse(
    execFileSync(BINARY, ["diff", "--json", half, EXAMPLE], { encoding: "utf8" }),
  );
  const head = await page.locator(".changes-head").innerText();
  assert.match(head, /half\.trace/);
  assert.match(head, /recipes\.trace\.zst/);
  assert.match(head, /one sample of each side, and decide nothing/);
  await assertChanges(page, diff);
});

await check(
  "what changed is told in at most ten sentences, and a press selects the method",
  async () => {
    const count = await told.count();
    assert.ok(count > 0 && count <= 10, `${count} sentences`);
    assert.match(await told.first().innerText(), /is new: called once/);
    await told.first().click();
    await page.waitForFunction(() => location.hash.includes("method="));
    assert.match(page.url(), /method=com\.example\.recipes\.RecipeApp%?\$?.*loop/);
    assert.equal(await page.locator("[data-table=changes] .tr.selected").count(), 1);
  },
);

await checkProgram("callers and threads are told as diff tells them", async () => {
  const lines = execFileSync(BINARY, ["diff", half, EXAMPLE], { encoding: "utf8" }).split("\n");
  const part = page.getByRole("region", { name: "Callers and threads" });
  const text = (await part.innerText()).replace(/\s+/g, " ");
  const callers = lines.find((line) => line.startsWith("Callers: ")).slice(9);
  assert.ok(text.toLowerCase().includes(callers.toLowerCase()), `${text} has not: ${callers}`);
  const threads = /Threads: (\d+) names? ha(?:s|ve) other calls (\(.*\))/.exec(lines.join("\n"));
  assert.match(text, new RegExp(`${threads[1]} names? of threads ha(s|ve) other calls`));
  assert.ok(text.includes(threads[2]));
  const { paths } = JSON.parse(
    execFileSync(BINARY, ["diff", "--json", half, EXAMPLE], { encoding: "utf8" }),
  );
  const told = part
    .getByRole("list", { name: "Paths on which calls changed", exact: true })
    .getByRole("button");
  assert.equal(await told.count(), 3);
  const [first] = paths;
  const line = await told.first().innerText();
  const method = first.path.at(-1).replace(/ \(.*$/, "");
  const calls = `${method} ${first.old.calls[0]} calls became ${first.new.calls[0]}.`;
  assert.ok(line.endsWith(calls), `${line} has not: ${calls}`);
  await part.getByText(/^and \d+ more$/).click();
  assert.equal(
    await part
      .getByRole("list", { name: /calls changed, the others/ })
      .getByRole("button")
      .count(),
    Number(/^on (\d+) paths/.exec(callers)[1]) - 3,
  );
  await told.first().click();
  await page.waitForFunction(() => location.hash.includes("method="));
});

await check("a table by exclusive time, and a filter by what is searched for", async () => {
  await page.getByRole("radio", { name: "Exclusive" }).click();
  await settle(page);
  const [, , , , , , change] = await rows.first().locator(".td").allTextContents();
  assert.match(change, /^[+−]/);
  await page.locator("#search").fill("nativeFinished");
  await page.keyboard.press("Control+Enter");
  await settle(page);
  assert.match(await page.locator(".changes .table-footer").innerText(), /^1 method/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await settle(page);
});

await check("the page is accessible in both themes", async () => {
  await assertAccessibleInBoth(page);
});

await check("the sides swap, and Back returns", async () => {
  await page.getByRole("button", { name: "Swap the sides" }).click();
  await page.waitForURL(/\/t\/2\/#tab=changes&against=1/);
  await rows.first().waitFor();
  assert.match(await told.first().innerText(), /is gone: it was called once/);
  await page.goBack();
  await page.waitForURL((url) => !url.pathname.includes("/t/2/"));
  await rows.first().waitFor();
});

await check("a trace that is not there is told, and one page alone has no such tab", async () => {
  await page.goto(viewer.url.replace(/against=2/, "against=77"));
  await page.getByText("These cannot be compared: no trace", { exact: false }).waitFor();
  await followLink(page, base, "", FIRST_ROW);
  assert.equal(await page.getByRole("tab", { name: "Changes" }).count(), 0);
});

// The boxes of the picture that the command draws: what each says of itself.
function pictureOf(...words) {
  const svg = execFileSync(BINARY, ["flame", "--diff", half, EXAMPLE, ...words, "-o", "-"], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return [...svg.matchAll(/<title>([^<]* \([^<]*\))<\/title>/g)].map((found) => found[1]);
}

const tools = page.locator(".tab-tools.of-change");
const card = page.getByRole("tooltip");
const graph = page.getByRole("group", { name: /^Flame graph/ });
const flame = (link, trace = base) =>
  followLink(page, trace, `tab=flame&${link}`, "[role=tab][aria-selected=true]");

await checkProgram("the flame graph of what changed says what the command draws", async () => {
  await flame("against=2");
  await page.getByRole("radio", { name: "Change" }).click();
  await page.waitForFunction(() => location.hash.includes("change=new"));
  await tools.getByText("of CPU time").waitFor();
  await settle(page);
  const [all, main] = pictureOf();
  const [, ms, old, change] = /^all \(([\d.]+) ms.*old ([\d.]+) ms; \+([\d.]+) ms\)$/.exec(all);
  const said = (await tools.innerText()).replaceAll("\n", " ");
  assert.match(said, /\+\d+ ms \(\+[\d.]+ % of \d+ ms\) of CPU time/);
  assert.ok(said.includes(`+${Math.round(Number(change))} ms (`), `${said} has not +${change} ms`);
  assert.ok(said.includes(`of ${Math.round(Number(old))} ms)`), `${said} has not ${old} ms`);
  await graph.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await card.innerText(), new RegExp(`^all\\s+New\\s+${Math.round(Number(ms))} ms`));
  await page.keyboard.press("ArrowDown");
  const told = await card.innerText();
  const [, name, time] = /^(\S+) \(([\d.]+) ms/.exec(main);
  assert.ok(told.startsWith(name), `${told} is not ${name}`);
  assert.match(told, new RegExp(`New\\s+${Math.round(Number(time))} ms\\s+1 call`));
  assert.match(told, /Change\s+\+\d+ ms\s+\+[\d.]+ % of \d+ ms|Change\s+\+\d+ ms\s+[\d,]+ times/);
});

await check("a box of what changed zooms, the link has it, and a crumb leads back", async () => {
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    /zoom=com\.example\.recipes\.RecipeApp\.main/.test(location.hash),
  );
  await page.getByRole("navigation", { name: "Zoomed to" }).getByText("RecipeApp.main").waitFor();
  await page.reload();
  await page.getByRole("navigation", { name: "Zoomed to" }).getByText("RecipeApp.main").waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.waitForFunction(() => !location.hash.includes("zoom="));
});

await check("widths, colours and what is gone are chosen, and nothing gone is told", async () => {
  await page.getByRole("radio", { name: "Share" }).click();
  await tools
    .getByText(/% of all/)
    .first()
    .waitFor();
  await page.waitForFunction(() => location.hash.includes("change=new.share"));
  await page.getByRole("radio", { name: "Old" }).click();
  await page.waitForFunction(() => location.hash.includes("change=old.share"));
  await page.getByRole("radio", { name: "Gone" }).click();
  await page.getByText("Nothing is gone: the new trace has each stack", { exact: false }).waitFor();
  await flame("against=1&change=gone", old);
  await tools.getByText("gone", { exact: true }).first().waitFor();
  await settle(page);
  await graph.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await card.innerText(), /^all\s+Gone\s+[\d.]+ ms\s+of what it called/);
});

await check("the graph of what changed is accessible in both themes", async () => {
  await flame("against=2&change=new");
  await tools.getByText("of CPU time").waitFor();
  await settle(page);
  await assertAccessibleInBoth(page);
});

await check("the graph of what changed is of all calls, also while a lens is on", async () => {
  const told = await tools.innerText();
  await flame("against=2&change=new&those=HashMap");
  await page.locator(".chip.through").waitFor();
  await tools.getByText("of CPU time").waitFor();
  await settle(page);
  const seen = (await tools.innerText()).split("\n");
  const note = seen.indexOf("of all calls: the other trace has no such set");
  assert.ok(note > 0, seen.join());
  assert.deepEqual(
    seen.filter((_, ix) => ix !== note),
    told.split("\n"),
  );
});

await check("a trace alone has no change to draw", async () => {
  await flame("change=new");
  await page.getByRole("radio", { name: "Top down" }).waitFor();
  assert.equal(await page.getByRole("radio", { name: "Change" }).count(), 0);
});

const cellsOf = (row) => row.locator(".td").allTextContents();

await checkProgram("the Profile has each number with what it was in the old trace", async () => {
  await followLink(page, base, "tab=profile&against=2", FIRST_ROW);
  const first = page.locator(FIRST_ROW).first();
  const [name, changed, , now, old, change] = await cellsOf(first).then((cells) => [
    cells[0],
    cells[1],
    null,
    ...cells.slice(2, 5),
  ]);
  const method = name.replace(/\s.*/, "");
  const top = (file) =>
    JSON.parse(
      execFileSync(BINARY, ["top", "--json", "-n", "0", file], {
        encoding: "utf8",
        maxBuffer: 64 << 20,
      }),
    ).methods.filter((row) => `${row.class}.${row.name}` === method);
  const [was] = top(half);
  const [is] = top(EXAMPLE);
  assert.ok(was !== undefined && is !== undefined, `${method} is not in both`);
  const ms = (row) => (row.exclusive.cpu_ns / 1e6).toFixed(3);
  // The bar says its share before the number.
  assert.ok(now.endsWith(ms(is)), `${now} is not ${ms(is)}`);
  assert.equal(old, ms(was));
  const more = is.exclusive.cpu_ns - was.exclusive.cpu_ns;
  assert.equal(
    change,
    `${more > 0 ? "+" : more < 0 ? "−" : ""}${(Math.abs(more) / 1e6).toFixed(3)}`,
  );
  const calls = is.calls + is.recursive_calls - was.calls - was.recursive_calls;
  assert.equal(changed, calls === 0 ? "same calls" : `calls +${calls.toLocaleString("en")}`);
  await page.getByText("times are one sample of each").waitFor();
});

await checkProgram("the Profile is sorted by the change, of all methods", async () => {
  const top = await (await fetch(`${viewer.url.replace(/#.*/, "")}api/top?n=0`)).json();
  const changes = new Map();
  for (let at = 0; at < top.methods.length; at += 2000) {
    const some = top.methods.slice(at, at + 2000);
    const ranks = some.map((row) => row.rank).join(",");
    const query = `api/before?old=2&ranks=${ranks}`;
    const before = await (await fetch(viewer.url.replace(/#.*/, "") + query)).json();
    const old = new Map(before.methods.map((row) => [row.rank, row]));
    for (const row of some)
      if (old.get(row.rank)?.merged !== true)
        changes.set(row.rank, row.inclusive.cpu_ns - (old.get(row.rank)?.inclusive.cpu_ns ?? 0));
  }
  const wanted = [...changes.values()].sort((a, b) => b - a);
  const heading = page.getByRole("columnheader", { name: "± incl CPU, ms" });
  const shown = async () => {
    await settle(page);
    const found = await page.locator("[data-table=profile] .table-rows .tr").all();
    const ranks = await Promise.all(found.slice(0, 12).map((one) => one.getAttribute("data-rank")));
    return ranks.map((rank) => changes.get(Number(rank)));
  };
  await heading.getByRole("button").click();
  assert.deepEqual(await shown(), wanted.slice(0, 12));
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  await page.waitForFunction(() => location.hash.includes("sort=change-inclusive.cpu.desc"));
  await heading.getByRole("button").click();
  assert.deepEqual(await shown(), wanted.reverse().slice(0, 12));
  await followLink(page, base, "tab=profile&against=2", FIRST_ROW);
});

await check("rows that are marked beside the old trace are added up, too", async () => {
  await page.locator("[data-table=profile] [data-rank]").first().click();
  for (let ix = 0; ix < 2; ix += 1) await page.keyboard.press("Shift+ArrowDown");
  await settle(page);
  assert.match(await page.locator(".table-footer .totals").textContent(), /^3 marked: /);
});

await check("Tree and Callers have them, too, and a trace alone has none", async () => {
  for (const [hash, label] of [
    ["tab=tree", "Tree"],
    ["tab=callers", "Callers"],
  ]) {
    await followLink(page, base, `${hash}&against=2`);
    const grid = page.getByRole("treegrid", { name: label });
    await grid.getByRole("columnheader", { name: /^Old (incl|excl) CPU/ }).waitFor();
    await settle(page);
    const cells = await cellsOf(grid.locator(".table-rows .tr").first());
    assert.match(cells[2], /^(same calls|new|calls [+−][\d,]+)$/);
    assert.match(cells[3], /^[\d,]+\.\d{3}$/);
    assert.match(cells[4], /^[+−]?[\d,]+\.\d{3}$/);
    await assertAccessible(page);
    // The colour of what grew is read on the colour of a selected row, too.
    if (label === "Tree") {
      await grid
        .locator(".table-rows .tr", { has: page.locator(".grew") })
        .first()
        .click();
      await settle(page);
      await assertColours(page);
    }
    const heading = grid.getByRole("columnheader", { name: /^± / });
    await heading.getByRole("button").click();
    await settle(page);
    assert.equal(await heading.getAttribute("aria-sort"), "descending");
    assert.ok((await grid.locator(".table-rows .tr").count()) > 1);
  }
  await followLink(page, base, "tab=tree");
  await page.getByRole("treegrid", { name: "Tree" }).locator(".table-rows .tr").first().waitFor();
  assert.equal(await page.getByRole("columnheader", { name: /^Old/ }).count(), 0);
});

const head = page.locator(".changes-head");

await check("a file that is dropped on the right half is compared with the open one", async () => {
  await followLink(page, base, "", FIRST_ROW);
  const { width } = page.viewportSize();
  await page.evaluate((clientX) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "x"));
    const over = { dataTransfer, clientX, bubbles: true, cancelable: true };
    document.querySelector("#app").dispatchEvent(new DragEvent("dragover", over));
  }, width - 10);
  assert.match(await page.locator(".drop-halves .chosen").innerText(), /^Compare it/);
  await dropFile(page, "later.trace", await readFile(half), width - 10);
  await page.waitForURL(/\/t\/\d+\/#tab=changes&against=1$/);
  await rows.first().waitFor();
  assert.match(await head.innerText(), /Old\s+recipes\.trace\.zst[^]*New\s+later\.trace/);
  assert.equal(await page.locator(".drop-halves").count(), 0);
});

await check("a recent file is compared with the open one", async () => {
  await followLink(page, old, "", FIRST_ROW);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("recent files");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Recent files" });
  const row = dialog.getByRole("listitem").filter({ hasText: "recipes.trace.zst" });
  const own = dialog.getByRole("listitem").filter({ hasText: "half.trace" });
  await row.getByRole("button", { name: "Compare" }).waitFor();
  await assertAccessible(page);
  await own.getByRole("button", { name: "Compare" }).click();
  await page.getByText("half.trace: that is the trace that is shown").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("recent files");
  await page.keyboard.press("Enter");
  await row.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(/#tab=changes&against=2$/);
  await rows.first().waitFor();
  assert.match(await head.innerText(), /Old\s+half\.trace[^]*New\s+recipes\.trace\.zst/);
});

await check("nothing went wrong on the way", () => {
  assert.deepEqual(
    problems.filter((text) => !text.includes("404")),
    [],
  );
});

await viewer.stop();
await rm(folder, { recursive: true });
await browser.stop();
finish();
