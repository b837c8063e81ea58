// The static site: works without a network, speaks to no one but its host, takes traces from addresses and from other
// windows, and says what it cannot do. Everything else it does as the viewer does: all.mjs --engine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import {
  assertAccessible,
  assertColours,
  createChecks,
  EXAMPLE,
  keptNames,
  settle,
  SITE,
  startBrowser,
  until,
  watchProblems,
  whenKept,
} from "./harness.mjs";
import { traceOf } from "./odd-traces.mjs";
import { startStaticHost } from "./static-host.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const DUMP = path.resolve(here, "../../tests/data/made/low-overhead-f6.trace");

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-static-"));
const small = path.join(folder, "small.trace");
await writeFile(small, traceOf(3));
const host = await startStaticHost(SITE, { files: { "traces/small.trace": small } });
const browser = await startBrowser();
const problems = [];

// What the checks bring about: an error in the engine, and what the browser tells of an address that the policy refuses, that
// is not there, or that cannot be asked without a network.
const BROUGHT_ABOUT = /^boom|content security policy|none\.trace|ERR_INTERNET_DISCONNECTED/i;
const broughtAbout = [];

async function newPage() {
  const page = await browser.context.newPage();
  const isBroughtAbout = (text) => BROUGHT_ABOUT.test(text) && broughtAbout.push(text) > 0;
  watchProblems(page, isBroughtAbout, problems);
  return page;
}

const rows = (page) => page.locator("[data-rank]").first().waitFor();
const title = (page) => page.locator(".bar h1").textContent();
const start = (page) => page.getByRole("heading", { name: "Open a method trace" }).waitFor();

async function drop(page, transfer) {
  await page.dispatchEvent("#app", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("#app", "drop", { dataTransfer: transfer });
}

const smallFile = (page, name, bytes = traceOf(3)) =>
  page.evaluateHandle(
    ([fileName, data]) => {
      const list = new DataTransfer();
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      list.items.add(new File([bytes], fileName));
      return list;
    },
    [name, bytes.toString("base64")],
  );

// A file of `times` times 64 MiB, which the browser holds once.
const largeFile = (page, name, times) =>
  page.evaluateHandle(
    ([fileName, count]) => {
      const list = new DataTransfer();
      const piece = new Blob([new Uint8Array(64 << 20)]);
      list.items.add(new File(Array(count).fill(piece), fileName));
      return list;
    },
    [name, times],
  );

const page = await newPage();

await check("opens with the example and says that nothing is uploaded", async () => {
  await page.goto(host.url);
  await start(page);
  const promise = await page.locator(".start-promise").textContent();
  assert.match(promise, /^Nothing is uploaded\./);
  assert.ok(promise.includes(host.origin), promise);
  assert.equal(await page.locator(".start code", { hasText: "traceview app.trace" }).count(), 0);
});

for (const [theme, assertFine] of [
  ["light", assertAccessible],
  ["dark", assertColours],
])
  await check(`axe-core finds nothing on the start page in ${theme}`, async () => {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await assertFine(page);
  });

await check("the policy stands in the page and lets it ask its own host alone", async () => {
  const policy = await page
    .locator("meta[http-equiv=content-security-policy]")
    .getAttribute("content");
  assert.match(policy, /^default-src 'none'; /);
  assert.match(policy, /; connect-src 'self'; /);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
  const refused = await page.evaluate(() =>
    fetch("http://127.0.0.1:9/").then(
      () => "asked",
      () => "refused",
    ),
  );
  assert.equal(refused, "refused");
  await until(() => broughtAbout.some((text) => /content security policy/i.test(text)));
});

await check("settings are kept by the browser", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("button", { name: "View" }).click();
  await page.getByText("Dark", { exact: true }).click();
  await page.waitForFunction(() =>
    (localStorage["traceview:page:settings"] ?? "").includes("dark"),
  );
  await page.reload();
  await start(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.evaluate(() => localStorage.clear());
});

await check("a trace over the limit is refused before it is read, with what to do", async () => {
  await drop(page, await largeFile(page, "large.trace", 25));
  const problem = page.locator(".start-problem");
  await problem.waitFor();
  assert.match(await problem.textContent(), /large\.trace: .*1536 MiB/);
  assert.match(await problem.textContent(), /traceview/);
  await start(page);
});

await check(
  "the network cut off, it opens again, and the example, and a dropped file",
  async () => {
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      while ((await caches.keys()).length === 0) await new Promise((next) => setTimeout(next, 50));
    });
    await browser.context.setOffline(true);
    await page.goto("about:blank");
    await page.goto(host.url);
    await start(page);
    await page.locator(".start-example").click();
    await rows(page);
    assert.match(await page.locator(".facts").textContent(), /5 threads · 401,98\d calls/);
    await drop(page, await smallFile(page, "mine.trace"));
    await page.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
    assert.equal(await title(page), "mine.trace");
    await browser.context.setOffline(false);
  },
);

