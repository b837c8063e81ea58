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

// Fewer bytes in a block than the program has there, so that there are several.
const BLOCK_LEN = 100_000;

function blocksOf(bytes) {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += BLOCK_LEN)
    blocks.push(textOfBytes(bytes.subarray(at, at + BLOCK_LEN)));
  return blocks;
}

// The template with its marks filled, as docs/report.md has it. `said` is said about the trace besides; `decoder` is libzstd's, by gzip.
async function makeReport(name, trace, said = {}, decoder = null) {
  const template = gunzipSync(await readFile(path.join(built, "web/report.html.gz"))).toString();
  const engine = gzipSync(await readFile(path.join(built, "src/engine/engine-exports.wasm")));
  const about = { title: "One slow load", note: NOTE, link: LINK, name: "recipes.trace", ...said };
  const block = (id, type, text) => `<script type="${type}" id="${id}">${text}</script>`;
  const data = [
    block("tv-report", "application/json", JSON.stringify(about).replaceAll("<", "\\u003c")),
    block("tv-engine", "text/plain", textOfBytes(engine)),
    decoder === null ? "" : block("tv-zstd", "text/plain", textOfBytes(decoder)),
    `<div id="tv-trace" hidden>`,
    ...blocksOf(trace).map((text) => `<script type="text/plain">${text}</script>\n`),
    "</div>",
  ].join("");
  const fill = (text, mark, by) => text.split(`<!--tv:${mark}-->`).join(by);
  const titled = fill(template, "title", about.title);
  const still = fill(titled, "still", "<p>The top table stands here.</p>");
  const file = path.join(folder, name);
  await writeFile(file, fill(still, "data", data));
  return pathToFileURL(file).href;
}

const plain = execFileSync("zstd", ["-dc", EXAMPLE], { maxBuffer: 1 << 28 });
const packed = gzipSync(plain);
const lengths = { packed: packed.length, unpacked: plain.length };
const whole = await makeReport("whole.html", packed, lengths);
const small = await makeReport("small.html", await readFile(EXAMPLE));
// As of a long trace.
const zstd = execFileSync("zstd", ["-q", "-c", "--check"], { input: plain, maxBuffer: 1 << 28 });
const zstdLengths = { packed: zstd.length, unpacked: plain.length };
const decoder = await readFile(path.join(built, "web/zstd.wasm.gz"));
const long = await makeReport("long.html", zstd, zstdLengths, decoder);
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

await check("of a part it says what of the trace it has", async () => {
  await page.goto(await makeReport("part.html", packed, { ...lengths, part: "without <i>java." }));
  await page.locator("[role=treegrid]").waitFor();
  const said = page.locator(".report-bar p");
  assert.equal(await said.textContent(), `A part of the trace: without <i>java.\n${NOTE}`);
});

