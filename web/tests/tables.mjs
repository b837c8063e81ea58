// What all tables of the lower panel have in common: sorting, filtering, marking and copying rows, columns, CSV;
// and what each does with its rows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  BINARY,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  until,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";

const rest = () => settle(page);

// Follows a link in the page that is open; what a check leaves behind that no link names, or asks for that a page asks for once,
// takes a page of its own.
const open = (link) => followLink(page, viewer, link);
const openAnew = (link) => openView(page, viewer, link);
const heading = (name) => page.getByRole("columnheader", { name, exact: true });
const cells = (column) =>
  page.$$eval(
    ".tab-panel .table-rows .tr",
    (rows, ix) => rows.map((row) => row.querySelectorAll(".td")[ix]?.textContent ?? ""),
    column,
  );
const numbers = async (column) => (await cells(column)).filter((text) => text !== "").map(Number);
const isFalling = (list) => list.every((one, ix) => ix === 0 || one <= list[ix - 1]);
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
const menu = (name) => page.getByRole("menuitem", { name });

await check("two presses from a Profile row to the call that took unusually long", async () => {
  await open(`method=${METHOD}`);
  const row = page.locator(".tr.selected");
  await row.locator(".cell-link", { hasText: "14" }).click();
  await rest();
  await page.locator(".calls .table-rows .tr").first().click();
  await rest();
  assert.match(decodeURIComponent(page.url()), /call=1:main\|1\|/);
  assert.match(
    await page.locator(".calls .table-rows .tr").first().textContent(),
    /unusually long.*222×/,
  );
  assert.equal(await page.locator(".outlier").count(), 2);
  assert.match(
    await page.locator(".calls-head").textContent(),
    /longest call takes 201 ms of CPU time, 222×/,
  );
});

await check("the histogram marks p50, p95 and max, and a bar lists its calls", async () => {
  const marks = await page.locator(".histogram-mark").allTextContents();
  assert.deepEqual(marks, ["p50", "p95, max"]);
  await page.locator(".histogram .bar-of-list:not([aria-disabled=true])").last().click();
  await rest();
  assert.deepEqual(
    (await cells(0)).map((text) => text.replace(/\D/g, "")),
    ["1"],
  );
  assert.match(await page.locator(".calls .table-footer").textContent(), /1 of 14 calls/);
  await page.locator(".chip:not(.chosen-calls)").click();
  await rest();
  assert.equal((await cells(0)).length, 14);
});

await check("calls sort by every column in the program", async () => {
  await page.getByRole("radio", { name: "By start" }).click();
  await rest();
  assert.ok(isFalling((await cells(0)).map(parseFloat).reverse()));
  await heading("Wait, ms").click();
  await rest();
  assert.ok(isFalling(await numbers(5)));
  assert.equal(await heading("Wait, ms").getAttribute("aria-sort"), "descending");
  await heading("Wait, ms").click();
  await rest();
  assert.ok(isFalling((await numbers(5)).reverse()));
  await page.getByRole("radio", { name: "Slowest first" }).click();
  await rest();
});

await check("arrows walk the calls, Shift marks some, Ctrl+C copies them", async () => {
  await page.locator(".calls .table-body").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await rest();
  assert.match(decodeURIComponent(page.url()), /call=1:main\|10\|/);
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await rest();
  assert.equal(await page.locator(".calls .tr.marked").count(), 3);
  await page.keyboard.press("Control+c");
  await rest();
  const lines = (await clipboard()).split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[0], /^10\tmain\t619\.932\t104\.147\t78\.012\t26\.135/);
});

await check("the columns of a table are kept as a setting", async () => {
  await page.locator(".calls").getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Depth" }).click();
  await page.keyboard.press("Escape");
  await rest();
  await page.reload();
  await heading("Depth").waitFor();
  await heading("Depth").click({ button: "right" });
  await menu("The usual columns").click();
  await rest();
  assert.equal(await heading("Depth").count(), 0);
});

