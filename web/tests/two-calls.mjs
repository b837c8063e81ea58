// Two calls of one trace beside each other, in a real browser: two presses from a slow call in the list of calls, the timeline, an
// insight or the details; both as timelines from a common zero that move together, the tree with both columns, what each waited
// for; calls of two methods, within each other, cut off, of samples, without a CPU clock.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  assertAccessibleInBoth,
  BINARY,
  createChecks,
  EXAMPLE,
  followLink,
  isAll,
  openView,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { ODD_TRACES } from "./odd-traces.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page);

const METHOD = "com.example.recipes.RecipeApp$LoadListener.nativeFinished (I)V";
const MAIN = "com.example.recipes.RecipeApp.main ([Ljava/lang/String;)V";
const rows = (on = page) => on.locator("[data-table=pair] .table-rows .tr");
const stack = (side, on = page) => on.locator(`[data-pair=${side}]`);
const canvas = (side, on = page) => stack(side, on).locator("canvas");
const viewOf = async (side, on = page) => {
  const { from, to } = await canvas(side, on).evaluate(({ dataset }) => ({ ...dataset }));
  return [Number(from), Number(to)];
};
const headText = (on = page) => on.locator(".changes-head").innerText();
const callOf = (ordinal, method = METHOD) =>
  `call=${encodeURIComponent(`1:main|${ordinal}|${method}`)}`;
const openCalls = (more = "") =>
  followLink(page, viewer, `tab=calls&clock=wall&method=${encodeURIComponent(METHOD)}${more}`);
const isReady = async (on = page) => {
  await rows(on).first().waitFor();
  await settle(on);
};
// The link of both calls, once they were compared.
let both = "";
const cells = (row) => row.locator("[role=gridcell]").allInnerTexts();

await check("a slow call beside the median one, in two presses", async () => {
  await openCalls();
  await page.locator(".calls .table-rows .tr").first().click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare with the median call" }).click();
  await isReady();
  const head = await headText();
  assert.match(head, /This\s+.*nativeFinished, call 1 of 14/);
  assert.match(head, /Other\s+.*nativeFinished, call \d+ of 14/);
  assert.match(head, /\+200 ms \(103 times 1\.96 ms\) of wall time/);
  const told = page.getByRole("list", { name: "What changed" }).getByRole("button");
  assert.match(await told.first().innerText(), /is called in this call alone, (once|\d+ times)/);
});