await check("two calls stand beside each other in it, too, and a link keeps them", async () => {
  const tab = await browser.context.newPage();
  const isThere = async () => {
    await tab.locator("[data-table=pair] .table-rows .tr").nth(5).waitFor();
    await settle(tab);
    assert.match(await tab.locator(".changes-head").innerText(), /103 times 1\.96 ms/);
    for (const side of ["this", "other"]) {
      const canvas = tab.locator(`[data-pair=${side}] canvas`);
      assert.ok(Number(await canvas.getAttribute("data-boxes")) > 3, side);
    }
  };
  await tab.goto(`${small}#tab=insights&clock=wall`);
  const line = tab.locator(".insights li", { hasText: "nativeFinished were slow" });
  await line.getByRole("button", { name: "Compare" }).click();
  await isThere();
  const link = tab.url();
  await tab.goto("about:blank");
  await tab.goto(link);
  await isThere();
  await tab.close();
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
async function openChanged(change, of = good) {
  const file = path.join(folder, "changed.html");
  const changed = change(of);
  assert.notEqual(changed, of);
  await page.goto("about:blank");
  await writeFile(file, changed);
  await page.goto(pathToFileURL(file).href);
}
const beginOf = (text, id) => text.indexOf(">", text.indexOf(`id="${id}"`)) + 1;
// Its trace is unpacked while it comes.
const coming = await readFile(path.join(folder, "whole.html"), "utf8");

await check("a file that was cut short says so, above what is left of its table", async () => {
  for (const [id, into, hasTable] of [
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
  const CUT = /this file is cut short or damaged: get it again/;
  for (const into of [0, 60, 4096]) {
    await openChanged((text) => text.slice(0, beginOf(text, "tv-trace") + into));
    await page.locator(".failed", { hasText: CUT }).waitFor();
    assert.ok((await page.locator("table.still tr").count()) > 20);
  }
  await openChanged((text) => text.slice(0, Math.floor(text.length * 0.7)), coming);
  await page.locator(".failed", { hasText: CUT }).waitFor();
});

// Another letter in the middle of a block.
const changeIn = (text, from) => {
  const at = from + Math.floor((text.indexOf("</script>", from) - from) / 2);
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
};
const change = (id) => (text) => changeIn(text, beginOf(text, id));

await check(
  "a file of which bytes were changed says which part is damaged, and what to do",
  async () => {
    for (const [id, part] of [
      ["tv-engine", "the engine"],
      ["tv-trace", "the trace"],
    ]) {
      const inTrace = (text) => changeIn(text, text.indexOf('plain">', beginOf(text, id)) + 7);
      await openChanged(id === "tv-trace" ? inTrace : change(id));
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

await check("so does one whose trace is unpacked while it comes", async () => {
  const beginOfRow = beginOf(coming, "tv-trace");
  const blockAt = (ix) => {
    let at = beginOfRow;
    for (let left = ix; left >= 0; left--) at = coming.indexOf('plain">', at) + 7;
    return at;
  };
  const endOfRow = coming.indexOf("</script>\n</div>", beginOfRow);
  const second = coming.slice(blockAt(1), coming.indexOf("</script>", blockAt(1)));
  for (const damaged of [
    (text) => changeIn(text, blockAt(0)),
    (text) => changeIn(text, blockAt(3)),
    // A block of another length, one less, one twice.
    (text) => text.slice(0, blockAt(2)) + text.slice(blockAt(2) + 1),
    (text) => text.replace(second, ""),
    (text) => text.replace(second, () => second + second),
    // The length and the sum that gzip ends with.
    (text) => text.slice(0, endOfRow - 2) + "~~" + text.slice(endOfRow),
    (text) => text.slice(0, endOfRow - 7) + "##" + text.slice(endOfRow - 5),
    (text) => text.slice(0, endOfRow) + "abcd" + text.slice(endOfRow),
    (text) => text.replace('id="tv-trace"', 'id="tw-trace"'),
  ]) {
    await openChanged(damaged, coming);
    await page.locator(".failed", { hasText: "the trace in this file is damaged" }).waitFor();
  }
});

await check("one by zstd that has its decoder is unpacked while it comes, too", async () => {
  await page.goto(long);
  await page.locator(".facts", { hasText: /5 threads · 401,98\d calls/ }).waitFor();
  const text = await readFile(path.join(folder, "long.html"), "utf8");
  const endOfRow = text.indexOf("</script>\n</div>", beginOf(text, "tv-trace"));
  for (const [damaged, part] of [
    [(whole) => changeIn(whole, whole.indexOf('plain">', beginOf(whole, "tv-trace")) + 7), ""],
    [(whole) => whole.slice(0, endOfRow - 4) + "##" + whole.slice(endOfRow - 2), ""],
    [(whole) => whole.slice(0, endOfRow) + "abcd" + whole.slice(endOfRow), ""],
    [change("tv-zstd"), "what unpacks "],
    [(whole) => whole.replace('id="tv-zstd"', 'id="tw-zstd"'), "what unpacks "],
  ]) {
    await openChanged(damaged, text);
    await page
      .locator(".failed", { hasText: `${part}the trace in this file is damaged` })
      .waitFor();
  }
});

await check("what is said of the trace's length is not believed", async () => {
  for (const said of ["1", "4e9", "1e300", "-1", "5000000.5", '"x"', "null"]) {
    await openChanged((text) => text.replace(/"unpacked":\d+/, `"unpacked":${said}`), coming);
    await page.locator("[role=treegrid]").waitFor();
    await page.locator(".facts", { hasText: /5 threads · 401,98\d calls/ }).waitFor();
  }
});

await check("a file without a part of its trace is told of, too", async () => {
  await page.goto(await makeReport("cut.html", packed.slice(0, 4096)));
  await page.locator(".failed, .start-problem, .banner").first().waitFor();
  await page.goto(await makeReport("wrong.html", Buffer.from("no trace")));
  await page.locator(".failed", { hasText: "recipes.trace" }).waitFor();
});

await check("its table and its flame graph are seen while the trace is read", async () => {
  const slow = await browser.context.newPage();
  watchProblems(slow, undefined, problems);
  // The worker tells how far it is, and never comes to an answer.
  await slow.addInitScript(() => {
    globalThis.Worker = class extends globalThis.Worker {
      postMessage({ kind }) {
        const data = { kind: "progress", done: 3e6, of: 9e6, step: "unpacking" };
        if (kind === "open") setTimeout(() => this.onmessage({ data }));
      }
    };
  });
  await slow.goto(pathToFileURL(path.join(folder, "good.html")).href);
  await slow.locator(".reading", { hasText: "2.9 MiB of 8.6 MiB" }).waitFor();
  // There is no other trace that it could show.
  assert.equal(await slow.getByRole("button", { name: "Cancel" }).count(), 0);
  const seen = slow.locator(".still-page");
  await seen.locator("table tbody tr").nth(20).waitFor();
  await seen.locator("svg").waitFor();
  assert.equal(await seen.locator("h1").isVisible(), false);
  for (const theme of ["light", "dark"]) {
    await slow.emulateMedia({ colorScheme: theme });
    await slow.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await (theme === "light" ? assertAccessible : assertColours)(slow);
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
    `--link=#search=${encodeURIComponent(said)}`,
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
  const failed = other.locator(".failed", { hasText: "the browser gives no memory" });
  await failed.waitFor();
  // Tried again, the page is read anew.
  await other.evaluate(() => (self.isOfBefore = true));
  await other.getByRole("button", { name: "Try again" }).click();
  await other.waitForFunction(() => self.isOfBefore === undefined);
  await failed.waitFor();
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
