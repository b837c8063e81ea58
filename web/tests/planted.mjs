// Somebody who has not seen the page finds what a new build changed, in at most three steps and 30 seconds: one method is called more
// often in it, another takes longer. Three programs, recorded in two builds each (scripts/record_two_builds): one of ours, and two of
// others. SHOTS=FOLDER keeps pictures in five sizes and both themes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  assertAccessible,
  assertColours,
  BINARY,
  createChecks,
  settle,
  isAskedAgain,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";

const { check, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-planted-"));
const script = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  "../../scripts/record_two_builds",
);
execFileSync(script, [folder], { stdio: "inherit", env: { ...process.env, TRACEVIEW: BINARY } });
const planted = JSON.parse(await readFile(path.join(folder, "planted.json"), "utf8"));
const browser = await startBrowser();
const problems = [];
const SIZES = [
  [1920, 1080],
  [1280, 800],
  [1024, 768],
  [768, 1024],
  [390, 844],
];
const MOST_MS = 30_000;

// Counts the steps, and the time from the opened page on.
function createWalk() {
  const begun = performance.now();
  let steps = 0;
  return {
    step: async (action) => {
      steps += 1;
      await action();
    },
    end: (what) => {
      const ms = performance.now() - begun;
      assert.ok(steps <= 3, `${steps} steps`);
      assert.ok(ms < MOST_MS, `${Math.round(ms)} ms`);
      console.log(`# ${what}: ${steps} steps, ${Math.round(ms)} ms`);
    },
  };
}

const isSeen = (line) =>
  line.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

for (const [name, { calls, time }] of Object.entries(planted)) {
  const [old, opened] = ["old", "new"].map((side) => path.join(folder, `${name}-${side}.trace`));
  const diff = JSON.parse(
    execFileSync(BINARY, ["diff", "--json", "-n", "0", old, opened], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    }),
  );
  const methodOf = (list, part) => list.find(({ method }) => method.includes(`${part} `));
  const viewer = await startViewer(opened, [old]);
  const page = await browser.context.newPage();
  watchProblems(page, isAskedAgain, problems);
  await page.setViewportSize({ width: 1280, height: 800 });
  const told = page.getByRole("list", { name: "What changed" });
  const linked = (part) =>
    page.waitForFunction(
      (wanted) => decodeURIComponent(location.hash.replaceAll("+", " ")).includes(wanted),
      part,
    );
  const lineOf = (method) =>
    told
      .getByRole("button")
      .filter({ has: page.locator(`code[title="${method}"]`) })
      .first();
  const open = async () => {
    await page.goto("about:blank");
    const walk = createWalk();
    await walk.step(() => page.goto(viewer.url));
    await told.waitFor();
    return walk;
  };

  // A step is to open both, to press a line, to open a tab: the first line that names the method is what is looked for.
  await check(
    `${name}: the method that is called more often is found, and from where`,
    async () => {
      const walk = await open();
      const { method, old: before, new: now } = methodOf(diff.calls, calls);
      const own = lineOf(method);
      const text = await own.innerText();
      assert.match(text, /^calls/);
      assert.ok(
        text.includes(`is called ${now.calls[0]} times, ${before.calls[0]} times before`),
        text,
      );
      await walk.step(() => own.click());
      await walk.step(() => page.getByRole("tab", { name: "Callers" }).click());
      await page.getByRole("treegrid", { name: "Callers" }).waitFor();
      await page
        .locator("[role=treegrid] [role=row]", { hasText: /calls \+/ })
        .first()
        .waitFor();
      await linked(`method=${method}`);
      walk.end(`${name}, calls`);
    },
  );

  await check(`${name}: the method that takes longer is found, with all of its calls`, async () => {
    const walk = await open();
    const { method, old: before, new: now } = methodOf(diff.times, time);
    assert.deepEqual(before.calls, now.calls);
    const own = lineOf(method);
    const text = await own.innerText();
    assert.match(text, /^cost\s+\+/);
    assert.match(text, /took .* in code of its own, .* before \(.* [\d.]+ .s\)/);
    await walk.step(() => own.click());
    await walk.step(() => page.getByRole("tab", { name: "Calls" }).click());
    await page.locator(".histogram, [data-table=calls]").first().waitFor();
    await linked(`method=${method}`);
    walk.end(`${name}, time`);
  });

  await check(`${name}: the first line of both is seen without scrolling`, async () => {
    await open();
    for (const kind of ["calls", "cost"]) {
      const line = told
        .getByRole("button")
        .filter({ hasText: new RegExp(`^${kind}`) })
        .first();
      if (kind === "calls") assert.ok(await isSeen(line), kind);
      else await line.scrollIntoViewIfNeeded();
    }
  });

  await check(`${name}: no size loses what changed, and axe-core finds nothing`, async () => {
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        await open();
        await settle(page);
        const first = told.getByRole("button").first();
        await first.scrollIntoViewIfNeeded();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} of ${width} pixels`);
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/${name}-${theme}-${width}.png` });
      }
      await (theme === "light" ? assertAccessible : assertColours)(page);
    }
  });
  await page.close();
  await viewer.stop();
}

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await rm(folder, { recursive: true, force: true });
finish();
