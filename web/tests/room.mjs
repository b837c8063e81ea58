// What has the room where there is little of it: names before numbers, widths that a user gives, one panel alone.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  createChecks,
  drawn,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
} from "./harness.mjs";
import { ODD_TRACES, writeTrace } from "./odd-traces.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const METHOD = "method=com.example.recipes.RecipeApp$LoadListener.nativeFinished+(I)V";
const SMALL = { width: 900, height: 600 };
const TWICE = { width: 640, height: 360 }; // 1280x720 at 200 %
const LARGE_TWICE = { width: 800, height: 450 }; // 1600x900 at 200 %
const HUGE = { width: 2560, height: 1440 };

const rest = () => settle(page);
const open = async (link, size = SMALL) => {
  await page.setViewportSize(size);
  await followLink(page, viewer, link, ".table-rows .tr");
};
const heading = (name) => page.getByRole("columnheader", { name, exact: true });
const widthOf = async (locator) => (await locator.boundingBox()).width;
// Texts of elements that show less than all of them.
const cutTexts = (selector) =>
  page.$$eval(selector, (all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
  );
// Names of which the class or the method is cut although a signature or a package has room.
const cutBeforePackages = () =>
  page.$$eval(".table-rows .parted", (all) =>
    all
      .filter((name) => {
        const isCut = (part) => part.scrollWidth > part.clientWidth;
        const parts = [...name.querySelectorAll(".name-class, .name-method")];
        const others = [...name.querySelectorAll(".name-package, .name-signature")];
        return parts.some(isCut) && others.some((part) => part.clientWidth > 1);
      })
      .map((name) => name.textContent),
  );
const rowsInSight = () => page.$eval(".table-body", (body) => Math.floor(body.clientHeight / 23));

await check(
  "at 900x600 classes and methods are whole, signatures and packages give way",
  async () => {
    for (const link of [METHOD, "sort=exclusive.cpu.desc", "tab=tree"]) {
      await open(link);
      assert.ok((await page.locator(".table-rows .name-method").count()) > 4);
      assert.deepEqual(await cutBeforePackages(), [], link);
    }
  },
);

await check("packages and classes that have room are whole", async () => {
  for (const by of ["package", "class"]) {
    await open(`group=${by}`);
    assert.ok((await page.locator(".parted .name-class").count()) > 3);
    assert.deepEqual(await cutTexts(".parted .name-class"), [], by);
  }
});

await check("no number that nobody explains stands before a name; Rank is a column", async () => {
  await open("");
  const first = page.locator("[data-rank]").first();
  assert.match(await first.locator(".td.name").textContent(), /^java\.lang\.String\.charAt/);
  await heading("Name").click({ button: "right" });
  await page.getByRole("menuitemcheckbox", { name: "Rank" }).click();
  await page.keyboard.press("Escape");
  await heading("Rank").waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "The seven usual ones" }).click();
  await rest();
  assert.equal(await heading("Rank").count(), 0);
});

await check("every heading of a time says its unit", async () => {
  for (const tab of ["profile", "tree", "callers", "calls"]) {
    await open(`${METHOD}&tab=${tab}`);
    const all = await page.locator(".tab-panel [role=columnheader]").allTextContents();
    const times = all.filter((text) => /wall|cpu|wait|incl|excl|start/i.test(text));
    assert.ok(times.length > 0, tab);
    for (const text of times) assert.match(text, /, (ms|%)$/, `${tab}: ${text}`);
  }
});

await check("the bars stand beside the time that sorts", async () => {
  for (const [tab, first, second] of [
    ["profile", "Excl CPU, ms", "Incl CPU, ms"],
    ["tree", "Incl CPU, ms", "Excl CPU, ms"],
    ["callers", "Excl CPU, ms", "Incl CPU, ms"],
  ]) {
    await open(`tab=${tab}`, { width: 1600, height: 900 });
    const barred = async () => {
      const cells = await page.$$eval(".table-rows .tr:first-child .td", (all) =>
        all.map((cell) => cell.querySelector(".bar-mark") !== null),
      );
      const heads = await page.locator(".tab-panel [role=columnheader]").allTextContents();
      return heads.filter((_, ix) => cells[ix]);
    };
    assert.deepEqual(await barred(), [first]);
    for (const sorted of [second, first]) {
      await heading(sorted).getByRole("button").click();
      await rest();
      assert.deepEqual(await barred(), [sorted]);
    }
  }
});