await check("Share saves the table on the screen as CSV", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    menu("Save as CSV…").click(),
  ]);
  assert.equal(download.suggestedFilename(), "recipes-calls.csv");
  const text = await readFile(await download.path(), "utf8");
  const lines = text.trimEnd().split("\r\n");
  assert.equal(lines.length, 15);
  assert.equal(lines[0], "call,thread,start_ns,wall_ns,cpu_ns,wait_ns,exclusive_ns,times_median");
  assert.match(lines[1], /^1,main,401531000,202014000,200961000,1053000,/);
});

await check("the selection as Markdown has its call, stack and link", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await menu("Copy the selection as Markdown").click();
  await rest();
  const text = await clipboard();
  assert.match(text, /^\*\*`recipes\.trace\.zst`: 804 ms, 401,987 calls\*\*/);
  assert.match(text, /call 10 of 14, thread main, from 619\.932 ms/);
  assert.match(text, /wall 104\.147 ms, CPU 78\.012 ms, waiting 26\.135 ms/);
  assert.match(
    text,
    /\n\n\| calls 14 \| wall \| CPU \|\n\| --- \| ---: \| ---: \|\n\| inclusive \| 329\.998 ms \([\d.]+ %\) \| 290\.075 ms/,
  );
  assert.match(text, /```\n {4}at com\.example\.recipes\.RecipeApp\$LoadListener\.nativeFinished/);
  assert.ok(text.includes(new URL(page.url()).hash));
  assert.match(text, /\n- waited 26\.\d ms: /i);
  assert.match(text, /\n- calls by `RecipeApp\.lambda\$onResume\$2` 14\n/);
  assert.match(text, /\n\| durations of 14 calls \| min \| p50 \| p95 \| max \|\n/);
});

await checkProgram("an explanation has commands that run and say the same", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await menu("Explain this selection, as text to copy").click();
  await rest();
  const text = await clipboard();
  assert.match(text, /\n- Wall time is what a clock on the wall says/);
  const commands = text.slice(text.lastIndexOf("```\ntraceview") + 4, -4).split("\n");
  assert.equal(commands.length, 5);
  const said = commands.map((command) =>
    execFileSync("sh", ["-c", command.replace(/^traceview/, `"$TRACEVIEW_BINARY"`)], {
      cwd: path.dirname(EXAMPLE),
      env: { ...process.env, TRACEVIEW_BINARY: BINARY },
      encoding: "utf8",
    }),
  );
  assert.match(
    said[3],
    /290\.075 +36\.8 +14 +com\.example\.recipes\.RecipeApp\$LoadListener\.nativeFinished/,
  );
  assert.match(said[4], /100 % is 78\.012 ms, this call/);
});

await checkProgram("an explanation is of what was chosen when it was asked for", async () => {
  const other = await browser.context.newPage();
  await openView(other, viewer, `clock=wall&method=${METHOD}`);
  const ask = async () => {
    await other.evaluate(() => navigator.clipboard.writeText(""));
    await other.getByRole("button", { name: "Share" }).click();
    await other.getByRole("menuitem", { name: "Explain this selection" }).click();
  };
  const answer = () => until(() => other.evaluate(() => navigator.clipboard.readText()));
  await ask();
  const calm = await answer();
  const asked = withResolvers();
  const chosen = withResolvers();
  await other.route(/api\/top\?.*&n=5$/, async (route) => {
    asked.resolve();
    await chosen.promise;
    await route.continue();
  });
  await ask();
  await asked.promise;
  const before = await other.evaluate(() => location.hash);
  await other.keyboard.press("k");
  await other.waitForFunction((old) => location.hash !== old, before);
  chosen.resolve();
  assert.equal(await answer(), calm);
  await other.unroute(/api\/top\?.*&n=5$/);

  await openView(other, viewer, "those=no.such.method");
  await ask();
  await other.getByText(/^The explanation is not copied: no call is like that/).waitFor();
  await other.close();
});

