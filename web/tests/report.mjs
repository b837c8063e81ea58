// A page that has its trace in it opens from a file, without a network, at the view that was shared: in Chromium and in Firefox.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  assertAccessible,
  assertColours,
  BINARY,
  createChecks,
  EXAMPLE,
  settle,
  startBrowser,
  watchProblems,
} from "./harness.mjs";
import { startFirefox } from "./marionette.mjs";
import { writeTrace } from "./odd-traces.mjs";
import { textOfBytes } from "../tools/base93.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-report-"));
const built = path.dirname(BINARY);
const NOTE = "Look at the tenth load.\n</script><b>It waits</b> for the cache.";
const LINK = "tab=tree&clock=wall&range=100-300ms";

// The template with its marks filled, as docs/report.md has it.
async function makeReport(name, trace) {
  const template = gunzipSync(await readFile(path.join(built, "web/report.html.gz"))).toString();
  const engine = gzipSync(await readFile(path.join(built, "src/engine/engine-exports.wasm")));
  const about = { title: "One slow load", note: NOTE, link: LINK, name: "recipes.trace" };
  const block = (id, type, text) => `<script type="${type}" id="${id}">${text}</script>`;
  const data = [
    block("tv-report", "application/json", JSON.stringify(about).replaceAll("<", "\\u003c")),
    block("tv-engine", "text/plain", textOfBytes(engine)),
    block("tv-trace", "text/plain", trace),
  ].join("");
  const fill = (text, mark, by) => text.split(`<!--tv:${mark}-->`).join(by);
  const titled = fill(template, "title", about.title);
  const still = fill(titled, "still", "<p>The top table stands here.</p>");
  const file = path.join(folder, name);
  await writeFile(file, fill(still, "data", data));
  return pathToFileURL(file).href;
}

const plain = execFileSync("zstd", ["-dc", EXAMPLE], { maxBuffer: 1 << 28 });
const packed = textOfBytes(gzipSync(plain));
const whole = await makeReport("whole.html", packed);
const small = await makeReport("small.html", textOfBytes(await readFile(EXAMPLE)));
const browser = await startBrowser();
await browser.context.setOffline(true);
const page = await browser.context.newPage();
const problems = watchProblems(page);
const asked = [];
page.on("request", (request) => asked.push(request.url()));

await check("opens from a file at the shared view, without a network", async () => {
  await page.goto(whole);
  await page.locator("[role=treegrid]").waitFor();
  await settle(page);
  assert.match(await page.locator(".where").textContent(), /^in 100 – 300 ms/);
  assert.equal(
    await page.getByRole("radio", { name: "Wall" }).getAttribute("aria-checked"),
    "true",
  );
});

await check("says what its maker said, as text", async () => {
  assert.equal(await page.locator(".report-bar b").textContent(), "One slow load");
  assert.equal(await page.locator(".report-bar p").textContent(), NOTE);
  assert.match(await page.title(), /recipes\.trace/);
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertFine(page);
  });

await check("a file dropped on it changes nothing", async () => {
  const transfer = await page.evaluateHandle(() => {
    const list = new DataTransfer();
    list.items.add(new File(["x"], "other.trace"));
    return list;
  });
  await page.dispatchEvent("#app", "drop", { dataTransfer: transfer });
  await settle(page);
  assert.equal(await page.locator(".bar h1").textContent(), "recipes.trace");
});

await check("asks for nothing", async () => {
  assert.deepEqual(
    asked.filter(
      (address) =>
        address !== whole && !address.startsWith("blob:") && !address.startsWith("data:"),
    ),
    [],
  );
  assert.deepEqual(problems, []);
});

await check("opens with its trace packed by zstd", async () => {
  await page.goto(small);
  await page.locator("[role=treegrid]").waitFor();
  await settle(page);
  assert.match(await page.locator(".facts").textContent(), /5 threads · 401,98\d calls/);
});