await check("the flame graph is of both calls, by what differs", async () => {
  await page.getByRole("button", { name: "Flame graph" }).click();
  await page.locator(".tab-tools.of-change").getByText("of wall time").waitFor();
  assert.match(
    await page.locator(".tab-tools.of-change").innerText(),
    /\+200 ms \(103 times 1\.96 ms\) of wall time[^]*of this call alone, \d+ (is|are) of the other one alone/,
  );
  for (const name of ["This", "Other", "Other alone"])
    assert.equal(await page.getByRole("radio", { name, exact: true }).count(), 1, name);
  await page.waitForFunction(
    () => Number(document.querySelector(".flame-stage canvas")?.dataset.boxes) > 20,
  );
  await settle(page);
  assert.match(page.url(), /tab=flame.*beside=.*change=new|change=new.*beside=/);
  await page.getByRole("radio", { name: "Other", exact: true }).click();
  await page.waitForFunction(() => location.hash.includes("change=old"));
  await page.getByRole("radio", { name: "This trace" }).click();
  await page.waitForFunction(() => !location.hash.includes("change="));
  await page.getByRole("radio", { name: "Two calls" }).click();
  await page.locator(".tab-tools.of-change").getByText("of wall time").waitFor();
  await assertAccessibleInBoth(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  await isReady();
});

await check("both are drawn from their starts, on one scale", async () => {
  assert.deepEqual(await viewOf("this"), await viewOf("other"));
  assert.deepEqual(await viewOf("this"), [0, 202_014_000]);
  for (const side of ["this", "other"])
    assert.ok(Number(await canvas(side).getAttribute("data-boxes")) > 3, side);
  // Two of the three that both called are joined at their starts and ends.
  assert.ok(Number(await page.locator(".pair-lines canvas").getAttribute("data-lines")) >= 2);
  const painted = await canvas("other").evaluate((element) => {
    const context = element.getContext("2d");
    const { width, height } = element;
    const at = (x) => [...context.getImageData(x, Math.round(height / 3), 1, 1).data].join();
    const behind = new Set();
    for (let x = Math.round(width / 10); x < width; x += 7) behind.add(at(x));
    return { first: at(3), behind: [...behind] };
  });
  assert.equal(painted.behind.length, 1, "nothing stands behind the end of the shorter call");
  assert.notEqual(painted.first, painted.behind[0]);
});

await checkProgram("the tree has the numbers of both calls, what changed most first", async () => {
  const numbersOf = (ordinal) => {
    const answer = JSON.parse(
      execFileSync(
        BINARY,
        [
          "tree",
          "--json",
          "--clock",
          "wall",
          "--depth",
          "2",
          "--call",
          `${METHOD}#${ordinal}`,
          EXAMPLE,
        ],
        { encoding: "utf8" },
      ),
    );
    const [root] = answer.nodes;
    return [root, ...root.children].map((node) => [
      node.calls.toLocaleString("en"),
      (node.inclusive.wall_ns / 1e6).toFixed(3),
    ]);
  };
  const other = Number(/Other\s+.*call (\d+) of/.exec(await headText())[1]);
  const [own, then] = [numbersOf(1), numbersOf(other)];
  const root = await cells(rows().first());
  assert.deepEqual([root[5], root[2]], own[0]);
  assert.deepEqual([root[6], root[3]], then[0]);
  const second = await cells(rows().nth(1));
  assert.ok(own.some(([calls, time]) => calls === second[5] && time === second[2]));
  const changes = await page
    .locator("[data-table=pair] .td.grew, [data-table=pair] .td.shrank")
    .count();
  assert.ok(changes > 2, "more is orange, less is blue");
  assert.equal(await page.getByRole("columnheader", { name: "This incl Wall, ms" }).count(), 1);
  const sort = page.getByRole("columnheader", { name: "± incl Wall, ms" });
  assert.equal(await sort.getAttribute("aria-sort"), "descending");
});

await check("the way of most of the change is open, and says which call has it alone", async () => {
  const all = await rows().allInnerTexts();
  assert.ok(all.length > 5, `${all.length} rows`);
  assert.match(all.join(" "), /linkCallSite[^]*this alone/);
  const root = rows().first();
  assert.equal(await root.getAttribute("aria-expanded"), "true");
  assert.equal(await root.getAttribute("aria-level"), "1");
  await root.click();
  await page.keyboard.press("ArrowLeft");
  await settle(page);
  assert.equal(await rows().count(), 1);
  await page.keyboard.press("ArrowRight");
  await settle(page);
  assert.ok((await rows().count()) > 5);
});

await check("each says what it waited for, and what ran meanwhile", async () => {
  const text = await page.getByRole("region", { name: "Where both waited" }).innerText();
  assert.match(text, /This\s+Waited 1\.05 ms: Thread\.sleep 1\.05 ms/);
  assert.match(text, /Other\s+Waited 1\.05 ms/);
  assert.match(text, /During the 1\.0\d ms of the Thread\.sleep that waited longest: The 4 other/);
});

await check("both zoom, pan and scroll together, by keys, by the wheel and by a drag", async () => {
  await stack("other").focus();
  await page.keyboard.press("w");
  await settle(page);
  const [from, to] = await viewOf("this");
  assert.ok(from > 0 && to - from < 150e6);
  assert.deepEqual(await viewOf("other"), [from, to]);
  await page.keyboard.press("a");
  await settle(page);
  assert.ok((await viewOf("this"))[0] < from);
  assert.equal(page.url().includes("view="), false, "the timeline above stays");
  await stack("this").scrollIntoViewIfNeeded();
  const box = await stack("this").boundingBox();
  const [before] = await viewOf("this");
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 100, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await settle(page);
  assert.ok((await viewOf("this"))[0] > before);
  assert.deepEqual(await viewOf("this"), await viewOf("other"));
  await page.mouse.wheel(0, 60);
  await settle(page);
  const tops = await page
    .locator(".pair-scroll")
    .evaluateAll((all) => all.map((one) => one.scrollTop));
  assert.ok(tops[0] > 0);
  assert.equal(tops[0], tops[1]);
  await page.getByRole("button", { name: "Zoom in both calls" }).click();
  await page.getByRole("button", { name: "Whole of both calls" }).click();
  await settle(page);
  assert.deepEqual(await viewOf("other"), [0, 202_014_000]);
  await stack("this").evaluate((element) => (element.scrollTop = 0));
  await settle(page);
});

await check("a press on a box selects its call in the timeline", async () => {
  await stack("this").scrollIntoViewIfNeeded();
  const box = await stack("this").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 21 + 19 + 9);
  assert.match(
    await page.locator(".pair-pointed").innerText(),
    /Database\.query: 202 ms, .* after/,
  );
  await page.mouse.click(box.x + box.width / 2, box.y + 21 + 19 + 9);
  await settle(page);
  assert.match(decodeURIComponent(page.url()), /call=1:main\|1\|.*Database\.query/);
});