await check("the lines of a card end between words", async () => {
  await open(`${METHOD}&view=640-680ms`, { width: 1600, height: 900 });
  const stage = await page.locator(".stage").boundingBox();
  const title = page.locator(".card b");
  let isLong = false;
  for (let y = 30; y < 300 && !isLong; y += 19) {
    await page.mouse.move(stage.x + 20, stage.y + y);
    await rest();
    isLong = (await title.count()) > 0 && (await title.boundingBox()).height > 25;
  }
  assert.ok(isLong, "a name of two lines");
  const broken = await title.evaluate((element) =>
    [...element.childNodes]
      .filter((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return new Set([...range.getClientRects()].map((rect) => rect.top)).size > 1;
      })
      .map((node) => node.textContent),
  );
  assert.deepEqual(broken, []);
});

await check("no number of a run of an hour is cut", async () => {
  const hourUs = 3_600_000_000;
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-room-"));
  const file = path.join(folder, "hour.trace");
  const records = [
    [1, 0x10, 0, 0, 0],
    [1, 0x14, 0, 10, 10],
    [1, 0x14, 1, hourUs - 10, hourUs],
    [1, 0x10, 1, hourUs, hourUs + 10],
  ];
  await writeFile(file, writeTrace({ threads: [[1, "main"]], records }));
  const long = await startViewer(file);
  try {
    for (const tab of ["profile", "tree", "callers", "calls", "trace"]) {
      const link = `tab=${tab}&method=com.example.app.Store.load+(I)V`;
      await followLink(page, long, link, ".table-rows .tr");
      for (const width of drawn([900, 1280, 1600], tab)) {
        await page.setViewportSize({ width, height: 720 });
        await rest();
        const numbers = await page.locator(".table-rows .td:not(.name):not(.text)").count();
        assert.ok(numbers > 2, `${numbers} numbers in ${tab}`);
        const cut = await cutTexts(".table-rows .td:not(.name):not(.text)");
        assert.deepEqual(cut, [], `${tab} at ${width}`);
      }
    }
  } finally {
    await long.stop();
    await rm(folder, { recursive: true });
  }
});

await check("what a histogram's axis is, is said", async () => {
  await open(`tab=calls&${METHOD}`);
  assert.match(await page.locator(".histogram-scale").textContent(), /log scale/);
});

await check("a histogram is one control: presses mean the nearest bar, arrows walk", async () => {
  const bars = page.locator(".histogram");
  const { x, y, height } = await bars.boundingBox();
  await page.mouse.click(x + 60, y + height - 4);
  await rest();
  assert.match(await page.locator(".calls .chip").textContent(), /^1\.02 ms to/);
  await bars.focus();
  await page.keyboard.press("ArrowRight");
  await rest();
  assert.match(await page.locator(".calls .table-footer").textContent(), /1 of 14 calls/);
  await page.keyboard.press("Escape");
  await rest();
  assert.equal(await page.locator(".calls .chip").count(), 0);
  // A drag across it ends above a bar, and chooses none.
  await page.mouse.move(x + 60, y + height - 4);
  await page.mouse.down();
  await page.mouse.move(x + 90, y + height - 8, { steps: 4 });
  await page.mouse.up();
  await rest();
  assert.equal(await page.locator(".calls .chip").count(), 0);
});

await check("an edge of a heading gives a column its width, which is kept", async () => {
  await open(METHOD);
  const before = await widthOf(heading("Name"));
  const edge = await heading("Name").locator(".width-handle").boundingBox();
  await page.mouse.move(edge.x + 5, edge.y + 8);
  await page.mouse.down();
  await page.mouse.move(edge.x + 65, edge.y + 8, { steps: 4 });
  await page.mouse.up();
  await rest();
  assert.equal(Math.round((await widthOf(heading("Name"))) - before), 60);
  const wide = await widthOf(heading("Excl CPU, ms"));
  await heading("Excl CPU, ms").getByRole("button").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await rest();
  assert.equal(Math.round((await widthOf(heading("Excl CPU, ms"))) - wide), 16);
  await page.reload();
  await heading("Name").waitFor();
  await rest();
  assert.equal(Math.round((await widthOf(heading("Name"))) - before), 60);
  for (const name of ["Name", "Excl CPU, ms"])
    await heading(name).locator(".width-handle").dblclick();
  await rest();
  assert.equal(await widthOf(heading("Name")), before);
});