await checkProgram(
  "an explanation says of which calls it is, and has the numbers of its commands",
  async () => {
    const other = await browser.context.newPage();
    const method = "com.example.recipes.RecipeApp$Database.query";
    const listener = "com.example.recipes.RecipeApp$LoadListener.nativeFinished";
    for (const [link, part, whole] of [
      [
        `mine=java.,jdk.,sun.&method=${method}`,
        "the time of methods in java., jdk., sun. is their callers'",
        "of all threads",
      ],
      [
        `of=${listener}&lasting=cpu:50-ms&method=${method}`,
        "only 2 calls of RecipeApp$LoadListener.nativeFinished, 50.0 ms or longer CPU time",
        "these calls of all threads",
      ],
      [
        `within=1:main|10|${listener}+(I)V&picked=620-650ms&clock=wait`,
        "only call 10 of RecipeApp$LoadListener.nativeFinished",
        "this call",
      ],
      ["clock=wait&picked=300-700ms", "range 300.000 to 700.000 ms", "in the range"],
      [
        "clock=wait&idle=counted",
        "the same view",
        "the root calls of all threads, 755 ms of that not recorded",
      ],
    ]) {
      await openView(other, viewer, link);
      await other.getByRole("button", { name: "Share" }).click();
      await other
        .getByRole("menuitem", { name: "Explain this selection, as text to copy" })
        .click();
      await settle(other);
      const text = await other.evaluate(() => navigator.clipboard.readText());
      assert.ok(text.includes(`\n- ${part}`), text);
      assert.equal(/\n- range/.test(text), link.includes("picked") && !link.includes("within"));
      assert.ok(text.includes(`${whole}:\n`), text);
      const commands = text.slice(text.lastIndexOf("```\ntraceview") + 4, -4).split("\n");
      const ask = (verb) =>
        JSON.parse(
          execFileSync(
            "sh",
            [
              "-c",
              `${commands.find((one) => one.includes(` ${verb} `)).replace(/^traceview/, `"$TRACEVIEW_BINARY"`)} --json`,
            ],
            {
              cwd: path.dirname(EXAMPLE),
              env: { ...process.env, TRACEVIEW_BINARY: BINARY },
              encoding: "utf8",
            },
          ),
        );
      const ms = (ns) => (ns / 1e6).toFixed(3);
      const told = ask("top");
      for (const row of told.methods.slice(0, 5)) {
        const own = link.includes("wait") ? row.wait.exclusive_ns : row.exclusive.cpu_ns;
        assert.ok(text.includes(`\n| \`${row.method}\` | ${ms(own)} ms (`), row.method);
      }
      if (!link.includes("method=")) continue;
      const { exclusive, inclusive } = ask("callers").method;
      for (const [name, times] of Object.entries({ inclusive, exclusive }))
        assert.match(
          text,
          new RegExp(`\\n\\| ${name} \\| ${ms(times.wall_ns)} ms .*\\| ${ms(times.cpu_ns)} ms `),
        );
    }
    await other.close();
  },
);