await check(
  "the link keeps both calls; they swap, the chip leads to them, and Back returns",
  async () => {
    both = /beside=1\.5\.\d+,1\.5\.\d+/.exec(page.url())[0];
    await page.reload();
    await isReady();
    await page.getByRole("button", { name: "Swap the calls" }).click();
    await page.waitForFunction(() =>
      /This\s+[^]*?1\.96 ms[^]*?Other/.test(
        document.querySelector(".changes-head")?.innerText ?? "",
      ),
    );
    await settle(page);
    assert.match(await page.locator(".changes-head b.shrank").innerText(), /−200 ms/);
    assert.match((await cells(rows().first()))[4], /−200/);
    await page.goBack();
    await page.waitForFunction(() =>
      /This\s+[^]*?202 ms[^]*?Other/.test(document.querySelector(".changes-head")?.innerText ?? ""),
    );
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.getByRole("button", { name: "two calls" }).click();
    await isReady();
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator(".calls .table-rows .tr").first().waitFor();
    assert.equal(await page.getByRole("tab", { name: "Changes" }).count(), 0);
  },
);

await check(
  "while the numbers of a pair are on their way, none of another one are told",
  async () => {
    const asked = [];
    let letGo = () => undefined;
    let isHeld = false;
    const held = new Promise((go) => (letGo = go));
    await page.route(/calldiff/, async (route) => {
      asked.push(route.request().url().includes("contexts=0"));
      if (isHeld) await held;
      await route.continue().catch(() => undefined);
    });
    await openView(page, viewer, `tab=changes&clock=wall&${both}`, "[data-table=pair]");
    await isReady();
    assert.deepEqual(asked, [true, true, false], "the places of the tree come after the numbers");
    isHeld = true;
    await page.getByRole("button", { name: "Swap the calls" }).click();
    const head = page.locator(".changes-head", { hasText: "Comparing…" });
    await head.waitFor();
    assert.match(await head.innerText(), /This\s+.*call \d+ of 14[^]*Other\s+.*call 1 of 14/);
    assert.doesNotMatch(await head.innerText(), /200 ms|202 ms|1\.96 ms/);
    assert.equal(await page.locator(".changes-told, .changes-none, .changes-callers").count(), 0);
    assert.equal(await page.locator(".pair-scroll").count(), 2, "the timelines stay");
    letGo();
    await page.locator(".changes-head", { hasText: "−200 ms" }).waitFor();
    await settle(page);
    await page.locator(".pair-waits").waitFor();
    await page.unroute(/calldiff/);
  },
);

