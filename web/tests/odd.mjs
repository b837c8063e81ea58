// Odd traces must look intended: each is opened, nothing fails, and what is odd is said.
// node odd.mjs [FOLDER] leaves a picture of each in FOLDER.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  createChecks,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
  watchProblems,
} from "./harness.mjs";
import { ODD_TRACES } from "./odd-traces.mjs";

const pictures = process.argv.slice(2).find((word) => !word.startsWith("--"));
if (pictures !== undefined) await mkdir(pictures, { recursive: true });
const { check, finish } = createChecks();
const browser = await startBrowser();
// One page for all: each trace has an address of its own, and so nothing of the one before.
const page = await browser.context.newPage();
const problems = watchProblems(page);
await page.setViewportSize({ width: 1280, height: 720 });
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-odd-"));

async function open(name, look) {
  const file = path.join(folder, `${name}.trace`);
  await writeFile(file, ODD_TRACES[name]());
  const viewer = await startViewer(file);
  problems.length = 0;
  try {
    await page.goto(viewer.url);
    await page.locator(".stage").waitFor();
    await settle(page);
    await look(page);
    if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px wider than the window`);
    assert.deepEqual(problems, []);
  } finally {
    await page.mouse.move(0, 0);
    await page.goto("about:blank"); // first: a stream that ends is told of as an error
    await viewer.stop();
    await rm(file);
  }
}

const boxes = (page) => page.$eval(".stage canvas", (canvas) => Number(canvas.dataset.boxes ?? 0));

await check("no records: the page says so, and tells of the threads", () =>
  open("no-records", async (page) => {
    assert.match(await page.locator(".empty-note").innerText(), /no records/);
    assert.match(await page.locator(".row-foot").innerText(), /2 without records/);
    assert.match(await page.locator(".facts").innerText(), /no records/);
    await page.getByRole("tab", { name: "Trace" }).click();
    await page.getByText("idle", { exact: true }).waitFor();
  }),
);

await check("one record: a call of no length is drawn, listed and selectable", () =>
  open("one-record", async (page) => {
    const facts = page.locator(".facts");
    assert.match(await facts.innerText(), /· 1 thread · 1 call$/);
    assert.equal(await facts.getAttribute("title"), "1 more thread without records");
    assert.equal(await boxes(page), 1);
    assert.match(await page.locator(".empty-note").innerText(), /No time passes/);
    assert.match(await page.locator("[data-rank]").textContent(), /Main\.run/);
    await page.locator("[data-rank]").click();
    await page.keyboard.press(".");
    await page.waitForFunction(() => location.hash.includes("call="));
  }),
);

await check("calls of no length only", () =>
  open("no-length", async (page) => {
    assert.ok((await boxes(page)) >= 1);
    assert.equal(await page.locator("[data-rank]").count(), 1);
  }),
);

await check("no CPU clock: its switch is off, its columns are gone", () =>
  open("wall-only", async (page) => {
    assert.ok(await page.getByRole("radio", { name: "CPU" }).isDisabled());
    assert.ok(await page.getByRole("radio", { name: "Wait" }).isDisabled());
    assert.doesNotMatch(
      await page.locator("[role=columnheader]").allInnerTexts().then(String),
      /CPU/,
    );
    await page.keyboard.press("b");
    await page.keyboard.press("b");
    assert.equal(
      await page.locator(".cpu-legend").count(),
      0,
      "no colours by a share that is not there",
    );
  }),
);

await check("a CPU clock ahead of wall time: waits have no shares, and why is said", () =>
  open("cpu-ahead", async (page) => {
    await page.getByRole("radio", { name: "Wait" }).click();
    await settle(page);
    const whole = page.locator(".table-footer .whole");
    assert.equal(
      (await whole.innerText()).trim(),
      "· no percentages, since CPU time is 3.80 ms longer than wall time in the root calls of all threads",
    );
    const rows = page.locator("#tab-panel .table-rows");
    assert.match(await rows.innerText(), /1\.000/);
    assert.doesNotMatch(await rows.innerText(), /%/);
    assert.equal(await rows.locator(".bar-mark").count(), 0);
    for (const tab of ["Flame", "Tree", "Callers", "Calls", "Insights"]) {
      await page.locator("[role=tab]", { hasText: tab }).click();
      await settle(page);
      assert.doesNotMatch(await page.locator("#tab-panel").innerText(), /-\d.*(ms|%)/, tab);
    }
    await page.keyboard.press("x");
    await settle(page);
    assert.doesNotMatch(await page.locator(".details").innerText(), /%/);
  }),
);

await check(
  "a CPU clock that never moves: wall time is shown, and why stands beside the choice",
  () =>
    open("idle-cpu", async (page) => {
      const wall = page.getByRole("radio", { name: "Wall" });
      assert.equal(await wall.getAttribute("aria-checked"), "true");
      assert.ok(await page.getByRole("radio", { name: "CPU" }).isDisabled());
      assert.ok(await page.getByRole("radio", { name: "Wait" }).isDisabled());
      assert.match(await page.locator(".idle-clock").innerText(), /CPU never moves/);
      assert.doesNotMatch(
        await page.locator("[role=columnheader]").allInnerTexts().then(String),
        /CPU|[Ww]ait/,
      );
      assert.match(await page.locator(".gutter .row").innerText(), /100 %|9\d(\.\d)? %/);
      const box = await page.locator(".stage").boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + 32);
      await page.locator(".card table").waitFor();
      await settle(page);
      assert.doesNotMatch(await page.locator(".card table").innerText(), /CPU|wait/);
      const url = page.url();
      await page.goto("about:blank");
      await page.goto(`${url.split("#")[0]}#clock=cpu`);
      await page.locator(".stage").waitFor();
      await settle(page);
      assert.equal(
        await wall.getAttribute("aria-checked"),
        "true",
        "a link cannot choose it either",
      );
      await page.getByRole("tab", { name: "Trace" }).click();
      await page.getByText("wall, CPU that never moves").waitFor();
    }),
);