await check("numbers scroll aside, and names and headings stay with them", async () => {
  await open(METHOD, TWICE);
  const name = page.locator(".tr.selected .td.name");
  const { x } = await name.boundingBox();
  const last = page.locator(".tr.selected .td").last();
  await last.scrollIntoViewIfNeeded();
  await rest();
  assert.equal((await name.boundingBox()).x, x);
  const cell = await last.boundingBox();
  const head = await page.locator(".tr.head .td").last().boundingBox();
  assert.ok(cell.x + cell.width <= TWICE.width + 1);
  const row = await page.locator(".tr.selected").boundingBox();
  assert.ok(row.x + row.width >= cell.x + cell.width - 1, "the row's colour goes as far");
  assert.equal(Math.round(head.x), Math.round(cell.x));
});

await check("the threads of the Trace tab can be read at 200 %", async () => {
  await open("tab=trace", TWICE);
  assert.ok((await widthOf(page.locator(".trace-threads"))) >= 400);
  assert.deepEqual(await cutTexts(".trace-threads .td.name .clip"), []);
  await assertAccessible(page);
});

await check("the names of threads are as wide as one likes", async () => {
  await open("", TWICE);
  assert.deepEqual(await cutTexts(".gutter .row-name, .gutter .row-busy"), []);
  const gutter = page.locator(".gutter");
  const before = await widthOf(gutter);
  await page.getByRole("separator", { name: "Width of the names" }).focus();
  await page.keyboard.press("ArrowRight");
  await rest();
  assert.ok((await widthOf(gutter)) > before + 8);
  await page.getByRole("separator", { name: "Width of the names" }).dblclick();
  await rest();
  assert.equal(await widthOf(gutter), before);
});

await check("the lower panel takes the whole page, and gives it back", async () => {
  await open(METHOD, TWICE);
  const before = await rowsInSight();
  await page.keyboard.press("Shift+Q");
  await rest();
  assert.ok((await rowsInSight()) >= before + 5, `${before}, then ${await rowsInSight()} rows`);
  assert.equal(await page.locator(".timeline").isVisible(), false);
  await assertAccessible(page);
  await page.getByRole("button", { name: "Show the timeline again" }).click();
  await rest();
  assert.equal(await rowsInSight(), before);
  assert.equal(await page.locator(".timeline").isVisible(), true);
});

await check("nothing of the bar is cut at 200 %", async () => {
  await open("", TWICE);
  assert.deepEqual(
    await cutTexts(".bar h1, .bar button, .tabs [role=tab], .table-footer button"),
    [],
  );
  const right = await page.$$eval(".bar > *, .tabs > *, .table-footer > *", (all) =>
    Math.max(...all.map((one) => one.getBoundingClientRect().right)),
  );
  assert.ok(right <= TWICE.width, `${right} px`);
});

await check(
  "in narrow windows the bar is whole, and so is the list of what the search finds",
  async () => {
    const others = [
      { width: 480, height: 800 },
      { width: 450, height: 300 },
    ];
    const wider = [
      { width: 1100, height: 720 },
      { width: 1200, height: 720 },
    ];
    for (const size of drawn([SMALL, TWICE, ...others, ...wider], "the bar")) {
      await page.setViewportSize(size);
      await openView(page, viewer, "mark=100-200ms|one", ".table-rows .tr");
      const outside = () =>
        page.$$eval(".bar > *, .search-list, .search-list [role=option]", (all) =>
          all
            .map((one) => [one.getBoundingClientRect(), one.className])
            .filter(([{ left, right }]) => left < 0 || right > innerWidth)
            .map(([{ left, right }, name]) => `${name}: ${left} to ${right}`),
        );
      assert.deepEqual(await outside(), [], JSON.stringify(size));
      await page.keyboard.press("/");
      await page.keyboard.type("HashMap");
      await page.locator(".search-head p", { hasText: /^62 methods/ }).waitFor();
      await rest();
      assert.deepEqual(await outside(), [], JSON.stringify(size));
      const isOnTop = await page
        .locator(".search-list [role=option]")
        .first()
        .evaluate((option) => {
          const { left, top, width, height } = option.getBoundingClientRect();
          return option.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        });
      assert.ok(isOnTop, `${JSON.stringify(size)}: the first method found can be pressed`);
    }
  },
);

