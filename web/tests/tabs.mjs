// The lower panel's tabs, the dialogs and the old manual's story in a real browser: find the method with
// 14 calls of which one is long; see where it is; who called it; what it waited for.
import assert from "node:assert/strict";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
// The browser tells of the expression that is refused.
const problems = watchProblems(page, (text) => /\b400\b.*=%2F(\(|%28)%2F/.test(text));

const rest = () => settle(page);

const tab = async (name) => {
  await page.getByRole("tab", { name }).click();
  await rest();
};

async function selectBySearch(text) {
  await page.locator("#search").fill(text);
  await page.locator(".found", { hasText: /^1( of 1)?$/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await rest();
}

await page.goto(viewer.url);
await page.locator("[data-rank]").first().waitFor();

await check("the story: search leads to the method, and Calls to its slowest call", async () => {
  await page.keyboard.press("/");
  await page.keyboard.type("nativeFinished");
  await page.locator(".found", { hasText: /^1$/ }).waitFor();
  await page.keyboard.press("Enter");
  await rest();
  await tab("Calls");
  assert.equal(await page.locator(".calls [role=grid]").getAttribute("aria-rowcount"), "15");
  const first = await page
    .locator(".calls .table-rows .tr")
    .first()
    .locator(".td")
    .allTextContents();
  assert.ok(Number(first[2]) > 100, `the slowest takes ${first[2]} ms`);
});

await check("the story: one press shows it in the timeline", async () => {
  await page.locator(".calls .table-rows .tr").nth(1).click();
  await rest();
  assert.match(decodeURIComponent(page.url()), /call=1:main\|10\|.*nativeFinished/);
  assert.equal(await page.locator(".calls .tr.selected").count(), 1);
});

await check("the story: arrows walk to its caller and back to what it called", async () => {
  await page.locator(".timeline-scroll").focus();
  await page.keyboard.press("ArrowUp");
  await rest();
  assert.match(decodeURIComponent(page.url()), /onResume/);
  await page.keyboard.press("ArrowDown");
  await rest();
  assert.match(decodeURIComponent(page.url()), /nativeFinished/);
});

await check("what is worth a look is told, and one press shows its call", async () => {
  await page.goto(viewer.url);
  await page.reload();
  await page.locator("#tab-insights .muted", { hasText: /^\s*6\s*$/ }).waitFor();
  await page.keyboard.press("7");
  const slow = page
    .locator(".insight", {
      hasText:
        /2 of 14 calls of .*nativeFinished were slow: the longest of these took 202 ms of wall time/,
    })
    .filter({ hasText: /Of the longest 179 ms were in .*generateMHInlineCopy\./ });
  await slow.click();
  await rest();
  assert.match(decodeURIComponent(page.url()), /tab=insights/);
  assert.match(decodeURIComponent(page.url()), /call=1:main\|.*nativeFinished/);
  assert.equal(await slow.getAttribute("aria-pressed"), "true");
  await assertAccessible(page);
});

await checkProgram("a trace without anything of note says what was looked for", async () => {
  await page.route("**/api/insights", (route) =>
    route.fulfill({ json: { least_ns: 2e6, main_thread: 1, insights: [], methods: [] } }),
  );
  await page.goto(`${viewer.url}#tab=insights`);
  await page.reload();
  await page.locator(".insights-none", { hasText: "Nothing stands out" }).waitFor();
  assert.equal(await page.locator("#tab-insights .muted").count(), 0);
  await page.unrouteAll();
  await page.goto(viewer.url);
  await page.reload();
  await selectBySearch("nativeFinished");
});

await check("the story: sorted by waiting, the tree leads to where threads wait", async () => {
  await page.getByRole("radio", { name: "Wait" }).click();
  await tab("Tree");
  // Threads that were parked are left out, unless they are asked for.
  const parked = page.locator("[role=treegrid] .tr", { hasText: "Thread.run" });
  await page.locator("[role=treegrid] .tr", { hasText: "RecipeApp.main" }).first().waitFor();
  assert.equal(await parked.count(), 0);
  const countIdle = async () => {
    await page.locator(".chip.idle").click();
    await page.getByRole("menuitemcheckbox", { name: "Count them, too" }).click();
    await page.keyboard.press("Escape");
  };
  await countIdle();
  await parked.first().waitFor();
  await countIdle();
  await rest();
  await page.getByRole("radio", { name: "CPU" }).click();
  await rest();
});

await check("the bars of the distribution count all calls", async () => {
  await selectBySearch("nativeFinished");
  await tab("Calls");
  const counts = await page.$$eval(".histogram .bar-of-list .sr-only", (bars) =>
    bars.map((bar) => Number(/: ([\d,]+) call/.exec(bar.textContent)?.[1])),
  );
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    14,
  );
});

await check("'.' and ',' step through the calls", async () => {
  const callIn = (url) => new URL(url).hash.split("call=")[1];
  const callBehind = async (key, isIt) => {
    await page.keyboard.press(key);
    await page.waitForURL((url) => isIt(callIn(url)));
    return callIn(page.url());
  };
  await page.locator(".timeline-scroll").focus();
  const none = callIn(page.url());
  const first = await callBehind(".", (call) => call !== undefined && call !== none);
  await callBehind(".", (call) => call !== first);
  await callBehind(",", (call) => call === first);
});

await check("the flame graph draws, zooms and comes back", async () => {
  await tab("Flame");
  const boxes = () =>
    page.$eval(".flame-stage canvas", (canvas) => Number(canvas.dataset.boxes ?? 0));
  await page.waitForFunction(
    () => Number(document.querySelector(".flame-stage canvas")?.dataset.boxes ?? 0) > 50,
  );
  assert.ok((await boxes()) > 50);
  const box = await page.locator(".flame-stage").boundingBox();
  await page.mouse.dblclick(box.x + 100, box.y + 30);
  await rest();
  await page.locator(".chip:not(.chosen-calls)").waitFor();
  await page.locator(".chip:not(.chosen-calls)").click();
  await rest();
  assert.equal(await page.locator(".chip:not(.chosen-calls)").count(), 0);
});

await check("a drag across the flame graph selects nothing where it ends", async () => {
  await page.keyboard.press("Escape");
  await rest();
  const details = page.locator(".details-title");
  const before = await details.innerText();
  const { x, y } = await page.locator(".flame-stage").boundingBox();
  await page.mouse.move(x + 300, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 100, y + 30, { steps: 4 });
  await page.mouse.up();
  await rest();
  assert.equal(await details.innerText(), before);
  await page.mouse.click(x + 100, y + 30);
  await rest();
  assert.notEqual(await details.innerText(), before);
});

await check("a transform is a breadcrumb that can be removed", async () => {
  const box = await page.locator(".flame-stage").boundingBox();
  await page.mouse.click(box.x + 100, box.y + 30, { button: "right" });
  await page.getByRole("menuitem", { name: "Focus on the method" }).click();
  await rest();
  assert.match(await page.locator(".chip:not(.chosen-calls)").textContent(), /focus/);
  assert.match(decodeURIComponent(page.url()), /op=focus:[\w.$]+\.\w+\+\(/);
});

await check(
  "a link to a transformed, zoomed, inverted flame graph gives the same one",
  async () => {
    await page.getByRole("radio", { name: "Bottom up" }).click();
    await rest();
    const stage = await page.locator(".flame-stage").boundingBox();
    await page.mouse.dblclick(stage.x + 40, stage.y + 8);
    await rest();
    assert.match(page.url(), /flame=inverted.*op=focus.*zoom=/);
    const chips = await page.locator(".chip:not(.chosen-calls)").allTextContents();
    const other = await browser.context.newPage();
    await other.goto(page.url());
    await other.locator(".chip:not(.chosen-calls)").nth(1).waitFor();
    assert.deepEqual(await other.locator(".chip:not(.chosen-calls)").allTextContents(), chips);
    await settle(other);
    assert.equal(other.url(), page.url());
    await other.close();
    await page.goBack();
    await page.goBack();
    await rest();
  },
);

await check("letters transform: focus, undo", async () => {
  await page.locator(".chip:not(.chosen-calls)").click();
  await rest();
  await page.locator(".flame-scroll").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("f");
  await rest();
  assert.match(await page.locator(".chip:not(.chosen-calls)").textContent(), /focus/);
  await page.locator(".flame-scroll").focus();
  await page.keyboard.press("u");
  await rest();
  assert.equal(await page.locator(".chip:not(.chosen-calls)").count(), 0);
});

await check("bottom up turns the flame graph over", async () => {
  await page.getByRole("radio", { name: "Bottom up" }).click();
  await rest();
  assert.equal(await page.locator(".flame-stage .table-message").count(), 0);
  await page.getByRole("radio", { name: "Top down" }).click();
  await rest();
});

await check("the tree opens along the way to the time, and closes", async () => {
  await tab("Tree");
  const rows = () => page.locator("[role=treegrid] .table-rows .tr").count();
  const before = await rows();
  const open = page.locator("[role=treegrid] [aria-expanded=true] .twist-button").first();
  await open.click();
  await rest();
  assert.ok((await rows()) < before || before >= 10);
});

await check("callers of the selected method", async () => {
  await selectBySearch("nativeFinished");
  await tab("Callers");
  await page.locator(".tr", { hasText: "onResume" }).first().waitFor();
});

await check("callers tell the inclusive time of the method beside its own", async () => {
  const heads = await page.locator("[role=columnheader]").allInnerTexts();
  const at = heads.findIndex((text) => /^Incl CPU, ms/.test(text.trim()));
  assert.ok(at > 0 && heads.some((text) => /^Excl CPU, ms/.test(text.trim())), heads.join("|"));
  const cells = await page
    .locator(".tr", { hasText: "onResume" })
    .first()
    .locator("[role=gridcell]")
    .allInnerTexts();
  const { own, whole } = await page.evaluate(async (api) => {
    const found = await (await fetch(`${api}search?q=LoadListener.nativeFinished`)).json();
    const ask = `${api}callers?method=${found.ranks[0]}&clock=cpu`;
    const [caller] = (await (await fetch(ask)).json()).callers;
    return { own: caller.exclusive.cpu_ns, whole: caller.inclusive.cpu_ns };
  }, viewer.api);
  assert.ok(whole > 10 * own, "the method does its work in others");
  assert.equal(cells[at].trim(), (whole / 1e6).toFixed(3));
});

await check("callers sort by the inclusive time of the method", async () => {
  await page.getByRole("button", { name: "Of all methods" }).click();
  await rest();
  const head = page.locator("[role=columnheader]", { hasText: /^Incl CPU, ms/ });
  const times = async () => {
    const heads = await page.locator("[role=columnheader]").allInnerTexts();
    const at = heads.findIndex((text) => /^Incl CPU, ms/.test(text.trim()));
    const firsts = page.locator('.tr[aria-level="1"]');
    const cells = firsts.locator(`[role=gridcell]:nth-child(${at + 1})`);
    return (await cells.allInnerTexts()).map((text) => Number(text.replace(/,/g, "")));
  };
  for (const [order, sign] of [
    ["descending", -1],
    ["ascending", 1],
  ]) {
    await head.getByRole("button").click();
    await page
      .locator(`[role=columnheader][aria-sort=${order}]`, { hasText: "Incl CPU, ms" })
      .waitFor();
    await rest();
    const told = await times();
    assert.ok(new Set(told).size > 1, told.join());
    assert.deepEqual(
      told,
      [...told].sort((a, b) => sign * (a - b)),
    );
  }
  await page.getByRole("button", { name: "Only of the selected method" }).click();
  await rest();
});

await check("the Trace tab tells properties, threads and findings", async () => {
  await tab("Trace");
  const text = await page.locator(".trace-tab").textContent();
  assert.match(text, /clock-call-overhead-nsec/);
  assert.match(text, /ImageWorker/);
  assert.match(text, /Findings/);
});

await check("back goes back to the tab before", async () => {
  await page.goBack();
  await rest();
  assert.equal(
    await page.getByRole("tab", { name: "Callers" }).getAttribute("aria-selected"),
    "true",
  );
  await page.goForward();
  await rest();
  assert.equal(
    await page.getByRole("tab", { name: "Trace" }).getAttribute("aria-selected"),
    "true",
  );
});

await check("groups by package", async () => {
  await tab("Profile");
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Packages" }).click();
  await page.locator(".tr", { hasText: "com.example.recipes" }).first().waitFor();
  await page.getByRole("button", { name: "By package" }).click();
  await page.getByRole("menuitemradio", { name: "Methods" }).click();
  await rest();
});

await check("the column chooser shows all columns", async () => {
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "All of them" }).click();
  await rest();
  assert.equal(await page.locator("[role=columnheader]").count(), 16);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "The seven usual ones" }).click();
  await rest();
  assert.equal(await page.locator("[role=columnheader]").count(), 7);
});