await check("from an insight in one press, from the details and the timeline in two", async () => {
  await followLink(page, viewer, "tab=insights");
  const line = page.locator(".insights li", { hasText: "nativeFinished were slow" });
  await line.getByRole("button", { name: "Compare" }).click();
  await isReady();
  assert.match(await headText(), /This\s+.*nativeFinished, call 1 of 14/);
  await followLink(page, viewer, callOf(10), "[data-rank]");
  const pane = page.locator(".details");
  if ((await pane.count()) === 0) await page.getByRole("button", { name: "Details" }).click();
  await pane.getByRole("button", { name: "Compare" }).click();
  await isReady();
  assert.match(await headText(), /This\s+.*nativeFinished, call 10 of 14/);
  await followLink(page, viewer, "", "[data-rank]");
  const box = await page.locator(".stage").first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + 60, { button: "right" });
  await page.getByRole("menu").waitFor();
  await settle(page);
  assert.equal(
    await page.getByRole("menuitem", { name: "Compare with the median call" }).count(),
    1,
  );
  await page.keyboard.press("Escape");
});

await check("beside a marked call, of another method, which it lies within", async () => {
  await followLink(page, viewer, callOf(10), "[data-rank]");
  await page.locator(".timeline-scroll").first().focus();
  await page.keyboard.press("ArrowUp");
  await settle(page);
  await page.keyboard.press("m");
  await settle(page);
  const [mark] = /mark=[^&]*/.exec(page.url());
  await followLink(page, viewer, `tab=calls&clock=wall&${callOf(10)}&${mark}`);
  await page.locator(".calls .table-rows .tr.selected").click({ button: "right" });
  await page.getByRole("menuitem", { name: /Compare with the marked call/ }).click();
  await isReady();
  const head = await headText();
  assert.match(head, /This\s+.*nativeFinished, call 10 of 14/);
  assert.match(head, /They are calls of two methods\./);
  assert.match(head, /This call lies within the other one/);
  assert.equal((await cells(rows().first()))[1], "two methods");
});

await check(
  "range, lens and hidden packages leave both calls as they are, and it says so",
  async () => {
    await followLink(page, viewer, `tab=changes&clock=wall&${both}`, "[data-table=pair]");
    await isReady();
    const before = await cells(rows().first());
    assert.doesNotMatch(await headText(), /All of both calls is told/);
    await followLink(
      page,
      viewer,
      `tab=changes&clock=wall&${both}&picked=10-20ms&without=java.&unfolded=`,
      "[data-table=pair]",
    );
    await isReady();
    assert.match(await headText(), /All of both calls is told/);
    assert.deepEqual(await cells(rows().first()), before);
    assert.ok(Number(await canvas("this").getAttribute("data-boxes")) > 3, "folded threads, too");
  },
);

await check("a lens narrows neither of both calls", async () => {
  const lens = `of=${encodeURIComponent("com.example.recipes.RecipeApp$Database.query (I)Lcom/example/recipes/RecipeApp$Recipe;")}`;
  await followLink(page, viewer, `tab=changes&clock=wall&${both}&${lens}`, "[data-table=pair]");
  await isReady();
  assert.match(await headText(), /All of both calls is told/);
  assert.equal((await cells(rows().first()))[2], "202.014");
  assert.equal(await page.locator(".changes-head b.grew").count(), 1);
});

await check("the same call twice differs in nothing", async () => {
  await followLink(
    page,
    viewer,
    `tab=changes&clock=wall&${both.replace(/=.*,(.*)/, "=$1,$1")}`,
    "[data-table=pair]",
  );
  await isReady();
  assert.match(await headText(), /^[^]*\b0 \(0\.0 % of 202 ms\) of wall time/);
  assert.equal(
    await page.locator("[data-table=pair] .td.grew, [data-table=pair] .td.shrank").count(),
    0,
  );
});

await check("a call that is not there is said to be so", async () => {
  await followLink(page, viewer, "tab=changes&beside=1.5.5,1.5.999999999", ".insights-none");
  assert.match(await page.locator(".insights-none").innerText(), /cannot be compared/);
});

await check("the only call of a method has none to be compared with", async () => {
  await followLink(page, viewer, `tab=calls&method=${encodeURIComponent(MAIN)}`);
  await page.locator(".calls .table-rows .tr").first().click({ button: "right" });
  await page.getByRole("menuitem", { name: "Compare with the median call" }).click();
  await page.getByText("This is the only call of its method").waitFor();
});