await check(
  "the Profile by keyboard: into a method, to its child, marked rows copied",
  async () => {
    await open(`method=${METHOD}`);
    await page.locator(".table-body").focus();
    await page.keyboard.press("ArrowRight");
    await rest();
    await page.locator(".tr.parents").first().waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await rest();
    assert.match(await page.locator(".tr.marked").textContent(), /lambda\$onResume/);
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+c");
    await rest();
    const lines = (await clipboard()).split("\n");
    assert.match(
      lines[0],
      /^ {4}com\.example\.recipes\.RecipeApp\.lambda\$onResume\$2 \(I\)V\t290\.075/,
    );
    assert.equal(lines[1], "  Callees");
    assert.match(lines[2], /^ {4}exclusive\t0\.063/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await rest();
    assert.match(decodeURIComponent(page.url()), /method=.*lambda\$onResume/);
    await page.keyboard.press("ArrowLeft");
    await rest();
    assert.equal(await page.locator(".tr.parents").count(), 0);
  },
);

await check("a page key far down selects the row when it has come", async () => {
  await page.locator(".table-body").focus();
  await page.keyboard.press("End");
  await rest();
  const name = await page.locator(".tr.selected code").textContent();
  assert.ok(name.length > 3);
  await page.keyboard.press("Home");
  await rest();
  assert.match(await page.locator(".tr.selected").textContent(), /^java\.lang\.String\.charAt /);
});

await checkProgram("so it does where the rows come before their order", async () => {
  await openAnew(`method=${METHOD}`);
  let letGo = () => undefined;
  const isHeld = new Promise((done) => (letGo = done));
  await page.route(/api\/top\?.*ranks=1/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.locator(".table-body").focus();
  await page.keyboard.press("End");
  const last = page.locator(".table-rows .tr[data-rank]:has(code)").last();
  await page.waitForFunction(() => {
    const body = document.querySelector(".table-body");
    const isAtEnd = body.scrollTop + body.clientHeight >= body.scrollHeight - 1;
    return isAtEnd && body.querySelectorAll(".tr[data-rank] code").length > 5;
  });
  letGo();
  await rest();
  assert.equal(
    await page.locator(".tr.selected").getAttribute("data-rank"),
    await last.getAttribute("data-rank"),
  );
  await page.unrouteAll();
});

await check("the share of the time that sorts is said, and of what it is", async () => {
  await openAnew("");
  const shares = () =>
    page.locator(".bar-mark").evaluateAll((all) => all.map((one) => one.dataset.share));
  const whole = () => page.locator(".table-footer .whole").textContent();
  const { total, methods } = await (await fetch(`${viewer.api}top?n=3`)).json();
  const percent = (ns, of) => `${((ns / of) * 100).toFixed(1)} %`;
  assert.deepEqual(
    (await shares()).slice(0, 3),
    methods.map((one) => percent(one.exclusive.cpu_ns, total.cpu_ns)),
  );
  const ms = Math.round(total.cpu_ns / 1e6);
  assert.equal(await whole(), ` · 100 % is ${ms} ms CPU time, the root calls of all threads`);
  const threads = encodeURIComponent("1:main");
  await open(`picked=620-724ms&threads=${threads}`);
  const ofMain = await (
    await fetch(`${viewer.api}top?n=1&threads=1&from=620000000&to=724000000`)
  ).json();
  const [share] = await shares();
  assert.equal(share, percent(ofMain.methods[0].exclusive.cpu_ns, ofMain.total.cpu_ns));
  assert.match(await whole(), /ms CPU time, the root calls of 1 of 5 threads in the range$/);
  await open("");
});

await check(
  "another order begins at the top; a double press opens a row and marks no word",
  async () => {
    await open("");
    const body = page.locator(".table-body");
    const top = () => body.evaluate((element) => element.scrollTop);
    const scroll = async () => {
      await body.evaluate((element) => (element.scrollTop = 1500));
      await until(async () => (await top()) === 1500);
      await rest();
    };
    await scroll();
    await heading("Incl CPU, ms").click();
    await until(async () => (await top()) === 0);
    await scroll();
    await page.getByLabel("my code only").click();
    await until(async () => (await top()) === 0);
    await page.getByLabel("my code only").click();
    await rest();
    const number = page.locator("[data-rank]").nth(1).locator(".td").nth(3);
    await number.dblclick();
    await page.locator(".tr.group.parents").waitFor();
    assert.equal(await page.evaluate(() => getSelection().toString()), "");
    await openAnew("");
  },
);

await check("groups count inclusive time once, and sort by it", async () => {
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Packages" }).click();
  await rest();
  await heading("Incl CPU, ms").click();
  await rest();
  assert.ok(isFalling(await numbers(1)));
  const top = (await numbers(1))[0];
  assert.ok(top <= 787.569, `no package takes longer than all: ${top}`);
});

await check("Enter on a group lists exactly its methods", async () => {
  const row = page.locator(".tr", { has: page.getByText("com.example.recipes", { exact: true }) });
  const methods = (await row.locator(".td").last().textContent()).replace(",", "");
  await row.click();
  await page.keyboard.press("Tab");
  await page.locator(".table-body").focus();
  await page.keyboard.press("Enter");
  await rest();
  assert.match(await page.locator(".table-footer").textContent(), new RegExp(`${methods} methods`));
  assert.match(decodeURIComponent(page.url()), /filter=/);
  await page.locator(".about .chip.only").click();
  await rest();
});

await check("short names leave packages and signatures out", async () => {
  const name = () => page.locator("[data-rank] code").first().textContent();
  assert.equal(await name(), "java.lang.String.charAt (int) char");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Short names" }).click();
  await page.keyboard.press("Escape");
  await rest();
  assert.equal((await name()).trim(), "String.charAt");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Short names" }).click();
  await page.keyboard.press("Escape");
});

await check(
  "the tree by keyboard: right opens and goes in, left comes out and closes",
  async () => {
    await open("tab=tree");
    const rows = async () =>
      Number(await page.locator("[data-table=tree]").getAttribute("aria-rowcount"));
    await page.locator("[data-table=tree] .tr", { hasText: "Thread.run" }).first().click();
    await page.locator("[data-table=tree] .table-body").focus();
    const before = await rows();
    await page.keyboard.press("ArrowRight");
    await rest();
    assert.ok((await rows()) > before);
    await page.keyboard.press("ArrowRight");
    await rest();
    assert.equal(
      await page.locator("[data-table=tree] .tr.marked").getAttribute("aria-level"),
      "2",
    );
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
    await rest();
    assert.equal(await rows(), before);
  },
);

await check("transforms hold in the tree and the flame graph alike", async () => {
  await page.keyboard.press("f");
  await rest();
  assert.match(await page.locator(".chip:not(.chosen-calls)").textContent(), /focus Thread\.run/);
  assert.match(await page.locator(".tr code").first().textContent(), /Thread\.run/);
  assert.equal((await cells(2))[0], "100.0 %");
  const inclusive = (await cells(1))[0];
  await page.keyboard.press("2");
  await rest();
  const flame = await page.locator(".tab-tools").textContent();
  assert.match(flame, /focus Thread\.run/);
  assert.match(flame, new RegExp(`${Number(inclusive).toFixed(1)} ms`));
  await page.keyboard.press("3");
  await rest();
  await page.locator(".table-body").focus();
  await page.keyboard.press("u");
  await rest();
  assert.equal(await page.locator(".chip:not(.chosen-calls)").count(), 0);
});

await check("the filter keeps the stacks that match, in the tree and the flame graph", async () => {
  await page.locator("#search").fill("nativeFinished");
  await page.locator("#search").press("Control+Enter");
  await rest();
  const roots = await page.locator("[data-table=tree] [aria-level='1']").count();
  assert.equal(roots, 1);
  await page.getByRole("tab", { name: "Flame" }).click();
  await rest();
  assert.match(await page.locator(".chip:not(.chosen-calls)").textContent(), /only nativeFinished/);
  await page.locator(".chip:not(.chosen-calls)").click();
  await rest();
});

await check("trees sort by a press on a heading", async () => {
  await open("tab=callers");
  await heading("Calls").click();
  await rest();
  const calls = (await cells(4)).map((text) => Number(text.replaceAll(",", "")));
  assert.ok(isFalling(calls.filter((count) => !Number.isNaN(count))));
  assert.equal(await heading("Calls").getAttribute("aria-sort"), "descending");
});

await check("the Trace tab sorts its threads", async () => {
  await open("tab=trace");
  await heading("Id").click();
  await rest();
  const ids = await page.$$eval("[data-table=threads] .table-rows .tr", (rows) =>
    rows.map((row) => Number(row.querySelectorAll(".td")[1].textContent)),
  );
  assert.ok(isFalling(ids));
  await page.locator("[data-table=threads] .table-rows .tr").first().dblclick();
  await rest();
  assert.match(decodeURIComponent(page.url()), /threads=\d+:/);
});

await check("where packages are hidden, the Trace tab counts what the timeline shows", async () => {
  await open("tab=trace&without=java.");
  const { threads } = await page.evaluate(() =>
    fetch("api/levels?hide=java.").then((answer) => answer.json()),
  );
  const main = threads.find(({ id }) => id === 1);
  assert.ok(main.omitted > 0);
  const row = page.locator("[data-table=threads] .table-rows .tr", { hasText: "main" });
  const told = (await row.locator(".td").allTextContents()).map((text) => text.replaceAll(",", ""));
  assert.deepEqual(told.slice(3, 5), [String(main.calls), String(main.levels)]);
  assert.match(await page.locator(".trace-threads h2").textContent(), /of what is not hidden$/);
  assert.match(
    await page.locator(".gutter").textContent(),
    new RegExp(`${main.calls.toLocaleString("en")} of `),
  );
});

const rewrite = (path, change) =>
  page.route(path, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: change(await answer.json()) });
  });