for (const name of ["thread-cpu", "version-1"])
  await check(`${name}: each row has its own time, and the ruler says so`, () =>
    open(name, async (page) => {
      assert.ok(await page.getByRole("radio", { name: "Wall" }).isDisabled());
      assert.match(await page.locator(".gutter-head").innerText(), /own 0/);
      assert.equal(await page.locator(".gutter .fold").count(), 2);
    }),
  );

await check("sampled: it is called so, and calls are runs", () =>
  open("sampled", async (page) => {
    assert.match(await page.locator(".facts").innerText(), /runs · sampled/);
    await page.getByRole("tab", { name: "Trace" }).click();
    await page.locator(".finding", { hasText: /each of their calls\. Counts are/ }).waitFor();
    assert.match(
      await page.locator(".banner").innerText(),
      /CPU time is booked to what ran before/,
    );
  }),
);

await check("ten thousand threads scroll, and few rows exist at a time", () =>
  open("many-threads", async (page) => {
    const scroller = page.locator(".timeline-scroll");
    const height = await scroller.evaluate((element) => element.scrollHeight);
    assert.ok(height > 10_000 * 30, String(height));
    // `make bench` measures how smooth it is.
    const rows = await scroller.evaluate(async (element) => {
      let most = 0;
      for (let i = 0; i < 40; i++) {
        element.scrollTop += 4000;
        await new Promise((done) => requestAnimationFrame(done));
        most = Math.max(most, document.querySelectorAll(".gutter .row").length);
      }
      return most;
    });
    assert.ok(rows > 5 && rows < 40, `${rows} rows exist`);
    await settle(page);
    assert.ok((await boxes(page)) > 5, "what was scrolled to is drawn");
    await page.locator("#thread-button").click();
    await page.getByRole("menuitem", { name: /Choose among 10,000/ }).click();
    await page.getByRole("textbox", { name: "Filter threads" }).fill("thread-7777");
    await page.getByText("pool-7-thread-7777").waitFor();
    await page.keyboard.press("Escape");
  }),
);

await check("two processes: their threads stand together, and one can be chosen", () =>
  open("two-processes", async (page) => {
    const rows = () => page.locator(".gutter .row-name").allTextContents();
    assert.deepEqual(await rows(), [
      "main · com.app",
      "main · system_server",
      "Binder:1 · system_server",
    ]);
    await page.locator("#thread-button").click();
    await page.getByRole("menuitemradio", { name: /^system_server/ }).click();
    await page.keyboard.press("Escape");
    await settle(page);
    assert.deepEqual(await rows(), ["main · system_server", "Binder:1 · system_server"]);
    assert.match(await page.locator("#thread-button").innerText(), /system_server/);
    const methods = await page.locator("[data-rank]").allTextContents();
    assert.ok(
      methods.some((name) => /Loop\.loop/.test(name)),
      methods.join(),
    );
    assert.ok(!methods.some((name) => /Main\.run/.test(name)), methods.join());
    await page.locator("#thread-button").click();
    await page.getByRole("menuitem", { name: "All threads" }).click();
    await settle(page);
    assert.equal((await rows()).length, 3);
    await page.locator("[data-rank]", { hasText: "Main.run" }).click();
    await page.getByRole("tab", { name: "Callers", exact: true }).click();
    await page.getByText(/^No call of it /).waitFor();
  }),
);

await check("a million calls deep: levels are shown a few at a time, all can be reached", () =>
  open("very-deep", async (page) => {
    await page.getByRole("button", { name: /of 1,000,000 levels/ }).click();
    const scroller = page.locator(".timeline-scroll");
    await settle(page);
    await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
    await settle(page);
    assert.ok((await boxes(page)) > 3, "the middle is drawn");
    assert.match(
      await page.locator(".gutter .row").innerText(),
      /main[\s\S]*from level [45]\d\d,\d\d\d/,
    );
    const box = await page.locator(".stage").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 80);
    await page.waitForFunction(() => location.hash.includes("call="));
    for (const name of ["Flame", "Tree", "Callers", "Calls"]) {
      await page.getByRole("tab", { name }).click();
      await settle(page);
    }
    assert.equal(await page.locator(".table-message.bad, .tab-panel .bad").count(), 0);
    await page.getByRole("tab", { name: "Profile" }).click();
    await settle(page);
  }),
);