await check("the palette runs a command", async () => {
  await typeCommand(page, "keys and");
  await page.keyboard.press("Enter");
  await page.locator(".help").waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Escape");
});

await check("copying a link gives the address, and the trace that it is of", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Copy a link to this view" }).click();
  await rest();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link.replace(/&trace=[0-9a-f]{16}$/, ""), page.url());
  assert.notEqual(link, page.url());
});

await check("settings are kept by the program", async () => {
  const choose = async (name) => {
    await page.getByRole("button", { name: "View", exact: true }).click();
    await page.getByRole("menuitemradio", { name, exact: true }).click();
    await page.keyboard.press("Escape");
    await rest();
  };
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await choose("Dark");
  assert.equal(await theme(), "dark");
  await page.reload();
  await page.locator("[data-rank]").first().waitFor();
  assert.equal(await theme(), "dark");
  await choose("Theme of the system");
});

await check(
  "a range of a link that is not in the trace is left out, and that is said",
  async () => {
    await page.goto(`${viewer.url}#picked=5000-5100ms`);
    const notice = page.locator(".notice", { hasText: "The range 5,000 – 5,100 ms of this link" });
    await notice.waitFor();
    await rest();
    assert.match(await page.locator(".where").innerText(), /whole trace/);
    assert.doesNotMatch(page.url(), /picked/);
  },
);