const rewriteInfo = (change) =>
  rewrite(/api\/first$/, (first) =>
    first.info === undefined ? first : { ...first, info: change(first.info) },
  );

await checkProgram(
  "a sampled trace has runs, not calls, and says so above the panels",
  async () => {
    await rewriteInfo((info) => ({ ...info, sampled: true }));
    await openAnew(`method=${METHOD}`);
    assert.match(await page.locator(".banner").textContent(), /^Sampled\..*runs/);
    await heading("Runs+Recur").waitFor();
    await page.keyboard.press("5");
    await rest();
    assert.match(await page.locator(".calls .table-footer").textContent(), /14 runs/);
    for (const part of [".calls", "[role=tablist]", ".gutter"])
      assert.ok(!/\bcalls?\b/i.test(await page.locator(part).innerText()), part);
    await page.unrouteAll();
  },
);

await checkProgram(
  "a full buffer is told with what is missing, above the panels and in Trace",
  async () => {
    const finding = { kind: "overflow", severity: "data lost", count: 1, offset: 0, text: "Full." };
    await rewriteInfo((info) => ({ ...info, overflow: true, findings: [finding] }));
    await rewrite(/api\/check$/, (answer) => ({
      ...answer,
      overflow: { run_ns: 1e9, missing_ns: 25e7, buffer_bytes: 8 << 20 },
    }));
    await openAnew("tab=trace");
    const told =
      /about 25 % of the run is missing.*At its average rate until then, a buffer of 8\.0 MiB would have held it/;
    assert.match(await page.locator(".banner").textContent(), told);
    assert.match(await page.locator(".finding.lost").textContent(), told);
    await page.locator(".banner").getByRole("button", { name: "Close" }).click();
    await page.locator(".banner").waitFor({ state: "detached" });
    await page.unrouteAll();
  },
);