await check(
  "downloads in the formats of other tools what the program makes of the same part",
  async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("menuitem", { name: "Download as…" }).click();
    await page.locator(".formats label", { hasText: "folded" }).click();
    assert.ok((await page.locator(".formats label").count()) > 10);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    const part = ["--from=100ms", "--to=300ms", "--clock=wall"];
    const made = execFileSync(BINARY, ["export", EXAMPLE, "--to=folded", ...part, "-o", "-"], {
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.ok((await readFile(await saved.path())).equals(made));
  },
);

// A page by the program, and changed copies of it.
const program = (name, file, ...options) => {
  const out = path.join(folder, name);
  execFileSync(BINARY, ["report", file, "-o", out, ...options], { stdio: "pipe" });
  return out;
};
const good = await readFile(program("good.html", EXAMPLE, "--title", "Good"), "utf8");
async function openChanged(change) {
  const file = path.join(folder, "changed.html");
  const changed = change(good);
  assert.notEqual(changed, good);
  await writeFile(file, changed);
  await page.goto(pathToFileURL(file).href);
}
const beginOf = (text, id) => text.indexOf(">", text.indexOf(`id="${id}"`)) + 1;

await check("a file that was cut short says so, above what is left of its table", async () => {
  for (const [id, into, hasTable] of [
    ["tv-trace", 4096, true],
    ["tv-packed", 4096, true],
    ["tv-report", 10, true],
    ["app", 2000, false],
  ]) {
    await openChanged((text) => text.slice(0, beginOf(text, id) + into));
    const line = page.locator("#app > [role=alert]:first-child");
    await line.waitFor();
    assert.match(
      await line.textContent(),
      /^The viewer in this file does not start\. .*get it again/,
    );
    if (hasTable) assert.ok((await page.locator("table.still tr").count()) > 20, id);
  }
});

await check(
  "a file of which bytes were changed says which part is damaged, and what to do",
  async () => {
    // Another letter in the middle of a block.
    const change = (id) => (text) => {
      const from = beginOf(text, id);
      const at = from + Math.floor((text.indexOf("</script>", from) - from) / 2);
      return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    };
    for (const [id, part] of [
      ["tv-engine", "the engine"],
      ["tv-trace", "the trace"],
    ]) {
      await openChanged(change(id));
      const failed = page.locator(".failed", { hasText: `${part} in this file is damaged` });
      await failed.waitFor();
      assert.match(await failed.textContent(), /recipes\.trace\.zst: .*: get the file again/);
    }
    await openChanged((text) => text.replace('{"title":', '{"title'));
    await page.locator(".failed", { hasText: "get the file again" }).waitFor();
    await openChanged(change("tv-packed"));
    await page.locator("[role=alert]", { hasText: "does not start" }).waitFor();
  },
);

await check("a file without a part of its trace is told of, too", async () => {
  await page.goto(await makeReport("cut.html", packed.slice(0, 4096)));
  await page.locator(".failed, .start-problem, .banner").first().waitFor();
  await page.goto(await makeReport("wrong.html", textOfBytes(Buffer.from("no trace"))));
  await page.locator(".failed", { hasText: "recipes.trace" }).waitFor();
});

await check("its table and its flame graph are seen while the trace is read", async () => {
  const slow = await browser.context.newPage();
  watchProblems(slow, undefined, problems);
  // The worker never comes to an answer.
  await slow.addInitScript(() => {
    globalThis.Worker = class extends globalThis.Worker {
      postMessage() {}
    };
  });
  await slow.goto(pathToFileURL(path.join(folder, "good.html")).href);
  await slow.locator(".reading").waitFor();
  const seen = slow.locator(".still-page");
  await seen.locator("table tbody tr").nth(20).waitFor();
  await seen.locator("svg").waitFor();
  assert.equal(await seen.locator("h1").isVisible(), false);
  for (const theme of ["light", "dark"]) {
    await slow.emulateMedia({ colorScheme: theme });
    await slow.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    if (process.env.SHOTS)
      await slow.screenshot({ path: `${process.env.SHOTS}/still-${theme}.png` });
  }
  await slow.close();
});

// What would run, if any of it became markup or script.
const EVIL = [
  "</script><script>self.evil=1</script>",
  "<!--<script>",
  "\u2028self.evil=1;//",
  "'\"><img src=x onerror=self.evil=1>",
  "]]><svg onload=self.evil=1>",
  "${self.evil=1}",
];

await check("nothing in a name, a title, a note or a mark runs", async () => {
  const methods = EVIL.map((text, ix) => [0x10 + 4 * ix, `evil.${text}`, text, "()V", text, 1]);
  const records = methods.flatMap(([id], ix) => [
    [1, id, 0, 100 * ix, 100 * ix],
    [1, id, 1, 100 * ix + 90, 100 * ix + 90],
  ]);
  const trace = path.join(folder, "evil.trace");
  await writeFile(trace, writeTrace({ threads: [[1, EVIL[3]]], methods, records }));
  const said = EVIL.join("\n");
  const marks = EVIL.map((text) => `--mark=0.1ms-0.2ms=${text}`);
  const file = program(
    "evil.html",
    trace,
    `--title=${EVIL[0]}`,
    `--note=${said}`,
    ...marks,
    `--link=#${said}`,
  );
  const still = await browser.context.browser().newContext({ javaScriptEnabled: false });
  const quiet = await still.newPage();
  for (const one of [page, quiet]) {
    await one.goto(pathToFileURL(file).href);
    if (one === page) {
      await one
        .locator("[data-rank]")
        .nth(EVIL.length - 1)
        .waitFor();
      await settle(one);
      assert.equal(await one.evaluate(() => self.evil), undefined);
      assert.equal(await one.locator(".report-bar b").textContent(), EVIL[0]);
    } else assert.equal(await one.locator("table.still tbody tr").count(), EVIL.length);
    assert.equal(await one.locator("#app img, #app script").count(), 0);
    const shown = await one.locator("#app").textContent();
    for (const text of [EVIL[0], EVIL[1], EVIL[3]]) assert.ok(shown.includes(text), text);
  }
  await still.close();
});

await check("a page that is closed while it loads leaves nothing behind", async () => {
  const closed = await browser.context.newPage();
  await closed.goto(whole, { waitUntil: "commit" });
  await closed.close();
  await page.goto(whole);
  await page.locator("[role=treegrid]").waitFor();
  const kept = await page.evaluate(async () => [
    Object.keys(localStorage),
    (await indexedDB.databases()).map(({ name }) => name),
  ]);
  assert.deepEqual(kept, [[], []]);
});

await check("shows its table where no script runs", async () => {
  const still = await browser.context.browser().newContext({ javaScriptEnabled: false });
  const other = await still.newPage();
  await other.goto(whole);
  assert.equal(await other.locator("#app p").textContent(), "The top table stands here.");
  await still.close();
});
await browser.stop();

await check("a browser that gives no memory is told of, with what to do", async () => {
  const poor = await startBrowser({ args: ["--js-flags=--wasm-max-mem-pages=80"] });
  const other = await poor.context.newPage();
  await other.goto(whole);
  await other.locator(".failed", { hasText: "the browser gives no memory" }).waitFor();
  await poor.stop();
});

await check("opens in Firefox, too", async () => {
  const firefox = await startFirefox();
  try {
    await firefox.goto(small);
    await firefox.waitFor("return document.querySelector('[role=treegrid] [role=row]') !== null");
    for (const [part, text] of [
      [".where", "in 100 – 300 ms"],
      [".facts", "5 threads · 401,98"],
    ])
      await firefox.waitFor(
        `return document.querySelector('${part}')?.textContent.includes('${text}')`,
      );
  } finally {
    await firefox.stop();
  }
});

await rm(folder, { recursive: true, force: true });
finish();