// A file of the disk, as a hand drops it: of such a one the browser gives a handle.
async function dropFromDisk(other, file) {
  const session = await browser.context.newCDPSession(other);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await session.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  await session.detach();
}

// How many files the page has kept for its list.
async function keptCount() {
  const names = (await indexedDB.databases()).map(({ name }) => name);
  if (!names.includes("traceview")) return 0;
  return new Promise((done) => {
    const opening = indexedDB.open("traceview");
    opening.onsuccess = () => {
      const counting = opening.result.transaction("files").objectStore("files").count();
      counting.onsuccess = () => done(counting.result);
      opening.result.close();
    };
  });
}

await check(
  "a dropped file is a recent one from then on, and is read as it is by then",
  async () => {
    const mine = path.join(folder, "mine again.trace");
    await writeFile(mine, traceOf(3));
    const other = await newPage();
    await other.goto(host.url);
    await start(other);
    await dropFromDisk(other, mine);
    await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
    await other.waitForFunction(keptCount);
    await writeFile(mine, traceOf(5, 4000));
    await other.goto("about:blank");
    await other.goto(host.url);
    const entry = other.locator(".start-recent li", { hasText: "mine again.trace" });
    await entry.waitFor();
    await entry.locator("button").first().click();
    await other.locator(".facts", { hasText: "2,000 calls" }).waitFor();
    assert.equal(await title(other), "mine again.trace");
    await other.close();
  },
);

const isDecoder = (address) => /\/zstd-[0-9a-f]+\.wasm$/.test(address);

await check("zstd is unpacked by libzstd, which is fetched for it and not before", async () => {
  const other = await newPage();
  const asked = [];
  other.on("request", (request) => asked.push(request.url()));
  browser.context.on("request", (request) => asked.push(request.url()));
  await other.goto(host.url);
  await start(other);
  await drop(other, await smallFile(other, "plain.trace"));
  await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
  assert.equal(asked.filter(isDecoder).length, 0);
  const packed = execFileSync("zstd", ["-q", "-c"], { input: traceOf(3) });
  await drop(other, await smallFile(other, "packed.trace.zst", packed));
  await other.locator(".bar h1", { hasText: "packed.trace.zst" }).waitFor();
  await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
  await until(() => asked.some(isDecoder));
  await other.close();
});

await check(
  "a dump is read by the engine that is fetched for it, which says of a picture what it is",
  async () => {
    const other = await newPage();
    const isWhole = (address) => /\/engine-exports-[0-9a-f]+\.wasm$/.test(address);
    const asked = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(host.url);
    await start(other);
    await drop(other, await smallFile(other, "plain.trace"));
    await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
    assert.equal(asked.filter(isWhole).length, 0);
    await drop(other, await smallFile(other, "dump.trace", await readFile(DUMP)));
    await other.locator(".bar h1", { hasText: "dump.trace" }).waitFor();
    await other.locator(".facts", { hasText: "2 threads · 6 calls" }).waitFor();
    assert.equal(asked.filter(isWhole).length, 1);
    const picture = Buffer.from("\x89PNG\r\n\x1a\n, and so on", "latin1");
    await drop(other, await smallFile(other, "a.png", picture));
    await other.getByText("a PNG picture, not a trace").first().waitFor();
    assert.equal(await title(other), "dump.trace");
    await other.close();
  },
);

await check("without the decoder zstd is unpacked all the same", async () => {
  const other = await newPage();
  await other.route(isDecoder, (route) => route.abort());
  await other.goto(host.url);
  const packed = execFileSync("zstd", ["-q", "-c"], { input: traceOf(3) });
  await start(other);
  await drop(other, await smallFile(other, "slow.trace.zst", packed));
  await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
  await other.close();
});

