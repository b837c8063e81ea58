// The one search field: what it lists and sums, how it walks, what it filters, and how one leaves it.
import assert from "node:assert/strict";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  followLink,
  openView,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
} from "./harness.mjs";

const { check, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
const rest = () => settle(page);

// The keyboard is in no field, as on a page of its own, which takes what asks where it was.
const open = async (link) => {
  await page.evaluate(() => document.activeElement?.blur());
  await followLink(page, viewer, link);
};
const openAnew = (link) => openView(page, viewer, link);
const ask = (route) =>
  page.evaluate((address) => fetch(address).then((answer) => answer.json()), `api/${route}`);
const search = async (text) => {
  await page.keyboard.press("/");
  await page.keyboard.type(text);
  await rest();
};
const head = () => page.locator(".search-head p").textContent();
const options = page.locator(".search-list [role=option]");
const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
const isInSight = (selector) =>
  page.$eval(selector, (element) => {
    const box = element.getBoundingClientRect();
    const around = element.closest(".table-body").getBoundingClientRect();
    return box.top >= around.top - 1 && box.bottom <= around.bottom + 1;
  });
const selectedRank = () => page.locator(".tr.selected").getAttribute("data-rank");
const link = () => decodeURIComponent(page.url());

await check("a link with a search shows the first method that it finds", async () => {
  await openAnew("search=checkForTypeAlias");
  const found = ".table-rows .tr:not(.faded)";
  await page.locator(found).first().waitFor();
  assert.ok(await isInSight(found));
  assert.equal(await page.locator(".tr.selected").count(), 0);
});

await check("what is found is listed, with totals that count no time twice", async () => {
  await open("");
  await search("recipes");
  const { count, set, methods, total } = await ask("top?match=recipes&clock=cpu&set=1&n=0");
  assert.equal(await options.count(), Math.min(100, count));
  const told = await head();
  assert.ok(told.startsWith(`${count} methods · ${set.calls.toLocaleString("en")} calls`), told);
  const sum = methods.reduce((all, one) => all + one.inclusive.cpu_ns, 0);
  assert.ok(sum > total.cpu_ns, "methods that call each other add up to more than all time");
  assert.ok(set.inclusive.cpu_ns <= total.cpu_ns);
  const msOf = (word) => Number(new RegExp(`${word} ([\\d.]+) ms`).exec(told)[1]);
  assert.ok(Math.abs(msOf("inclusive") - set.inclusive.cpu_ns / 1e6) < 0.51, told);
  assert.ok(Math.abs(msOf("exclusive") - set.exclusive.cpu_ns / 1e6) < 0.51, told);
});

await check("a longer word that counts is told, and an equal sign leaves it out", async () => {
  await open("");
  await search("HashMap");
  const all = await ask("top?match=HashMap&n=0");
  const whole = await ask(`top?match=${encodeURIComponent("=HashMap")}&n=0`);
  assert.ok(whole.count > 0 && whole.count < all.count, `${whole.count} of ${all.count}`);
  const line = page.locator(".search-longer");
  assert.match(await line.innerText(), /HashMap\s+counts, too/);
  await line.getByRole("button", { name: "Whole words: =HashMap" }).click();
  await rest();
  assert.equal(await page.locator("#search").inputValue(), "=HashMap");
  assert.ok((await head()).startsWith(`${whole.count} methods`));
  assert.equal(await line.count(), 0);
  for (const row of await options.allInnerTexts())
    if (!row.startsWith("thread")) assert.match(row, /(^|[^0-9A-Za-z_])HashMap([^0-9A-Za-z_]|$)/);
});

await check(
  "Enter walks, in the order of the Profile, and brings the match into sight",
  async () => {
    await open("");
    await search("Database");
    const { ranks } = await ask("top?match=Database&clock=cpu&sort=exclusive&ranks=1&n=1");
    assert.ok(ranks.length > 2);
    for (const place of [0, 1, 2]) {
      await page.keyboard.press("Enter");
      await rest();
      assert.equal(await page.locator(".tr.selected").getAttribute("data-rank"), `${ranks[place]}`);
      assert.ok(await isInSight(".tr.selected"));
      assert.equal(await page.locator(".search-list").count(), 0, "nothing lies over it");
    }
    assert.equal(await page.locator(".found").textContent(), `3 of ${ranks.length}`);
    await page.keyboard.press("Shift+Enter");
    await rest();
    assert.equal(await page.locator(".tr.selected").getAttribute("data-rank"), `${ranks[1]}`);
    await page.keyboard.press("ArrowDown");
    await rest();
    assert.equal(await options.nth(2).getAttribute("aria-selected"), "true");
  },
);

await check("a match out of view moves the timeline to its longest call", async () => {
  await open("view=0-20ms");
  await search("nativeFinished");
  await page.keyboard.press("Enter");
  await rest();
  const [from, to] = link()
    .match(/view=([\d.]+)-([\d.]+)ms/)
    .slice(1)
    .map(Number);
  const { calls } = await ask("calls?method=" + (await selectedRank()) + "&n=1&clock=cpu");
  assert.ok(calls[0].start_ns / 1e6 < to && calls[0].end_ns / 1e6 > from, `${from}-${to} ms`);
});

await check(
  "in the tree Enter opens the stack of the match's longest call, and scrolls to it",
  async () => {
    await open("tab=tree");
    await search("Database.parse");
    assert.equal(await page.locator("[data-table=tree] .tr.selected").count(), 0);
    await page.keyboard.press("Enter");
    await page.locator("[data-table=tree] .tr.selected").first().waitFor();
    await rest();
    const row = "[data-table=tree] .tr.selected";
    assert.match(await page.locator(row).first().textContent(), /Database\.parse/);
    assert.ok((await page.locator("[data-table=tree] .tr.faded").count()) > 0, "others are faded");
    assert.ok(await isInSight(row));
  },
);

await check("in the flame graph Enter scrolls to the widest box of the match", async () => {
  await open("tab=flame");
  await page.setViewportSize({ width: 900, height: 600 });
  await search("Database.parse");
  const top = () => page.$eval(".flame-scroll", (one) => one.scrollTop);
  assert.equal(await top(), 0);
  await page.keyboard.press("Enter");
  await rest();
  assert.ok((await top()) > 0);
  assert.match(await page.locator(".tab-panel").innerText(), /matched [\d.]+ % of what is shown/);
  await page.setViewportSize({ width: 1600, height: 900 });
});

await check("how much of the flame graph was found is the same in a narrow window", async () => {
  await openAnew("tab=flame");
  await page.setViewportSize({ width: 700, height: 600 });
  await search("HashMap");
  const told = () => page.locator(".tab-tools [aria-live]").innerText();
  const { set, total } = await ask("top?match=HashMap&clock=cpu&set=1&n=0");
  const share = ((100 * set.inclusive.cpu_ns) / total.cpu_ns).toFixed(1);
  assert.ok((await page.getByText(/too thin to draw/).count()) > 0, "some boxes are not there");
  assert.match(await told(), new RegExp(`^matched ${share} % of what is shown`));
  await page.locator(".flame-scroll").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await rest();
  assert.match(await told(), /^matched at least [\d.]+ % of what is shown/);
  await page.setViewportSize({ width: 1600, height: 900 });
});

await check(
  "what is said of longer words, the heads and the lines stand one below the other",
  async () => {
    await open("");
    await search("HashMap");
    const parts = [".search-head", ".search-longer", ".search-heads", "#search-list"];
    const boxes = await Promise.all(parts.map((part) => page.locator(part).boundingBox()));
    boxes.reduce((above, box, ix) => {
      assert.ok(box.y >= above.y + above.height - 1, `${parts[ix]} begins at ${box.y}`);
      return box;
    });
    const first = await options.first().locator(".search-numbers span").first().boundingBox();
    const heads = await page.locator(".search-heads span").first().boundingBox();
    assert.ok(
      Math.abs(first.x + first.width - heads.x - heads.width) <= 2,
      "heads stand over numbers",
    );
    const [word, link] = [".search-longer code", ".search-longer button"];
    const code = await page.locator(word).boundingBox();
    const press = await page.locator(link).boundingBox();
    assert.ok(press.x - code.x - code.width < 120, "one sentence");
  },
);

await check("“Show only these” lists the matches from the top, and is a chip", async () => {
  await open("method=com.example.recipes.RecipeApp.main+([Ljava/lang/String;)V");
  await page.locator(".table-body").evaluate((body) => (body.scrollTop = 1500));
  await search("java.util");
  const { count } = await ask("top?match=java.util&n=1");
  await page.getByRole("button", { name: "Show only these" }).click();
  await rest();
  assert.equal(await focused(), "search");
  assert.equal(await page.locator(".search-list").count(), 0, "the list is over its result");
  assert.equal(await page.locator(".table-footer .grow").textContent(), `${count} methods`);
  assert.equal(await page.locator(".table-body").evaluate((body) => body.scrollTop), 0);
  assert.match(link(), /filter=java\.util/);
  const chip = page.locator(".about .chip.only");
  assert.equal((await chip.textContent()).trim(), `only java.util · ${count} methods`);
  await page.reload();
  await chip.waitFor();
  await chip.click();
  await rest();
  assert.match(link(), /search=java\.util/);
  assert.equal(await chip.count(), 0);
});

await check("Ctrl+Enter shows only what is found, and all again", async () => {
  await open("");
  await search("Database");
  const footer = page.locator(".table-footer .grow");
  const all = await footer.textContent();
  await page.keyboard.press("Control+Enter");
  await rest();
  const some = await footer.textContent();
  assert.notEqual(some, all);
  assert.equal(await page.locator(".search-list").count(), 0);
  await page.keyboard.press("Control+Enter");
  await rest();
  assert.equal(await page.locator(".search-list").count(), 1);
  assert.equal(await footer.textContent(), all);
});

await check(
  "Escape leaves the field for where the keyboard was, and digits are typed",
  async () => {
    await openAnew("");
    await page.keyboard.press("1");
    await rest();
    await search("123");
    assert.equal(await page.locator("#search").inputValue(), "123");
    assert.equal(await page.locator(".tr.selected").count(), 0);
    assert.match(await page.locator(".search").getAttribute("class"), /none/);
    await page.keyboard.press("Escape");
    await rest();
    assert.ok(await page.evaluate(() => document.activeElement.matches(".table-body")));
    assert.equal(await page.locator(".search-list").count(), 0);
    await page.keyboard.press("Escape");
    await rest();
    assert.equal(await page.locator("#search").inputValue(), "");
    await page.keyboard.press("g");
    await rest();
    assert.equal(await focused(), "search");
  },
);

await check("a line that is pressed shows what it stands for, and the list goes", async () => {
  await open("");
  await search("Database");
  await options.nth(1).click();
  await rest();
  assert.equal(await page.locator(".search-list").count(), 0);
  assert.ok(await isInSight(".tr.selected"));
  assert.equal(await focused(), "search");
  await page.keyboard.press("ArrowDown"); // the field has the keyboard still, and lists again
  await rest();
  assert.equal(await options.nth(2).getAttribute("aria-selected"), "true");
});

await check("threads are found by name, and walked to", async () => {
  await open("");
  await search("ImageWorker");
  const threads = page.locator(".search-list li", { hasText: /^thread/ });
  assert.equal(await threads.count(), 3);
  assert.match(await head(), /3 threads/);
  const count = await options.count();
  await page.keyboard.press("ArrowUp");
  await rest();
  assert.equal(await options.nth(count - 1).getAttribute("aria-selected"), "true");
  const name = (await options.last().locator(".clip").textContent()).trim();
  const row = page.locator(".gutter .row", { hasText: name }).first();
  assert.ok(await row.isVisible());
});

await check(
  "an expression that is not finished says so, and the rest of the page stays",
  async () => {
    await open("");
    await search("/Data(/");
    await page.locator(".search .bad").first().waitFor();
    await page.locator("#search").fill("/Data(base)?/");
    await rest();
    assert.equal(await page.locator(".search .bad").count(), 0);
    assert.ok((await options.count()) > 0);
  },
);

await check("an expression that is wrong finds nothing, whatever was found before it", async () => {
  await open("");
  await search("nativeFinished");
  assert.ok((await options.count()) > 0);
  await page.locator("#search").press("Control+A");
  await page.keyboard.type("/[/");
  await rest();
  await page.locator(".search-head .bad").waitFor();
  assert.equal(await options.count(), 0);
  assert.equal(await page.locator(".tr.faded").count(), 0);
  for (const name of ["Show only these", "Only their calls"])
    assert.ok(await page.getByRole("button", { name }).isDisabled(), name);
  for (const key of ["Control+Enter", "Alt+Enter"]) {
    await page.keyboard.press(key);
    await rest();
    assert.doesNotMatch(link(), /filter=|those=/, key);
    assert.equal(await page.locator(".chip.only").count(), 0);
  }
});

await check("the Trace tab marks and filters by the same field", async () => {
  await open("tab=trace");
  await search("ImageWorker");
  const rows = page.locator("[data-table=threads] .table-rows .tr");
  const all = await rows.count();
  assert.equal(all - (await page.locator("[data-table=threads] .tr.faded").count()), 3);
  await page.keyboard.press("Control+Enter");
  await rest();
  assert.equal(await rows.count(), 3);
});

await check(
  "a filter that the Trace tab has nothing for is told there, and taken off",
  async () => {
    await open("tab=trace&filter=nativeFinished");
    const told = page.locator(".trace-tab").getByText(/ matches the filter nativeFinished\./);
    assert.deepEqual(await told.allInnerTexts(), [
      "No property matches the filter nativeFinished. Take the filter off",
      "No finding matches the filter nativeFinished. Take the filter off",
      "No thread matches the filter nativeFinished. Take the filter off",
    ]);
    await page.getByRole("button", { name: "Take the filter off" }).first().click();
    await rest();
    assert.equal(await told.count(), 0);
    assert.ok((await page.locator("[data-table=threads] .table-rows .tr").count()) > 3);
  },
);

await check("the palette finds methods and threads, too", async () => {
  await open("");
  await typeCommand(page, "LoadListener.nativeFin");
  await page.getByRole("option", { name: /nativeFinished \(int\) void/ }).waitFor();
  await page.keyboard.press("Enter");
  await rest();
  assert.match(await page.locator(".tr.selected").textContent(), /nativeFinished/);
  await typeCommand(page, "ImageWorker");
  await page
    .getByRole("option", { name: /^Thread ImageWorker/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await rest();
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing in the open list in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await open("");
    await search("orker");
    await page.keyboard.press("ArrowDown");
    await assertFine(page);
  });

await browser.stop();
await viewer.stop();
finish();
