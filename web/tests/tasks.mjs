// What people open a trace for, done as a new user does it and counted. A step is a press, a drag, a key, or a word
// typed. Each task is done by mouse and by keyboard alone, from the page as it opens; docs/viewer.md has the counts.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  createChecks,
  EXAMPLE,
  followLink,
  isAll,
  openView,
  settle,
  startBrowser,
  startViewer,
} from "./harness.mjs";

const MOST_STEPS = 3;
const here = path.dirname(fileURLToPath(import.meta.url));
const shared = process.env.TRACEVIEW_SHARED ?? path.resolve(here, "../../../shared");
const ANDROID = path.join(shared, "traces/art-viewpagerbug.trace");
const WITH_FRAMES = path.join(shared, "traces/art-fenix-streaming.trace");

const { check, finish } = createChecks();
const browser = await startBrowser();
const page = await browser.context.newPage();
const rest = () => settle(page);

// The steps of the task that is being done.
let steps = [];
const did = async (what, act) => {
  steps.push(what);
  await act();
  await rest();
};
const press = (what, locator) => did(`press ${what}`, () => locator.click());
const key = (name) => did(name, () => page.keyboard.press(name));
const type = (text) => did(`“${text}”`, () => page.keyboard.type(text));

const ask = (route) =>
  page.evaluate((address) => fetch(address).then((answer) => answer.json()), `api/${route}`);
const hash = () => decodeURIComponent(new URL(page.url()).hash);
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const rankOfRow = (place) =>
  page.locator("[data-rank]").nth(place).getAttribute("data-rank").then(Number);
const button = (name) => page.getByRole("button", { name, exact: true });
const tab = (name) => page.getByRole("tab", { name });
// How many calls the box of the flame graph has whose card is shown.
let boxCalls = 0;
const readBox = async () => {
  const card = await page.locator(".flame-stage .card").innerText();
  boxCalls = Number(/calls\s+([\d,]+)/.exec(card)[1].replaceAll(",", ""));
};

const onlyMain = async () => {
  await press("All threads", button("All threads"));
  await press("only of main", page.locator(".menu-line", { hasText: /^main/ }).getByText("only"));
};
const palette = async (text, chosen = "Enter") => {
  await did("Control+k", async () => {
    await page.keyboard.press("Control+k");
    await page.locator(".dialog-search:focus").waitFor();
  });
  await type(text);
  await key(chosen);
};