await check("all of it as text", async () => {
  await followLink(page, viewer, `tab=changes&clock=wall&${both}`, "[data-table=pair]");
  await isReady();
  await page.locator(".changes-tools").getByRole("button", { name: "Copy" }).click();
  await page.getByText("Both calls copied").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^This: .*nativeFinished, call 1 of 14, on main, 202 ms\nOther: /);
  assert.match(text, /\+200 ms \(103 times 1\.96 ms\) of wall time\./);
  assert.match(
    text,
    /Inclusive wall time, along each path:\n {2}\+200 ms \(202 ms, other 1\.96 ms\)/,
  );
});

await check(
  "axe finds nothing, in both themes and on a small screen; methods stand in a table",
  async () => {
    await assertAccessibleInBoth(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await settle(page);
    await assertAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("radio", { name: "Methods" }).click();
    await page.locator("[data-table=changes] .table-rows .tr").first().waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "This calls" }).count(), 1);
    assert.equal(await page.getByRole("radio", { name: "Exclusive" }).count(), 1);
  },
);

// Of traces that say less: each has an address of its own, and one page shows them.
const tab = await browser.context.newPage();
watchProblems(tab, undefined, problems);
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-two-calls-"));

const openOdd = async (name, link, run) => {
  const file = path.join(folder, `${name}.trace`);
  await writeFile(file, ODD_TRACES[name]());
  const other = await startViewer(file);
  try {
    await openView(tab, other, link, ".changes");
    await run();
  } finally {
    await tab.goto("about:blank"); // first: a stream that ends is told of as an error
    await other.stop();
  }
};

// Traces of one stack that differ in its length alone, and the level in its middle. Of a million levels the numbers take half a
// minute of the processor's time: --all has it.
const DEEP = ["deep", 15_000];
const VERY_DEEP = ["very-deep", 500_000];

await check("without a CPU clock there are no waits", () =>
  openOdd("wall-only", "tab=changes&beside=1.1.0,1.1.1", async () => {
    await isReady(tab);
    assert.equal(await tab.locator(".pair-waits").count(), 0);
    assert.doesNotMatch(await tab.locator("[data-table=pair]").innerText(), /CPU/);
  }),
);

await check("samples are no calls", () =>
  openOdd("sampled", "tab=changes&beside=1.0.0,1.0.1", async () => {
    await isReady(tab);
    const head = await headText(tab);
    assert.match(head, /Calls are not compared/);
    assert.match(head, /The trace is one of samples/);
    assert.match(await tab.locator("[data-table=pair]").innerText(), /This runs/);
    assert.doesNotMatch(await tab.locator("[data-table=pair]").innerText(), /same calls/);
  }),
);

await check(
  "a call that is open at the end of the trace, and one within a deep stack, say so",
  async () => {
    await openOdd("open-at-end", "tab=changes&clock=wall&beside=1.0.0,1.0.1", async () => {
      await isReady(tab);
      assert.match(
        await headText(tab),
        /\+2\.00 ms [^]*This call was open at the end of the trace: it is longer than is told/,
      );
      assert.deepEqual((await cells(rows(tab).first())).slice(2, 4), ["3.000", "1.000"]);
      await tab.getByRole("button", { name: "Swap the calls" }).click();
      await tab.locator(".changes-head", { hasText: "The other call was open" }).waitFor();
      await settle(tab);
      await assertAccessible(tab);
    });
    for (const [name, middle] of [DEEP, ...(isAll ? [VERY_DEEP] : [])])
      await openOdd(name, `tab=changes&clock=wall&beside=1.0.0,1.${middle}.0`, async () => {
        await isReady(tab);
        assert.match(await headText(tab), /This call lies within the other one/);
      });
  },
);

await check("names of thousands of signs leave the numbers in sight", () =>
  openOdd("long-names", "tab=changes&clock=wall&beside=1.1.0,1.1.1", async () => {
    await isReady(tab);
    const { height } = await tab.locator(".changes-head").boundingBox();
    assert.ok(height < 400, `${height} px`);
  }),
);

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