await check(
  "a reload shows the trace again, as it was seen, and another tab does not",
  async () => {
    const other = await newPage();
    await other.goto(host.url);
    await start(other);
    await drop(other, await smallFile(other, "kept.trace"));
    await rows(other);
    await whenKept(other, "kept.trace");
    await other.keyboard.press("2");
    await settle(other);
    const seen = new URL(other.url()).hash;
    await other.reload();
    await other.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
    assert.equal(await title(other), "kept.trace");
    assert.equal(new URL(other.url()).hash, seen);
    const third = await newPage();
    await third.goto(host.url);
    await start(third);
    const entry = third.locator(".start-recent li", { hasText: "kept.trace" });
    assert.match(await entry.textContent(), /kept in this browser/);
    assert.match(await third.locator(".start-promise").textContent(), /512 MiB.*Forget/);
    await assertAccessible(third);
    await entry.locator("button").first().click();
    await third.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
    await third.close();
    await other.close();
  },
);

// The tests' windows are private ones, which keep of a chosen file where it lies.
await check("a reload shows a file of the disk again that has changed meanwhile", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-kept-"));
  const file = path.join(folder, "chosen.trace");
  const other = await newPage();
  try {
    await copyFile(DUMP, file);
    await other.goto(host.url);
    await start(other);
    await other.setInputFiles("#file-input", file);
    await rows(other);
    await whenKept(other, "chosen.trace");
    const facts = await other.locator(".facts").textContent();
    await writeFile(file, "no longer");
    await other.reload();
    await rows(other);
    assert.equal(await title(other), "chosen.trace");
    assert.equal(await other.locator(".facts").textContent(), facts);
  } finally {
    await other.close();
    await rm(folder, { recursive: true });
  }
});

await check("what is forgotten is gone, and a reload begins anew", async () => {
  const other = await newPage();
  await other.goto(host.url);
  await start(other);
  await drop(other, await smallFile(other, "gone.trace"));
  await rows(other);
  await whenKept(other, "gone.trace");
  const third = await newPage();
  await third.goto(host.url);
  await third.getByRole("button", { name: "Forget gone.trace" }).click();
  await third.locator(".start-recent li", { hasText: "gone.trace" }).waitFor({ state: "detached" });
  assert.ok(!(await keptNames(third)).includes("gone.trace"));
  await third.close();
  await other.reload();
  await start(other);
  await other.close();
});

await check("the trace that was opened last is the one that a reload shows", async () => {
  const other = await newPage();
  await other.goto(host.url);
  await start(other);
  await drop(other, await smallFile(other, "before.trace"));
  await rows(other);
  await whenKept(other, "before.trace");
  await drop(other, await smallFile(other, "after.trace"));
  await other.locator(".bar h1", { hasText: "after.trace" }).waitFor();
  await whenKept(other, "after.trace");
  await other.reload();
  await other.locator(".bar h1", { hasText: "after.trace" }).waitFor();
  await other.close();
});

await check("a gzip file of several members is unpacked to its end", async () => {
  const bytes = traceOf(3);
  const members = [bytes.subarray(0, 500), bytes.subarray(500, 501), bytes.subarray(501)];
  const packed = Buffer.concat(members.map((member) => gzipSync(member)));
  await drop(page, await smallFile(page, "members.trace.gz", packed));
  await page.locator(".bar h1", { hasText: "members.trace.gz" }).waitFor();
  await page.locator(".facts", { hasText: "1 thread · 1,000 calls" }).waitFor();
});

await check("an expression without end is ended, and the trace is still there", async () => {
  await page.goto("about:blank");
  await page.goto(host.url);
  await page.locator(".start-example").click();
  await rows(page);
  await page.locator("#search").fill("/^(([a-zA-Z.$]+)+)+!$/");
  await page.locator('.found.bad[title*="takes too long"]').waitFor();
  await page.locator("#search").fill("nativeFinished");
  await page.locator(".found", { hasText: "1" }).waitFor();
  assert.equal(await title(page), "recipes.trace.zst");
});

await check("after a breakdown of the engine the page goes on", async () => {
  const worker = page.workers().at(-1);
  await worker.evaluate(() => setTimeout(() => Promise.reject(new Error("boom")), 0));
  await worker
    .evaluate(() =>
      setTimeout(() => {
        throw new Error("boom");
      }, 0),
    )
    .catch(() => undefined);
  await page.keyboard.press("3");
  await settle(page);
  await page.keyboard.press("1");
  await rows(page);
});