await check("nothing is wider or higher than a page of 900x600 at 200 %", async () => {
  const tiny = { width: 450, height: 300 };
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-room-"));
  await writeFile(path.join(folder, "sampled.trace"), ODD_TRACES.sampled());
  const sampled = await startViewer(path.join(folder, "sampled.trace"));
  try {
    for (const url of [viewer.url, sampled.url]) {
      await page.setViewportSize(tiny);
      await openView(page, { url }, "", ".tabs");
      for (const tab of ["profile", "flame", "tree", "callers", "calls", "trace", "insights"]) {
        await page.locator(`#tab-${tab}`).click();
        await rest();
        const size = await page.evaluate(() => {
          const { scrollWidth, scrollHeight } = document.documentElement;
          return { width: scrollWidth, height: scrollHeight };
        });
        assert.deepEqual(size, tiny, tab);
        // A banner leaves none.
        if (tab === "callers" && url === viewer.url)
          assert.ok((await rowsInSight()) > 0, "Callers has a row");
      }
    }
    await page.setViewportSize(SMALL);
    await page.getByRole("button", { name: /own code took longest/ }).click();
    await rest();
    assert.match(page.url(), /sort=/);
  } finally {
    await sampled.stop();
    await rm(folder, { recursive: true });
  }
});

await check(
  "targets of a range's names and of a method's distribution are large enough",
  async () => {
    await open("range=100-300ms");
    await assertAccessible(page);
    await open(METHOD, { width: 1600, height: 900 });
    await page.locator(".details-spread").waitFor();
    await assertAccessible(page);
    const bars = page.locator(".details-spread");
    const { height } = await bars.boundingBox();
    await bars.click({ position: { x: 4, y: height - 4 } });
    await rest();
    assert.equal(await page.locator(".details-spread [aria-selected=true]").count(), 1);
    assert.match(await page.locator(".calls .table-footer").textContent(), /of 14 calls/);
  },
);

await check("a card is whole, over the panels around its own", async () => {
  for (const size of [SMALL, TWICE])
    for (const [tab, panel] of [
      ["profile", ".stage"],
      ["flame", ".flame-stage"],
    ]) {
      await page.setViewportSize(size);
      await openView(page, viewer, `tab=${tab}`, panel);
      const stage = await page.locator(panel).boundingBox();
      await page.mouse.move(stage.x + stage.width * 0.3, stage.y + 40);
      await page.locator(".card table").waitFor();
      await rest();
      const seen = await page.locator(".card").evaluate((card) => {
        card.style.pointerEvents = "auto";
        const { left, top, right, bottom } = card.getBoundingClientRect();
        const isHit = (x, y) => card.contains(document.elementFromPoint(x, y));
        const corners = [left + 9, right - 9].flatMap((x) =>
          [top + 9, bottom - 9].map((y) => [x, y]),
        );
        return corners.every(([x, y]) => isHit(x, y)) && card.scrollHeight <= card.clientHeight;
      });
      assert.ok(seen, `${tab} at ${size.width}`);
      await page.mouse.move(5, 5);
      await page.locator(".card").waitFor({ state: "detached" });
    }
});

await check("at 200 % ranges, chips and what is searched for can be read", async () => {
  for (const size of [TWICE, LARGE_TWICE]) {
    const where = `at ${size.width}`;
    await open("range=100-300ms,150-250ms&without=java,java.util&search=HashMap", size);
    const crumbs = await page.locator(".crumbs").boundingBox();
    for (const crumb of await page.locator(".crumbs li").all()) {
      const { y, height } = await crumb.boundingBox();
      assert.ok(y >= crumbs.y && y + height <= crumbs.y + crumbs.height, `ranges ${where}`);
    }
    assert.deepEqual(await cutTexts(".crumbs li:last-child .link, #search"), [], where);
    const field = page.locator("#search");
    const room = await field.evaluate((input) => input.clientWidth - input.scrollWidth);
    assert.ok(room >= 0, `the search ${where}`);
    const chips = await page.locator(".about .chip").all();
    assert.equal(chips.length, 2);
    for (const chip of chips) assert.ok((await widthOf(chip)) >= 100, `chips ${where}`);
    for (const end of [".whole-button", ".details-button"]) {
      const { x, width } = await page.locator(end).boundingBox();
      assert.ok(x + width <= size.width, `${end} ${where}`);
    }
    await assertAccessible(page);
  }
  await openView(page, viewer, "filter=no+such+method", ".table-message");
  await assertAccessible(page);
});