await check("the number beside Calls is of what the list below shows", async () => {
  const call = "1:main|10|com.example.recipes.RecipeApp$LoadListener.nativeFinished (I)V";
  const name = async (more) => {
    await page.goto(`${viewer.url}#tab=calls&call=${encodeURIComponent(call)}${more}`);
    await page.locator(".calls-title").waitFor();
    await rest();
    return page.locator("#tab-calls").innerText();
  };
  assert.match(await name(""), /^Calls\s14$/);
  assert.equal(await name("&picked=620-724ms"), "Calls");
});

await checkProgram("settings of two pages do not undo each other", async () => {
  const second = await browser.context.newPage();
  const watched = watchProblems(second);
  await second.goto(viewer.url);
  await second.locator("[data-rank]").first().waitFor();
  await settle(second);
  const settings = (of) => of.evaluate(async () => (await fetch("api/settings")).json());
  const kept = async (holds) => {
    for (let tries = 0; tries < 100; tries++) {
      const now = await settings(page);
      if (holds(now)) return now;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return settings(page);
  };
  await page.bringToFront();
  const openPackages = async (of) => {
    await typeCommand(of, "settings");
    await of.keyboard.press("Enter");
    return of.locator("#hidden-packages");
  };
  const packages = await openPackages(page);
  await packages.fill("java.\ncom.mycompany.lib.");
  await packages.blur();
  await page.keyboard.press("Escape");
  const mine = ["java.", "com.mycompany.lib."];
  const isMine = (now) => JSON.stringify(now.hidden_packages) === JSON.stringify(mine);
  assert.ok(isMine(await kept(isMine)));
  await second.bringToFront();
  await second.keyboard.press("b");
  const both = await kept((now) => now.colour_by === "package");
  assert.equal(both.colour_by, "package");
  assert.deepEqual(both.hidden_packages, mine);
  // The other page has taken over what was changed, and shows it without being loaded again.
  const there = await openPackages(second);
  assert.equal(await there.inputValue(), mine.join("\n"));
  await second.close();
  await page.bringToFront();
  await page.keyboard.press("b");
  await page.keyboard.press("b");
  await page.evaluate(() => fetch("api/settings", { method: "PUT", body: "{}" }));
  assert.deepEqual(watched, []);
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  for (const name of ["Profile", "Flame", "Tree", "Callers", "Calls", "Trace"])
    await check(`axe-core finds nothing in ${name}, ${theme}`, async () => {
      await page.emulateMedia({ colorScheme: theme });
      await tab(name);
      await assertFine(page);
    });

await check("axe-core finds nothing while a search fades the rest", async () => {
  await tab("Profile");
  await page.locator("#search").fill("Database");
  await page.locator(".tr.faded").first().waitFor();
  await assertAccessible(page);
  await page.locator("#search").fill("");
});

await check("a wrong regular expression is told where it is wrong", async () => {
  await page.locator("#search").fill("/(/");
  await page.locator(".found.bad").waitFor();
  assert.match(await page.locator(".found.bad").getAttribute("title"), /parenthesis|group/);
  await page.locator("#search").fill("");
});

await check("in a narrow window the chosen tab and the buttons stay beside chips", async () => {
  const size = { width: 390, height: 800 };
  await page.setViewportSize(size);
  const isInSight = (selector) =>
    page.$eval(selector, (part) => {
      const { left, right, top, height } = part.getBoundingClientRect();
      const hit = (x) => part.contains(document.elementFromPoint(x, top + height / 2));
      return hit(left + 2) && hit(right - 2);
    });
  await tab("Insights");
  for (const chips of ["&filter=native", "&filter=native&without=java.", ""]) {
    await page.goto(`${viewer.url}#tab=insights${chips}`);
    await page.waitForFunction(
      (count) => document.querySelectorAll(".about .chip").length === count,
      chips.split("&").length - 1,
    );
    await rest();
    assert.ok(await isInSight("#tab-insights"), chips);
    if (chips === "") continue;
    for (const button of [".details-button", ".whole-button"])
      assert.ok(await isInSight(button), `${button} ${chips}`);
    await page.reload();
    await page.locator(".about .chip").first().waitFor();
    await rest();
    assert.ok(await isInSight("#tab-insights"), `${chips}, read again`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await viewer.stop();
finish();