await check(
  "an address of its own host is opened with its progress, and one that is not there says so",
  async () => {
    await page.goto(`${host.url}?url=traces/small.trace#tab=tree`);
    await page.locator("[role=treegrid]").waitFor();
    assert.equal(await title(page), "small.trace");
    await page.goto(`${host.url}?url=traces/none.trace`);
    await page.locator(".start-problem, .failed", { hasText: "none.trace answered 404" }).waitFor();
  },
);

await check(
  "another host needs to be named when the site is made, and to permit other pages",
  async () => {
    const far = await startStaticHost(folder, { headers: { "access-control-allow-origin": "*" } });
    const address = `${far.origin}/small.trace`;
    await page.goto(`${host.url}?url=${encodeURIComponent(address)}`);
    await page.locator(".failed, .start-problem", { hasText: "content policy" }).waitFor();
    const made = path.join(folder, "made");
    const names = (await readdir(SITE)).filter((name) => name.endsWith(".wasm"));
    const engines = [/^engine-[^-]+$/, /^engine-exports-/].map((name) =>
      path.join(SITE, names.find((one) => name.test(one)) ?? ""),
    );
    const tool = path.join(here, "../tools/site.mjs");
    execFileSync(process.execPath, [tool, made, ...engines, EXAMPLE, far.origin]);
    const own = await startStaticHost(made);
    await page.goto(`${own.url}?url=${encodeURIComponent(address)}`);
    await page.locator(".facts", { hasText: "1,000 calls" }).waitFor();
    assert.equal(await title(page), "small.trace");
    await page.close();
    await own.stop();
    await far.stop();
  },
);

await check("a trace from the window that opened it is shown when the user says so", async () => {
  const other = await startStaticHost(folder, { files: { "": "/dev/null" } });
  const opener = await browser.context.newPage();
  await opener.goto(other.url);
  const [viewer] = await Promise.all([
    browser.context.waitForEvent("page"),
    opener.evaluate(
      ([address, data]) => {
        const viewed = open(address);
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        const timer = setInterval(() => viewed.postMessage("PING", address), 50);
        addEventListener("message", (event) => {
          if (event.data !== "PONG") return;
          clearInterval(timer);
          const traceview = { buffer: bytes.buffer, fileName: "handed.trace" };
          viewed.postMessage({ traceview }, event.origin);
        });
      },
      [host.url, traceOf(3).toString("base64")],
    ),
  ]);
  const offer = viewer.locator(".offer");
  await offer.waitFor();
  assert.match(
    await offer.textContent(),
    new RegExp(`^${other.origin} hands over .*handed\\.trace`),
  );
  await assertAccessible(viewer);
  await offer.getByRole("button", { name: "Open it" }).click();
  await rows(viewer);
  assert.equal(await title(viewer), "handed.trace");
  await viewer.close();
  await opener.close();
  await other.stop();
});

await check("a file is read again; one that has changed is to be chosen again", async () => {
  const alone = await newPage();
  const file = path.join(folder, "again.trace");
  await writeFile(file, traceOf(3));
  await alone.goto(host.url);
  await start(alone);
  await alone.setInputFiles("#file-input", file);
  await rows(alone);
  const readAgain = async () => {
    await settle(alone);
    await alone.getByRole("button", { name: "View", exact: true }).click();
    await alone.getByRole("menuitem", { name: "Read the file again" }).click();
    await settle(alone);
  };
  await readAgain();
  await rows(alone);
  assert.equal(await alone.locator(".notices [role=alert]").count(), 0);
  await writeFile(file, traceOf(4, 100));
  await readAgain();
  await alone
    .getByText(/again\.trace: .*choose it again/)
    .first()
    .waitFor();
  await rows(alone);
  await alone.close();
});

await check("a window that has nothing to do with it hands over nothing", async () => {
  const alone = await newPage();
  await alone.goto(host.url);
  await start(alone);
  await alone.evaluate(() => postMessage({ traceview: { buffer: new ArrayBuffer(8) } }, "*"));
  await settle(alone);
  assert.equal(await alone.locator(".offer").count(), 0);
  await alone.close();
});

await check("no page asked for anything but the site's files", async () => {
  const others = host.asked.filter(
    (name) =>
      !/^(traces\/(small|none)\.trace|favicon\.ico|sw\.js|(engine|engine-exports|zstd)-\w+\.wasm|report-\w+\.html|recipes-\w+\.trace\.zst|)$/.test(
        name,
      ),
  );
  assert.deepEqual(others, []);
});

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await host.stop();
await rm(folder, { recursive: true, force: true });
finish();
