// A site in a browser: uploads with and without script, lost connections, the pages of a trace and its owner's, the list,
// and the viewer's page with the bar of the site.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startCuttingProxy } from "./cutting-proxy.mjs";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
  startSite,
  typeCommand,
  until,
  watchProblems,
} from "./harness.mjs";
import { traceOf } from "./odd-traces.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-site-"));
const site = await startSite(["--list"]);
const proxy = await startCuttingProxy(site.url);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page, (text) => /Failed to load resource/.test(text));

const HOSTILE = `"'><script>document.title="caught"</script>`;
const upload = () => page.locator("#upload button.main").click();
const openDetails = () => page.locator("#upload summary").click();
const viewer = () => page.locator(".site-bar b").waitFor();
const kept = () =>
  page.evaluate(() =>
    JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith(":uploads"))?.[1] ?? "{}"),
  );

await check("one trace is uploaded with its title and labels, and is shown at once", async () => {
  await page.goto(site.url);
  await assertAccessible(page);
  await page.locator("#file").setInputFiles(EXAMPLE);
  await openDetails();
  await page.getByLabel("Title").fill(HOSTILE);
  await page.getByLabel("App").fill("com.example.recipes");
  await page.getByLabel("Build").fill("4711");
  await page.getByLabel("Show it in the list").selectOption("1");
  await upload();
  await viewer();
  assert.equal(await page.locator(".site-bar b").textContent(), HOSTILE);
  assert.match(await page.title(), /^"'><script>/);
  assert.match(await page.locator(".site-bar .labels").textContent(), /app com\.example\.recipes/);
  assert.match(await page.locator(".site-bar .life").textContent(), /expires in \d+ days|until/);
  await page.locator("[data-rank]").first().waitFor();
  await assertAccessible(page);
});
const example = page.url();

await check("what only a viewer of one's own has is not there", async () => {
  await typeCommand(page, "open another");
  assert.equal(await page.getByText("Open another trace").count(), 0);
  await page.keyboard.press("Escape");
  await settle(page); // the dialog gives the focus back
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keys and gestures" }).waitFor();
  assert.equal(await page.getByText("Open another trace").count(), 0);
  await page.keyboard.press("Escape");
  await settle(page); // the dialog gives the focus back
  await typeCommand(page, "settings");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  assert.equal(await page.getByText("recorded anew").count(), 0);
});

await check("the page of a trace asks for nothing that a site does not have", async () => {
  const refused = [];
  const note = (response) => {
    if (response.status() >= 400) refused.push(response.url());
  };
  page.on("response", note);
  await page.reload();
  await viewer();
  await settle(page);
  await page.waitForTimeout(500); // what the start asked for has come by then
  page.off("response", note);
  assert.deepEqual(refused, []);
  await typeCommand(page, "settings");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

await check("settings are kept by the browser", async () => {
  await page.locator("dialog select").first().selectOption("dark");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() =>
    Object.entries(localStorage).some(([key, text]) => /settings$/.test(key) && /dark/.test(text)),
  );
  await page.reload();
  await viewer();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

await check("the link is copied, without what is chosen", async () => {
  await page.keyboard.press("2");
  await settle(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await settle(page);
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    example.replace(/#.*/, ""),
  );
});

await check("the owner changes the trace in the viewer", async () => {
  await page.getByRole("button", { name: "About", exact: true }).click();
  await assertAccessible(page);
  const form = page.locator("form.owner");
  await form.getByLabel("Title").fill("Recipes, cold start");
  await form.getByLabel("Note").fill("line 1\nline 2");
  await form.getByLabel("Device").fill("Pixel 8");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".site-bar b", { hasText: "Recipes, cold start" }).waitFor();
  await page.reload();
  await page.locator(".site-bar b", { hasText: "Recipes, cold start" }).waitFor();
  assert.match(await page.locator(".site-bar .labels").textContent(), /device Pixel 8/);
  await page.getByRole("button", { name: "About", exact: true }).click();
  assert.equal(await page.locator(".site-dialog .note").textContent(), "line 1\nline 2");
});

await check("the owner fetches the file, and it is what was sent", async () => {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the file" }).click(),
  ]);
  const saved = await download.path();
  assert.deepEqual(await readFile(saved), await readFile(EXAMPLE));
  await page.keyboard.press("Escape");
});

await check("an export is downloaded", async () => {
  await typeCommand(page, "download");
  await page.keyboard.press("Enter");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download", exact: true }).click(),
  ]);
  assert.equal(await download.failure(), null);
  await page
    .getByText(/is saved|Saved|done/i)
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
});

