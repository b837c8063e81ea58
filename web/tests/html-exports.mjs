// Pages that the program writes for a disk: each says itself what it may do, works under that, and runs nothing that gets into
// it besides.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { BINARY, createChecks, EXAMPLE, startBrowser } from "./harness.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-html-"));
const browser = await startBrowser({ isWatched: false });
const page = await browser.context.newPage();
const problems = [];
page.on("pageerror", (problem) => problems.push(problem.message));
page.on("console", (line) => {
  if (line.type() === "error") problems.push(line.text());
});
// What a policy refuses is told as a request, too, which fails by it.
page.on("request", async (request) => {
  if (/^(file|blob|data):/.test(request.url())) return;
  await request.response().catch(() => null);
  if (request.failure()?.errorText !== "csp") problems.push(`asks for ${request.url()}`);
});

const MADE = path.join(path.dirname(EXAMPLE), "made");
const EXPORTS = {
  "export.html": (out) => ["export", "--to", "html", EXAMPLE, "-o", out],
  "dmtracedump.html": () => ["dmtracedump", "-h", EXAMPLE],
  "diff.html": () => ["dmtracedump", "-h", "-d", EXAMPLE, path.join(folder, "part.trace")],
  "report.html": (out) => ["report", path.join(MADE, "v3-dual.trace"), "-o", out],
};

execFileSync(
  BINARY,
  ["export", "--as", "trace", "--to", "400ms", EXAMPLE, "-o", path.join(folder, "part.trace")],
  { stdio: "ignore" },
);

async function make(name) {
  const file = path.join(folder, name);
  const said = execFileSync(BINARY, EXPORTS[name](file), {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (EXPORTS[name].length === 0) await writeFile(file, said);
  return file;
}

await check("every format that is a page is looked at here", () => {
  const { stderr } = spawnSync(BINARY, ["export", EXAMPLE], { encoding: "utf8" });
  const pages = [...stderr.matchAll(/^ +(\w+) .*\(\.html\)$/gm)].map(([, name]) => name);
  assert.deepEqual(pages, ["html"]);
});

// What a name could become if an escape were missing somewhere.
const PLANTED = `<script>window.plantedBy = "script"</script>
<img src="x:" onerror="window.plantedBy = 'handler'">
<a id="planted" href="javascript:window.plantedBy = 'link'">link</a>
<iframe src="https://planted.example/"></iframe>
<link rel="stylesheet" href="https://planted.example/style.css">
<form id="planted-form" action="https://planted.example/"><button>send</button></form>`;

for (const name of Object.keys(EXPORTS)) {
  const file = await make(name);
  const text = await readFile(file, "utf8");
  await check(`${name}: a policy stands before all that could be obeyed`, async () => {
    const policies = text.match(/<meta http-equiv="content-security-policy"[^>]*>/gi) ?? [];
    assert.equal(policies.length >= 1, true);
    const [policy = ""] = policies;
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*'unsafe-(inline|eval|hashes)'/);
    const at = text.indexOf(policy);
    for (const tag of ["<script", "<style", "<link", "<img", "<body", "<title"]) {
      const first = text.indexOf(tag);
      assert.ok(first < 0 || first > at, tag);
    }
  });
  await check(`${name}: it breaks nothing of its own policy`, async () => {
    problems.length = 0;
    await page.goto(pathToFileURL(file).href);
    await page.waitForTimeout(500);
    assert.ok((await page.evaluate(() => document.body.textContent.length)) > 100);
    assert.deepEqual(problems, []);
  });
  await check(`${name}: what gets into it besides is not obeyed`, async () => {
    const planted = path.join(folder, `planted-${name}`);
    await writeFile(
      planted,
      text.replace(/<body[^>]*>/, (body) => `${body}\n${PLANTED}\n`),
    );
    problems.length = 0;
    await page.goto(pathToFileURL(planted).href);
    await page.evaluate(() => document.getElementById("planted")?.click());
    await page.evaluate(() => document.querySelector("#planted-form button")?.click());
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.plantedBy ?? null), null);
    assert.equal(page.url(), pathToFileURL(planted).href);
    assert.ok(
      problems.some((line) => line.includes("Content Security Policy")),
      "nothing was refused",
    );
    assert.deepEqual(
      problems.filter((line) => line.startsWith("asks for")),
      [],
    );
  });
}

await check(
  "a comparison is sorted by the column that is pressed, small shares among the numbers",
  async () => {
    await page.goto(pathToFileURL(path.join(folder, "diff.html")).href);
    const heading = page.locator("table").first().locator("th button").first();
    await heading.click();
    const numbers = await page
      .locator("table")
      .first()
      .locator("tbody tr td:first-child")
      .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent.replaceAll(",", ""))));
    assert.ok(numbers.length > 2);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => b - a),
    );
  },
);

await page.close();
await browser.stop();
await rm(folder, { recursive: true });
finish();