await check(
  "a hidden package is a chip that says how much, and comes back at a press",
  async () => {
    await open(`method=${METHOD}`);
    const total = async () =>
      Number(
        (await page.locator(".table-footer").first().textContent())
          .replace(/,/g, "")
          .match(/(\d+) method/)[1],
      );
    const before = await total();
    await page.locator(".tr.selected").click({ button: "right" });
    await menu(/Hide package .*com\.example\.recipes/).click();
    const chip = page.locator(".about .chip");
    await chip.filter({ hasText: /com\.example\.recipes.*\d+ methods, \d+ %/ }).waitFor();
    await rest();
    const after = await total();
    assert.ok(after > 0 && after < before, `${after} of ${before}`);
    assert.equal(await page.getByLabel("my code only").isChecked(), false);
    assert.match(decodeURIComponent(page.url()), /without=com\.example\.recipes\./);
    await page.reload();
    await chip.waitFor();
    await chip.click();
    await rest();
    assert.equal(await total(), before);
    assert.equal(await chip.count(), 0);
  },
);

await check("an empty table says what emptied it, and offers to take it off", async () => {
  await open("without=com.,java.,jdk.,sun.");
  const told = page.locator(".table-message");
  assert.match(
    await told.textContent(),
    /No method while hidden packages are left out \(com\., java\., jdk\., sun\.\)\./,
  );
  await told.getByRole("button", { name: "Show all methods" }).click();
  await rest();
  assert.equal(await told.count(), 0);
  await open("filter=nothing-has-this-name");
  await told.getByRole("button", { name: "Take the filter off" }).click();
  await rest();
  assert.equal(await told.count(), 0);
});