await check("flame graphs stand on one page, a picture for each thread", async () => {
  await page.getByRole("link", { name: "Flame graphs" }).click();
  await page.locator("object").first().waitFor();
  assert.ok((await page.locator("object").count()) >= 3);
  const frame = await until(() => page.frames().find((one) => one.url().endsWith(".svg")));
  await frame.locator("#boxes g").first().waitFor();
  // The frame may be that of another picture: the first one has its own size once it has come, too.
  await until(async () => {
    const box = await page.locator("object").first().boundingBox();
    return box.width > 1000 && box.height > 200;
  });
});

await check("several traces are sent one after the other, and each has its link", async () => {
  const small = path.join(folder, "small.trace");
  await writeFile(small, traceOf(2, 1000));
  await page.goto(site.url);
  await page.locator("#file").setInputFiles([small, EXAMPLE]);
  assert.equal(await page.locator("#upload button.main").textContent(), "Upload 2 traces");
  await upload();
  await page.locator(".sending li[data-state=done]").nth(1).waitFor();
  await assertAccessible(page);
  assert.equal(await page.locator(".sending a").count(), 2);
  assert.equal((await kept()).own.length, 3);
  // Each stands once: in the list of what was sent, or of what this browser sent earlier.
  assert.equal(await page.locator(".own a").count(), 1);
});

// Of some browsers the field for files is wider than a phone.
await check("what is in the frame for files stays in it at any width", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.evaluate(() => (document.querySelector("#file").style.width = "400px"));
  const over = await page.evaluate(() => {
    const right = document.querySelector(".drop").getBoundingClientRect().right;
    return [...document.querySelectorAll(".drop > *")]
      .filter((one) => one.getBoundingClientRect().right > right)
      .map((one) => one.outerHTML);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(over, []);
});

await check(
  "a file that arrives and cannot be read is told, and no link to it is copied",
  async () => {
    const cut = path.join(folder, "cut.trace");
    await writeFile(
      cut,
      "*version\n3\nclock=dual\n*threads\n1\tmain\n*methods\n*end\nSLOW" + "\0".repeat(40),
    );
    await page.goto(site.url);
    await page.locator("#file").setInputFiles([cut, EXAMPLE]);
    await upload();
    const bad = page.locator("li", { hasText: "cut.trace" });
    const good = page.locator("li[data-read=ready]", { hasText: path.basename(EXAMPLE) }).first();
    for (const list of [".sending", ".own"]) {
      await bad.locator(".bad-text", { hasText: /^It cannot be shown: .{9}/ }).waitFor();
      await good.waitFor();
      assert.equal(await page.locator(`${list} li`, { hasText: "cut.trace" }).count(), 1);
      assert.equal(await bad.getByRole("button").count(), 0);
      assert.equal(await good.getByRole("button", { name: "Copy link" }).count(), 1);
      await assertAccessible(page);
      await page.reload();
    }
    await bad.getByRole("link").click();
    await page.getByRole("heading", { name: "This trace cannot be shown" }).waitFor();
  },
);

await check("what is no trace is refused with what it is", async () => {
  const text = path.join(folder, "notes.zip");
  await writeFile(text, Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(5000)]));
  await page.goto(site.url);
  await page.locator("#file").setInputFiles(text);
  await upload();
  const row = page.locator(".sending li[data-state=failed]");
  await row.waitFor();
  assert.match(await row.textContent(), /zip/i);
  const colors = await row.locator(".bad-text").evaluate((one) => {
    const bad = document.body.appendChild(document.createElement("p"));
    bad.className = "bad-text";
    return [one, bad].map((each) => getComputedStyle(each).color);
  });
  assert.equal(colors[0], colors[1]);
  assert.equal((await kept()).unfinished.length, 0);
});

const large = path.join(folder, "large.trace");
const bytes = traceOf(3, 1_200_000);
await writeFile(large, bytes);

await check("what failed is tried again, and is one piece that the page never reads", async () => {
  await page.goto(site.url);
  await page.evaluate(() => {
    const { arrayBuffer } = Blob.prototype;
    self.bytesRead = 0;
    Blob.prototype.arrayBuffer = function () {
      self.bytesRead += this.size;
      return arrayBuffer.call(this);
    };
  });
  let isFull = true;
  await page.route("**/api/v1/uploads?*", (route) =>
    isFull
      ? route.fulfill({ status: 507, json: { error: "The store is full." } })
      : route.continue(),
  );
  const pieces = [];
  page.on("request", (request) => request.method() === "PATCH" && pieces.push(request.url()));
  await page.locator("#file").setInputFiles([EXAMPLE, large]);
  await upload();
  const rows = page.locator(".sending li");
  await rows.nth(1).getByText("The store is full.").waitFor();
  await assertAccessible(page);
  isFull = false;
  await rows.nth(1).getByRole("button", { name: "Try again" }).click();
  await page.locator(".sending li[data-state=done]").waitFor();
  assert.equal(await rows.nth(0).getAttribute("data-state"), "failed");
  assert.equal(pieces.length, 1);
  assert.ok((await page.evaluate(() => self.bytesRead)) < 100);
  await page.unroute("**/api/v1/uploads?*");
});