// The tasks in the words of docs/viewer.md. Each does its steps and then looks at the answer on the screen.
const TASKS = [
  {
    name: "The hottest method on main by its own CPU time",
    mouse: onlyMain,
    keys: async () => {
      await key("n");
    },
    holds: async () => {
      const [thread] = /threads=(\d+)/.exec(hash()).slice(1);
      const clock = (await ask("info")).default_clock;
      const { methods } = await ask(`top?threads=${thread}&sort=exclusive&by=cpu&n=1`);
      assert.equal(clock, "cpu", "the Profile begins on the clock in use");
      assert.equal(await rankOfRow(0), methods[0].rank);
      assert.match(await page.locator(".where").textContent(), /1 of 5 threads$/);
    },
  },
  {
    name: "The slow one of 14 calls, and how long it waited",
    mouse: async () => {
      await press("Insights", tab("Insights"));
      await press(
        "the slow call",
        page.locator(".insight", { hasText: "nativeFinished were slow" }),
      );
      await press("Calls", tab("Calls"));
    },
    keys: async () => {
      await palette("nativeFinished", "Shift+Enter");
    },
    holds: async () => {
      const row = page.locator(".calls .table-rows .tr").first();
      assert.match(await row.textContent(), /unusually long.*222×/);
      const method = /(?:method=|call=[^|]*\|[^|]*\|)([^&]*)/.exec(hash())[1];
      assert.match(method, /nativeFinished/);
      const { ranks } = await ask("search?q=LoadListener.nativeFinished&n=1");
      const [call] = (await ask(`calls?method=${ranks[0]}&clock=cpu&n=1`)).calls;
      const columns = await page.locator(".calls [role=columnheader]").allTextContents();
      const cells = await row.locator(".td").allTextContents();
      const waited = Number(cells[columns.findIndex((one) => one.startsWith("Wait"))]);
      const { wall_ns: wall, cpu_ns: cpu } = call.times ?? call;
      assert.equal(waited, Number(((wall - cpu) / 1e6).toFixed(3)));
    },
  },
  {
    name: "Which methods waited: CPU time against wall time",
    mouse: async () => {
      await press("Wait", page.getByRole("radio", { name: "Wait" }));
    },
    keys: async () => {
      await key("k");
    },
    holds: async () => {
      const { methods } = await ask("top?sort=exclusive&by=wait&clock=wait&idle=apart&n=1");
      assert.equal(await rankOfRow(0), methods[0].rank);
      const heads = (await page.locator("[role=columnheader]").allTextContents()).join();
      for (const name of ["Wait", "Wall", "CPU"]) assert.ok(heads.includes(name), heads);
    },
  },
  {
    name: "The profile of 50 ms",
    mouse: async () => {
      const stage = await page.locator(".stage").boundingBox();
      const { span_ns: span } = await ask("info");
      const width = (stage.width * 50e6) / span;
      await did("drag over 50 ms", async () => {
        await page.mouse.move(stage.x + stage.width / 2, stage.y + 60);
        await page.mouse.down();
        await page.mouse.move(stage.x + stage.width / 2 + width, stage.y + 60, { steps: 5 });
        await page.mouse.up();
      });
    },
    keys: async () => palette("600 +50 ms"),
    holds: async () => {
      const [from, to] = /picked=([\d.]+)-([\d.]+)ms/.exec(hash()).slice(1).map(Number);
      assert.ok(Math.abs(to - from - 50) < 1, `${to - from} ms`);
      assert.match(await page.locator(".where").textContent(), /^in \d/);
      const range = `from=${Math.floor(from * 1e6)}&to=${Math.ceil(to * 1e6)}`;
      const { count, methods } = await ask(`top?${range}&sort=exclusive&n=1`);
      assert.equal(await rankOfRow(0), methods[0].rank);
      const told = (await page.locator(".table-footer").first().textContent()).replaceAll(",", "");
      assert.ok(told.includes(`${count} method`), told);
    },
  },
  {
    name: "All methods of HashMap, and what they took together",
    mouse: async () => {
      await press("the search", page.locator("#search"));
      await type("HashMap");
      await press("Show only these", button("Show only these"));
    },
    keys: async () => {
      await key("/");
      await type("HashMap");
      await key("Control+Enter");
    },
    holds: async () => {
      const { count, set } = await ask("top?match=HashMap&set=1&n=1");
      assert.ok(count > 5);
      assert.equal(await page.locator(".search-list").count(), 0, "the list is over its result");
      const told = await page.locator(".table-footer").first().textContent();
      assert.ok(told.startsWith(`${count} methods`), told);
      assert.ok(told.includes(`${set.calls.toLocaleString("en")} calls`), told);
      assert.match(told, /inclusive .* exclusive /);
      assert.match(await page.locator("[data-rank]").first().textContent(), /HashMap/);
    },
  },
  {
    name: "The numbers of a method for a bug report",
    mouse: async () => {
      await press("its row", page.locator("[data-rank]").nth(3).locator("code"));
      await press("Share", button("Share"));
      await press("Copy as Markdown", page.getByRole("menuitem", { name: /Markdown/ }));
    },
    keys: async () => {
      await key("1");
      await key("ArrowDown");
      await key("Control+c");
    },
    holds: async (way) => {
      const text = await clipboard();
      const name = await page.locator(".tr.selected code").first().getAttribute("title");
      assert.ok(text.includes(name.split("(")[0].trim().split(".").at(-1)), text);
      assert.match(text, way === "mouse" ? /\| inclusive \| [\d.]+ ms/ : /\t[\d.]+\t[\d.]+/);
    },
  },
  {
    name: "A link to what is seen",
    mouse: async () => {
      await press("Share", button("Share"));
      await press("Copy a link", page.getByRole("menuitem", { name: /Copy a link/ }));
    },
    keys: async () => palette("Copy a link"),
    holds: async () => {
      assert.match(await clipboard(), /^http:\/\/127\.0\.0\.1:\d+\/.+#./);
      await page.getByText("until traceview ends").waitFor();
    },
  },
  {
    name: "The inverted flame graph of one thread",
    mouse: async () => {
      await did("right press on main", () =>
        page.locator(".gutter .row-name").first().click({ button: "right" }),
      );
      await press("Its flame graph", page.getByRole("menuitem", { name: "Its flame graph" }));
      await press("Bottom up", page.getByRole("radio", { name: "Bottom up" }));
    },
    keys: async () => {
      await key("n");
      await key("2");
      await key("i");
    },
    holds: async () => {
      assert.match(hash(), /tab=flame/);
      assert.match(hash(), /threads=\d+:main/);
      assert.match(hash(), /flame=inverted/);
      // 99.3 % of the thread's CPU time is one method's, which one chain of three callers made: four boxes. All else is
      // thinner than a pixel, and one box stands for it.
      const boxes = await page.$eval(".flame-stage canvas", (one) => Number(one.dataset.boxes));
      assert.ok(boxes >= 5, `${boxes} boxes`);
      assert.match(await page.locator("body").innerText(), /too thin to draw/);
    },
  },
  {
    name: "From a box of the flame graph to its calls",
    mouse: async () => {
      await press("Flame", tab("Flame"));
      await did("a box", () => page.locator(".flame-stage").click({ position: { x: 300, y: 90 } }));
      await readBox();
      await press("Calls", tab("Calls"));
    },
    keys: async () => {
      await key("2");
      await key("ArrowDown");
      await readBox();
      await key("5");
    },
    // The list has the calls that the box counts, and not all of its method's.
    holds: async () => {
      const listed = await page.locator(".calls [role=grid]").getAttribute("aria-rowcount");
      assert.equal(Number(listed) - 1, boxCalls);
      assert.match(hash(), /tab=calls/);
    },
  },
];

// In a trace of an Android app, which the example is not.
const LATE_FRAME = {
  name: "A late frame, and why it was late",
  mouse: async () => {
    await press("Frames", tab("Frames"));
    await press("the worst frame", page.locator(".table-rows .tr").first());
  },
  keys: async () => {
    await key("8");
    await key("ArrowDown");
  },
  holds: async () => {
    const details = await page.locator(".details-body").textContent();
    assert.match(details, /Choreographer\.doFrame.*Waited [\d.]+ ms.*%/s);
    assert.match(hash(), /call=[^&]*doFrame/);
    // The worst of all frames is the first one that is listed.
    assert.match(await page.locator(".table-rows .tr").first().textContent(), /Frame 7.*422\.661/);
  },
};

const documented = await readFile(path.resolve(here, "../../docs/viewer.md"), "utf8");
// The page of a trace as it opens. The link without anything leads back to it: that takes a sixth of the processor's time of loading
// it anew, as --all does for each task.
let opened = null;
const open = async (viewer) => {
  steps = [];
  if (opened !== viewer || isAll) await openView(page, viewer, "", "[data-rank]");
  else {
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.move(0, 0);
    await followLink(page, viewer, "", "[data-rank]");
  }
  opened = viewer;
};

const counts = new Map([...TASKS, LATE_FRAME].map((task) => [task.name, {}]));
const doTask = async (viewer, task, way) => {
  await open(viewer);
  await task[way]();
  console.log(`# ${steps.length} steps by ${way}: ${steps.join(", ")}`);
  assert.ok(steps.length <= MOST_STEPS, `${steps.length} steps`);
  counts.get(task.name)[way] = steps.length;
  await task.holds(way);
};

const viewer = await startViewer(EXAMPLE);
for (const way of ["mouse", "keys"])
  for (const task of TASKS) await check(`by ${way}: ${task.name}`, () => doTask(viewer, task, way));
await viewer.stop();

if (existsSync(WITH_FRAMES)) {
  const frames = await startViewer(WITH_FRAMES);
  for (const way of ["mouse", "keys"])
    await check(`by ${way}: ${LATE_FRAME.name}`, () => doTask(frames, LATE_FRAME, way));
  await frames.stop();
} else {
  counts.delete(LATE_FRAME.name);
  console.log(`# skipped: no ${WITH_FRAMES}`);
}

await check("the manual tells as many steps as were counted", () => {
  for (const [name, { mouse, keys }] of counts) {
    const row = documented.split("\n").find((line) => line.startsWith(`| ${name} |`));
    assert.ok(row !== undefined, `docs/viewer.md has no row “${name}”`);
    const [, , byMouse, , byKeys] = row.split("|").map((cell) => cell.trim());
    assert.deepEqual([byMouse, byKeys], [String(mouse), String(keys)], name);
  }
});

if (existsSync(ANDROID)) {
  const android = await startViewer(ANDROID);
  const elsewhere = [3, 5, 7, 8];
  for (const task of elsewhere.map((ix) => TASKS[ix]))
    await check(`of an Android app, by keys: ${task.name}`, () => doTask(android, task, "keys"));
  await android.stop();
} else console.log(`# skipped: no ${ANDROID}`);

await browser.stop();
finish();