await check("the selection is copied with its numbers", async () => {
  await open(`method=${METHOD}&tab=callers`);
  await page.getByRole("button", { name: "Share" }).click();
  await menu("Copy the selection as text").click();
  await rest();
  assert.match(await clipboard(), /\n {2}calls 14\n {2}inclusive wall [\d.]+ ms \([\d.]+ %\), CPU/);
});

await checkProgram("a command that shows the selection is copied, too", async () => {
  assert.match(await clipboard(), /\n {2}traceview 'recipes.trace.zst' '#tab=callers&/);
  await page.getByRole("button", { name: "Share" }).click();
  await menu("Copy a command for whoever has the file").click();
  await rest();
  const [, fragment] = /^traceview 'recipes.trace.zst' '(#.*)'$/.exec(await clipboard());
  assert.equal(fragment.replace(/&trace=[0-9a-f]{16}$/, ""), new URL(page.url()).hash);
});

await checkProgram("a missing clock has no numbers and no columns, in any tab", async () => {
  await rewriteInfo((info) => ({ ...info, clocks: ["wall"], default_clock: "wall" }));
  await openAnew(`method=${METHOD}`);
  for (const name of ["profile", "tree", "callers", "calls", "trace"]) {
    await page.locator(`#tab-${name}`).click();
    await rest();
    const heads = await page.locator("[role=columnheader]").allTextContents();
    assert.ok(heads.length > 1, name);
    assert.deepEqual(
      heads.filter((text) => /CPU|Wait/.test(text)),
      [],
      name,
    );
  }
  await page.unrouteAll();
});

await check("paper gets more rows than the screen, and no controls", async () => {
  await open("");
  const rows = () => page.locator("[data-table=profile] .table-rows .tr").count();
  const before = await rows();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => globalThis.dispatchEvent(new Event("beforeprint")));
  await rest();
  assert.ok(before < 100);
  assert.equal(await rows(), 300);
  assert.equal(await page.locator(".table-footer").isVisible(), false);
  assert.equal(await page.locator("#search").isVisible(), false);
  await page.evaluate(() => globalThis.dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await rest();
  assert.equal(await rows(), before);
});

await checkProgram("an answer that comes late for an older filter is dropped", async () => {
  await open("tab=tree");
  let letGo = () => undefined;
  const isHeld = new Promise((done) => (letGo = done));
  let isAnswered = () => undefined;
  const answer = new Promise((done) => (isAnswered = done));
  await page.route(/api\/tree\?.*match=Database/, async (route) => {
    await isHeld;
    // The page may have given the question up.
    await route.continue().catch(() => undefined);
    isAnswered();
  });
  const question = page.waitForRequest(/api\/tree\?.*match=Database/);
  await page.locator("#search").fill("Database");
  await page.locator("#search").press("Control+Enter");
  await question;
  await page.locator("#search").fill("nativeFinished");
  await rest();
  const told = await page.locator("[data-table=tree] .table-rows").textContent();
  letGo();
  await answer;
  await rest();
  assert.equal(await page.locator("[data-table=tree] .table-rows").textContent(), told);
  await page.unroute(/api\/tree\?.*match=Database/);
});

await check("Ctrl and a click on a name open its source, in every table", async () => {
  for (const tab of ["profile", "tree", "callers"]) {
    await openAnew(`tab=${tab}`);
    const name = page.locator(".tab-panel .table-rows .tr code", { hasText: "RecipeApp" }).first();
    await name.click({ modifiers: ["Control"] });
    await page.locator(".notice", { hasText: "source link" }).waitFor();
    assert.equal(await page.locator(".tr.selected").count(), 0, tab);
  }
});

await checkProgram("an answer that left rows out says so", async () => {
  const other = await browser.context.newPage();
  await other.route(/api\/top\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), left_out: 1234 } });
  });
  await other.goto(viewer.url);
  const notice = other.locator(".notice", { hasText: "left out" }).first();
  await notice.waitFor();
  assert.match(await notice.innerText(), /“top” would be too long: 1,234 rows of it are left out/);
  assert.ok(await other.locator("[data-rank]").first().isVisible(), "its other rows are shown");
  await other.close();
});

await browser.stop();
await viewer.stop();
finish();