await check("an upload goes on by itself when the connection was lost", async () => {
  await page.goto(proxy.url);
  await page.locator("#file").setInputFiles(large);
  const isCut = proxy.cutAfter(9_500_000);
  await upload();
  await isCut;
  await page.locator(".sending li[data-state=lost]").waitFor();
  assert.match(await page.locator(".how-far").first().textContent(), /does not answer/);
  proxy.mend();
  await page.getByRole("button", { name: "Try now" }).click();
  await viewer();
  const own = (await kept()).own[0];
  const raw = await fetch(`${site.url}api/v1/traces/${own.id}/raw`, {
    headers: { authorization: `Bearer ${own.owner_token}` },
  });
  const sum = (of) => createHash("sha256").update(of).digest("hex");
  assert.equal(sum(Buffer.from(await raw.arrayBuffer())), sum(bytes));
});

await check("a later page goes on with the same file where the former was", async () => {
  await page.goto(proxy.url);
  await page.locator("#file").setInputFiles(large);
  const isCut = proxy.cutAfter(9_500_000);
  await upload();
  await isCut;
  await page.locator(".sending li[data-state=lost]").waitFor();
  // The page asks whether it may be left.
  const leave = (dialog) => dialog.accept();
  page.on("dialog", leave);
  await page.goto("about:blank");
  page.off("dialog", leave);
  proxy.mend();
  await page.goto(proxy.url);
  assert.match(await page.locator("#mine").textContent(), /Not finished.*large\.trace/);
  await assertAccessible(page);
  const before = proxy.sent();
  await page.locator("#file").setInputFiles(large);
  await upload();
  await viewer();
  const again = proxy.sent() - before;
  assert.ok(again < bytes.length - 8_000_000, `${again} bytes of ${bytes.length} were sent again`);
});

await check("an upload that is cancelled leaves nothing", async () => {
  await page.goto(proxy.url);
  await page.locator("#file").setInputFiles(large);
  const isHeld = proxy.holdAfter(4_000_000);
  await upload();
  await isHeld;
  const { id, owner_token: token } = (await kept()).unfinished[0];
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".sending li[data-state=cancelled]").waitFor();
  await settle(page);
  const answer = await fetch(`${site.url}api/v1/uploads/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 404);
  assert.deepEqual((await kept()).unfinished, []);
});

await check("the list is searched, and two of its traces are compared", async () => {
  await page.goto(site.url);
  await page.locator("#file").setInputFiles(EXAMPLE);
  await openDetails();
  await page.getByLabel("Title").fill("Recipes again");
  await page.getByLabel("Show it in the list").selectOption("1");
  await upload();
  await viewer();
  await page.goto(`${site.url}list`);
  assert.equal(await page.locator("tbody tr").count(), 2);
  await page.getByRole("searchbox").fill("pixel");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/q=pixel/);
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.goto(`${site.url}list`);
  await page.locator("tbody input").nth(0).check();
  await page.locator("tbody input").nth(1).check();
  await page.getByRole("button", { name: "Compare two" }).click();
  await page
    .getByText(
      "No count of calls changed, and no time of a method's own code differs by a hundredth of the total.",
    )
    .waitFor();
  assert.match(page.url(), /\/trace\/[0-9a-f]+\/#tab=changes&against=[0-9a-f]+$/);
});

await check("the fields of a comparison offer what this browser has uploaded", async () => {
  await page.goto(`${site.url}compare`);
  const { own } = await kept();
  const offered = (name) =>
    page
      .locator(`input[name=${name}]`)
      .evaluate((input) => [...input.list.options].map((one) => [one.value, one.label]));
  const wanted = own.map(({ id, name }) => [`${site.url}trace/${id}/`, name]);
  assert.ok(wanted.length > 0);
  assert.deepEqual(await offered("old"), wanted);
  assert.deepEqual(await offered("new"), wanted);
});

// Pages of every kind; that of a trace that waits is seen too shortly.
const pagesOf = (id) => [
  "",
  "list",
  "list?q=nothing+like+that",
  "stored",
  `trace/${id}/owner`,
  `trace/${id}/flame`,
  "nowhere",
];

await check(
  "all pages: axe-core in both themes, three widths, sizes of what is pressed",
  async () => {
    await page.goto(site.url);
    const [{ id }] = (await kept()).own;
    for (const name of pagesOf(id)) {
      await page.goto(`${site.url}${name}`);
      await page.emulateMedia({ colorScheme: "dark" });
      await assertColours(page);
      await page.emulateMedia({ colorScheme: "light" });
      await assertAccessible(page);
      for (const width of [400, 900, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${name} at ${width} px: ${over} px stick out`);
      }
      assert.deepEqual(await page.evaluate(smallTargets), [], name);
    }
  },
);