await check(
  "a wide window has room for names, and a low one for the formats of a dialog",
  async () => {
    await open("tab=trace", HUGE);
    assert.deepEqual(await cutTexts(".trace-properties .td.name > *"), []);
    await open("tab=tree", HUGE);
    assert.ok((await page.locator(".table-rows .parted").count()) > 10);
    assert.deepEqual(await cutTexts(".table-rows .parted"), []);
    for (const size of [HUGE, TWICE]) {
      await page.setViewportSize(size);
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("menuitem", { name: "Download as…" }).click();
      await page.locator(".formats label").first().waitFor();
      await rest();
      const hidden = await page.$eval(".formats", (one) => one.scrollHeight - one.clientHeight);
      assert.ok(hidden <= 0, `formats at ${size.width}`);
      await page.keyboard.press("Escape");
    }
  },
);

await check("no line ends between a number and its unit", async () => {
  for (const size of [SMALL, TWICE]) {
    await page.setViewportSize(size);
    await followLink(page, viewer, "tab=insights", ".insight");
    const lines = await page.$$eval(".with-unit", (all) =>
      all.map((one) => one.getClientRects().length),
    );
    assert.ok(lines.length > 5);
    assert.ok(
      lines.every((count) => count === 1),
      `at ${size.width}`,
    );
  }
});

await check(
  "at 900x600 the details leave five rows of the Profile, the selected one among them",
  async () => {
    await open(METHOD, SMALL);
    await page.keyboard.press("x");
    await page.locator(".details").waitFor();
    await rest();
    const isWhole = await page.$eval("#tab-panel .table-body", (body) => {
      const { top } = body.getBoundingClientRect();
      return [...body.querySelectorAll(".table-rows .tr")].flatMap((row) => {
        const box = row.getBoundingClientRect();
        const isIn = box.top >= top - 1 && box.bottom <= top + body.clientHeight + 1;
        return isIn ? [row.classList.contains("selected")] : [];
      });
    });
    assert.ok(isWhole.length >= 5 && isWhole.includes(true), `${isWhole}`);
    await page.keyboard.press("x");
    await page.locator(".details").waitFor({ state: "detached" });
    await rest(); // the choice is kept
  },
);

await check("as narrow as a telephone, nothing is squeezed into a column or cut", async () => {
  const phone = { width: 400, height: 800 };
  await open("picked=300-500ms", phone);
  const tools = page.getByRole("toolbar", { name: "Selected range" });
  const right = (await tools.boundingBox()).x + (await tools.boundingBox()).width;
  for (const one of await tools.locator("button, input").all()) {
    const { x, width } = await one.boundingBox();
    assert.ok(x + width <= right && right <= phone.width, `${x + width} of ${right}`);
  }
  assert.deepEqual(await cutTexts(".range-field"), []);
  await open("", phone);
  await page.keyboard.press("/");
  await page.keyboard.type("HashMap");
  await page.locator(".search-head p", { hasText: /^62 methods/ }).waitFor();
  await rest();
  assert.ok((await widthOf(page.locator(".search-head p"))) > 300);
  assert.ok((await widthOf(page.locator("#search-list code").first())) > 130);
  await page.keyboard.press("Escape");
  await followLink(page, viewer, "tab=insights", ".insight");
  assert.ok((await widthOf(page.locator(".insight-text").first())) > 300);
  // What is said above a table has no button by which a keyboard could scroll it.
  await open("tab=callers", phone);
  assert.deepEqual(await cutTexts(".tab-tools, .tab-tools *"), []);
  await open("mark=100-200ms|the+slow+one", phone);
  await page.keyboard.press("Shift+M");
  await page.locator(".marks input").waitFor();
  assert.ok((await widthOf(page.locator(".marks input"))) > 200);
  await page.keyboard.press("Escape");
  // A call has its thread and its start beside it, not behind the edge.
  await open(`tab=calls&${METHOD}`, phone);
  const cell = await page
    .locator(".calls .table-rows .tr")
    .first()
    .locator(".td")
    .nth(2)
    .boundingBox();
  assert.ok(cell.x + cell.width <= phone.width, `${cell.x + cell.width}`);
  await assertAccessible(page);
  // What the Trace tab has in three columns elsewhere is reached by scrolling down.
  await open("tab=trace", phone);
  const wide = await page.$eval(".trace-tab", (tab) => tab.scrollWidth - tab.clientWidth);
  assert.equal(wide, 0, "the Trace tab scrolls sideways");
  for (const name of ["Properties", "Findings", "Threads"]) {
    const part = page.locator(".trace-tab").getByRole("region", { name, exact: true });
    await part.scrollIntoViewIfNeeded();
    assert.ok((await widthOf(part)) > 380, `${name} has ${await widthOf(part)} px`);
  }
  await assertAccessible(page);
});