await check("names of 60,000 bytes are cut where they have no room", () =>
  open("long-names", async (page) => {
    const box = await page.locator(".stage").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 32);
    await page.locator(".card").waitFor();
    await settle(page);
    const card = await page.locator(".card").boundingBox();
    assert.ok(card.height < 330, `the card is ${card.height} px high`);
    assert.ok(card.y + card.height <= 720 && card.x >= 0);
    assert.equal(await page.$eval(".fold", (one) => one.scrollWidth - one.clientWidth), 0);
    const gutter = await page.locator(".gutter").boundingBox();
    const name = await page.locator(".thread-tail").first().boundingBox();
    assert.ok(name.x + name.width <= gutter.x + gutter.width, "the end of the thread's name");
    for (const row of await page.locator("[data-rank]").all())
      assert.ok((await row.boundingBox()).height < 40);
  }),
);

await check("characters that turn text around are written out, and a link finds such names", () =>
  open("turning-names", async (page) => {
    assert.match(await page.locator(".gutter").textContent(), /main \\u202eniam/);
    const row = page.locator("[data-rank]", { hasText: "u202e" });
    assert.match(await row.textContent(), /\\u202eniaM\.run/);
    const shown = await page.evaluate(() => document.documentElement.outerHTML);
    assert.match(shown, /load\\u2066\\u200b\\U000e0041/);
    assert.doesNotMatch(shown, /[\u200b\u202a-\u202e\u2066-\u2069\u{e0041}]/u);
    await row.click();
    await page.waitForFunction(() => location.hash.includes("method="));
    await page.reload();
    await page.locator(".tr.selected", { hasText: "u202e" }).waitFor();
  }),
);

await check(
  "a method that the file does not name is shown by its number, with no dot after it",
  () =>
    open("nameless-method", async (page) => {
      const row = page.locator("[data-rank]", { hasText: "(0x10)" });
      assert.match(await row.textContent(), /\(0x10\)(?!\s*\.)/);
      const box = await page.locator(".stage").boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + 32);
      await page.locator(".card").waitFor();
      await settle(page);
      assert.equal(await page.locator(".card b").innerText(), "(0x10)");
    }),
);

// Numbers that follow letters written from the right are drawn to the left of them, unless something
// stands between. So no visible text may hold such letters and, outside of the name, digits.
const notIsolated = () => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (!/[\u0590-\u08ff]/.test(node.data)) continue;
    if (!getComputedStyle(node.parentElement).unicodeBidi.startsWith("isolate"))
      found.push(node.data);
    const own = [...node.parentElement.childNodes].filter((other) => other.nodeType === 3);
    if (own.some((other) => /\d/.test(other.data))) found.push(node.parentElement.textContent);
  }
  for (const { title } of document.querySelectorAll("[title]"))
    for (const line of title.replaceAll(/\u2068[^\u2069]*\u2069/g, "").split("\n"))
      if (/[\u0590-\u08ff].*\d/.test(line)) found.push(title);
  return found;
};

await check("names that are written from the right leave what stands beside them", () =>
  open("names-from-the-right", async (page) => {
    const order = await page.evaluate(() => {
      const name = document.querySelector(".gutter .row-name");
      const [first, second] = [name.querySelector("bdi"), name.querySelector(".row-id")].map(
        (part) => part.getBoundingClientRect(),
      );
      return { isFirst: first.right <= second.left + 1, id: name.textContent };
    });
    assert.ok(order.isFirst, `the id stands before the name: ${order.id}`);
    for (const tab of ["Profile", "Flame", "Tree", "Callers", "Calls", "Trace"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await settle(page);
      assert.deepEqual(await page.evaluate(notIsolated), [], tab);
    }
    // A chart draws one name at a time, so the page alone decides where the next one begins.
    const box = await page.locator(".stage").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 32);
    await page.locator(".card").waitFor();
    await settle(page);
    assert.deepEqual(await page.evaluate(notIsolated), []);
  }),
);

await check("the help of a sampled trace speaks of runs", () =>
  open("sampled", async (page) => {
    await page.keyboard.press("?");
    const help = await page.locator("dialog[open] .help").innerText();
    assert.match(help, /Next run of the method/);
    assert.match(help, /Runs\s+5/);
    assert.doesNotMatch(help, /\b[Cc]alls?\b/);
    await page.keyboard.press("Escape");
    await typeCommand(page, "next run");
    await page
      .getByRole("option", { name: /Next run of the method/ })
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
  }),
);

await rm(folder, { recursive: true, force: true });
await browser.stop();
finish();
