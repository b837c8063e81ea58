// The pages of a site as tests/pages/draw_pages.c writes them, in both themes and at three widths: axe-core finds
// nothing, nothing sticks out, the keyboard reaches all, and no page asks for anything that it may not.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { assertAccessible, BINARY, createChecks, startBrowser } from "./harness.mjs";

const { check, finish } = createChecks();
const folder = process.env.GALLERY ?? (await mkdtemp(path.join(os.tmpdir(), "traceview-pages-")));
const draw = path.join(path.dirname(BINARY), "tests/pages/draw-pages");
if (!process.env.GALLERY) assert.equal(spawnSync(draw, [folder]).status, 0, draw);
const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();

// The policy is the program's own (src/pages/frame.c).
const source = await readFile(new URL("../../src/pages/frame.c", import.meta.url), "utf8");
const policy = /"(default-src 'none'; script-src 'self'(?:[^;]|;(?!\n))*);/
  .exec(source)[1]
  .replace(/"\s*"/g, "")
  .replace(/"$/, "");

const TYPES = { ".css": "text/css", ".js": "text/javascript", ".html": "text/html; charset=utf-8" };
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="120"><title>main</title></svg>';
const server = http.createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://x");
  response.setHeader("Content-Security-Policy", policy);
  if (pathname.endsWith(".svg")) {
    response.setHeader("Content-Type", "image/svg+xml");
    return response.end(PICTURE);
  }
  try {
    const bytes = await readFile(path.join(folder, path.normalize(pathname)));
    response.setHeader("Content-Type", TYPES[path.extname(pathname)]);
    response.end(bytes);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = [];
page.on("pageerror", (problem) => problems.push(String(problem)));
page.on("console", (message) => {
  // The page of a waiting trace listens to a site that is not there.
  if (message.type() === "error" && !/404|MIME type/.test(message.text()))
    problems.push(message.text());
});

for (const scheme of ["light", "dark"])
  await check(`axe-core finds nothing in ${names.length} pages, ${scheme}`, async () => {
    await page.emulateMedia({ colorScheme: scheme });
    for (const name of names) {
      await page.goto(`${base}/${name}`);
      await assertAccessible(page).catch((problem) => {
        throw new Error(`${name}: ${problem.message}`);
      });
    }
  });

await check("nothing sticks out at 400, 900 and 1600 px", async () => {
  for (const width of [400, 900, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of names) {
      await page.goto(`${base}/${name}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${name} at ${width} px: ${over} px`);
    }
  }
});

await check("what can be pressed is 24 px or more, or stands in a text", async () => {
  for (const name of names) {
    await page.goto(`${base}/${name}`);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("a, button, input, select, summary")]
        .filter((one) => one.checkVisibility() && !one.closest("p, h2, th, main li"))
        .filter((one) => !one.matches(".skip, [type=hidden]"))
        .map((one) => [
          one.outerHTML.slice(0, 80),
          (one.closest("label") ?? one).getBoundingClientRect(),
        ])
        .filter(([html, box]) => (box.height < 24 || box.width < 24) && !html.includes("checkbox"))
        .map(([html, box]) => `${html} ${box.width}×${box.height}`),
    );
    assert.deepEqual(small, [], name);
  }
});

await check("the keyboard walks through all of a page, and sees where it is", async () => {
  for (const name of ["start.html", "list.html", "owner.html"]) {
    await page.goto(`${base}/${name}`);
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(
          (one) => !one.disabled && one.type !== "hidden" && one.checkVisibility(),
        ).length,
    );
    const seen = new Set();
    for (let step = 0; step < wanted + 2; step++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const { activeElement: one } = document;
        if (one === null || one === document.body) return null;
        const all = [...document.querySelectorAll("*")];
        return [all.indexOf(one), getComputedStyle(one).outlineStyle, one.outerHTML.slice(0, 60)];
      });
      if (at === null) break;
      assert.notEqual(at[1], "none", at[2]);
      seen.add(at[0]);
    }
    assert.equal(seen.size, wanted, name);
    assert.deepEqual(
      [...seen],
      [...seen].sort((a, b) => a - b),
      `${name}: order`,
    );
  }
});

await check("the skip link leads over the bar to the content", async () => {
  await page.goto(`${base}/list.html`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
});

await check("two traces of the list can be compared, no more and no fewer", async () => {
  await page.goto(`${base}/list.html`);
  const button = page.getByRole("button", { name: "Compare two" });
  const boxes = page.locator("tbody input:enabled");
  assert.ok(await button.isDisabled());
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  assert.ok(await button.isEnabled());
  await boxes.nth(2).check();
  assert.ok(await button.isDisabled());
  assert.equal(await page.locator("#chosen").textContent(), "3 are checked: leave two.");
});

await check("files that are dropped are what the form sends", async () => {
  await page.goto(`${base}/start.html`);
  await page.evaluate(() => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(["a"], "one.trace"));
    dropped.items.add(new File(["b"], "two.trace"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true }));
  });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Upload 2 traces");
});

await check("nothing went wrong in the pages, and the policy let all of them be", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
server.close();
if (!process.env.GALLERY) await rm(folder, { recursive: true, force: true });
finish();