await check(
  "the overview stays above what is below it, however many ranges lead back",
  async () => {
    await page.setViewportSize({ width: 768, height: 800 });
    await followLink(page, viewer, "range=100-300ms,150-250ms,160-240ms&view=170-200ms");
    assert.ok((await page.locator(".crumbs li").count()) > 3);
    const bottom = (part) => page.$eval(part, (one) => one.getBoundingClientRect().bottom);
    const below = await bottom(".overview");
    for (const part of [".overview-box", ".overview-box canvas", ".crumbs ol"])
      assert.ok((await bottom(part)) <= below, `${part} ends at ${await bottom(part)} of ${below}`);
  },
);

await check("names of files and threads have the room of what is told elsewhere", async () => {
  await open("mark=100-200ms|the+slow+one", { width: 768, height: 800 });
  assert.deepEqual(await cutTexts(".row .thread-head"), []);
  const bar = await page.$eval(".bar", (one) => one.scrollWidth - one.clientWidth);
  assert.equal(bar, 0, "the bar is wider than the page");
  await open("", { width: 1280, height: 800 });
  await page.$eval(".bar h1", (one) => (one.textContent = "art-androidperformance-app.trace"));
  assert.deepEqual(await cutTexts(".bar h1"), []);
});

await check("of a package that is cut, three letters show or none", async () => {
  await open("");
  // A name in the same room whose class has one letter more, and one more, and so on.
  const widths = await page
    .locator(".table-rows .parted", { has: page.locator(".name-package") })
    .first()
    .evaluate((name) =>
      Array.from({ length: 60 }, (_, letters) => {
        name.style.setProperty("--class", letters);
        return name.querySelector(".name-package").clientWidth;
      }),
    );
  assert.deepEqual(
    widths.filter((px) => px > 1 && px < 20),
    [],
  );
  assert.ok(widths.includes(0) && widths.some((px) => px > 30), widths.join());
});

await check("in low windows tables show rows, also above the details", async () => {
  const areRowsWhole = () =>
    page.$eval("#tab-panel .table-body", (body) => {
      const { top } = body.getBoundingClientRect();
      return [...body.querySelectorAll(".table-rows .tr")].some((row) => {
        const box = row.getBoundingClientRect();
        return box.top >= top - 1 && box.bottom <= top + body.clientHeight + 1;
      });
    });
  const tiny = { width: 450, height: 300 };
  for (const [size, tab] of [
    [TWICE, "profile"],
    [TWICE, "callers"],
    [tiny, "profile"],
    [SMALL, "callers"],
  ]) {
    await open(`${METHOD}&tab=${tab}`, size);
    assert.equal(await page.locator(".details").count(), 0);
    assert.ok(await areRowsWhole(), `${tab} at ${size.width}`);
    await page.keyboard.press("x");
    await page.locator(".details").waitFor();
    await rest();
    if (tab === "profile" || size === SMALL)
      assert.ok(await areRowsWhole(), `${tab} at ${size.width}, details open`);
    const title = await page.$eval(".details-title", (one) => one.scrollWidth - one.clientWidth);
    assert.equal(title, 0, `the title at ${size.width} ends in dots`);
    const { y, height } = await page.locator(".details").boundingBox();
    assert.ok(y + height <= size.height && height > 34, `details of ${height} px at ${y}`);
    await page.keyboard.press("x");
    await page.locator(".details").waitFor({ state: "detached" });
    await rest(); // the choice is kept
  }
});

await browser.stop();
await viewer.stop();
finish();