// What is less than 24 px high or wide, but for links in a text and boxes with a label around them.
function smallTargets() {
  return [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.matches(".skip, [type=hidden], [type=checkbox]"))
    .filter((one) => !one.closest("p:not(.actions), h2, th, dd, main li:not(.own li, .sending li)"))
    .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
    .filter(([html, box]) => (box.height < 24 || box.width < 24) && !html.startsWith("<a"))
    .map(([html, box]) => `${html} ${box.width}×${box.height}`);
}

await check("the keyboard walks through all of a page in order, and sees where it is", async () => {
  const [{ id }] = (await kept()).own;
  for (const name of ["", "list", `trace/${id}/owner`]) {
    await page.goto(`${site.url}${name}`);
    await settle(page);
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(
          (one) => !one.disabled && one.type !== "hidden" && one.checkVisibility(),
        ).length,
    );
    const seen = [];
    for (let step = 0; step < wanted; step++) {
      await page.keyboard.press("Tab");
      const [place, outline, html] = await page.evaluate(() => {
        const { activeElement: one } = document;
        const place = [...document.querySelectorAll("*")].indexOf(one);
        return [place, getComputedStyle(one).outlineStyle, one.outerHTML.slice(0, 60)];
      });
      assert.notEqual(outline, "none", html);
      seen.push(place);
    }
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => a - b),
      name,
    );
  }
});

await check("the link to the content leads over the bar", async () => {
  await page.goto(`${site.url}list`);
  for (const key of ["Tab", "Enter", "Tab"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
});

await check("files that are dropped are what the form sends", async () => {
  await page.goto(site.url);
  await page.evaluate(() => {
    const dropped = new DataTransfer();
    for (const name of ["one.trace", "two.trace"]) dropped.items.add(new File(["a"], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true }));
  });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Upload 2 traces");
});

const plain = await startBrowser({ hasScript: false });

await check("without script a trace is uploaded, changed and deleted", async () => {
  const bare = await plain.context.newPage();
  await bare.goto(site.url);
  await bare.locator("#file").setInputFiles(EXAMPLE);
  await bare.locator("#upload button.main").click();
  await bare.getByRole("heading", { name: /^Uploaded/ }).waitFor();
  const token = await bare.locator("main code").textContent();
  assert.match(token, /^[0-9a-f]{32}$/);
  await bare.getByRole("link", { name: "here" }).click();
  await bare.locator("#token-save").fill("0".repeat(32));
  await bare.getByRole("button", { name: "Save" }).click();
  await bare.locator("[role=alert]").waitFor();
  await bare.locator("#token-save").fill(token);
  await bare.getByLabel("Title").fill("By hand");
  await bare.getByRole("button", { name: "Save" }).click();
  await bare.waitForURL(/\/trace\/[0-9a-f]+\/$/);
  const address = bare.url();
  const notice = await bare.locator("noscript").boundingBox();
  assert.ok(notice.y < 100, `what the page says without script stands at ${notice.y} px`);
  await bare.goto(`${address}owner`);
  assert.match(await bare.locator("h1").textContent(), /By hand/);
  await bare.locator("#token-delete").fill(token);
  await bare.getByRole("button", { name: "Delete the trace" }).click();
  await bare.waitForURL(site.url);
  const gone = await bare.goto(address);
  assert.ok([404, 410].includes(gone.status()), String(gone.status()));
  await bare.getByRole("link", { name: "To the start page" }).waitFor();
});

await check("the owner deletes a trace in the viewer", async () => {
  await page.goto(example);
  await page.getByRole("button", { name: "About", exact: true }).click();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("heading", { name: "Share a method trace" }).waitFor();
  const answer = await fetch(example.replace(/#.*/, ""));
  assert.ok([404, 410].includes(answer.status));
});

await check("nothing went wrong in the pages, and the policy let all of them be", async () => {
  assert.deepEqual(problems, []);
});

await plain.stop();
await browser.stop();
proxy.stop();
await site.stop();
await rm(folder, { recursive: true, force: true });
finish();
