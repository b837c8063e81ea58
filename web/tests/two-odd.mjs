// Two traces that hardly compare, in a real browser: nothing in common, one file twice, samples, other clocks, other threads, many
// threads, an overflow; a side that goes or changes while it is open. Each is told in a true sentence, and the page stays usable.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  assertAccessible,
  createChecks,
  followLink,
  isAskedAgain,
  settle,
  startBrowser,
  startViewer,
  watchProblems,
} from "./harness.mjs";
import { burst, ODD_TRACES, writeTrace } from "./odd-traces.mjs";

const { checkProgram, finish } = createChecks();
const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-two-odd-"));
const MAIN = [[1, "main"]];
const BASE = writeTrace({ threads: MAIN, records: burst(1, 0, 40) });
const pool = (calls) => {
  const threads = Array.from({ length: 66 }, (_, ix) => [ix + 1, `pool-7-thread-${ix + 1}`]);
  return writeTrace({ threads, records: threads.flatMap(([id]) => burst(id, id * 50, calls)) });
};
const METHODS = [
  [0x10, "org.other.Main", "go", "()V", "Main.java", 10],
  [0x14, "org.other.Disk", "read", "(I)V", "Disk.java", 20],
];
const OLD = {
  "nothing-in-common": writeTrace({ threads: MAIN, methods: METHODS, records: burst(1, 0, 20) }),
  "same-file": BASE,
  sampled: ODD_TRACES.sampled(),
  "wall-only": ODD_TRACES["wall-only"](),
  "thread-cpu": ODD_TRACES["thread-cpu"](),
  "other-thread": writeTrace({ threads: [[7, "worker"]], records: burst(7, 0, 40) }),
  "many-threads": pool(3),
  overflowed: writeTrace({ isOverflowed: true, threads: MAIN, records: burst(1, 0, 30) }),
  "more-threads": pool(5),
  // Looked at so that others are closed.
  "one-more": BASE,
  "two-more": BASE,
};
const NAMES = Object.keys(OLD);
const fileOf = (name) => path.join(folder, `${name}.trace`);
for (const [name, bytes] of Object.entries(OLD)) await writeFile(fileOf(name), bytes);
await writeFile(fileOf("new"), BASE);
const numberOf = (name) => NAMES.indexOf(name) + 2;

const viewer = await startViewer(fileOf("new"), ["--old", ...NAMES.map(fileOf), "--new"]);
const browser = await startBrowser();
const page = await browser.context.newPage();
const problems = watchProblems(page, (text) => isAskedAgain(text) || /\b(40[04]|500)\b/.test(text));
const base = viewer.url.replace(/#.*/, "");

async function open(name, fragment = "tab=changes", own = "") {
  const link = `${fragment}&against=${numberOf(name)}`;
  await followLink(page, { url: `${base}${own}` }, link, "[role=tab]");
  await page.getByRole("tab", { name: "Changes" }).waitFor();
}

const textOf = async (selector) => {
  await page.locator(selector).first().waitFor();
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, " ");
};
const shoot = async (name) => {
  const to = process.env.SCREENSHOTS;
  if (to !== undefined) await page.screenshot({ path: path.join(to, `${name}.png`) });
};

// What Changes, the Profile's line and the flame graph of the change say of each.
const TOLD = {
  "nothing-in-common": [/have no method in common\./, /Main\.run is new: called once/],
  "same-file": [/Both sides are the same file\./, /No count of calls changed, and no time/],
  sampled: [
    /120 runs, .*41 calls, .*Calls are not compared: a trace looks sampled/,
    /time −36\.6 ms .*one sample each/,
  ],
  "wall-only": [/of wall time Calls|of wall time\. Calls of 0 methods changed/],
  "thread-cpu": [/62 calls, .*Calls of 2 methods changed/],
  "other-thread": [/2 names of threads have other calls \(1 new, 1 gone\)/, /worker is gone/],
  "many-threads": [/264 calls, .*called once, 66 times before/],
  overflowed: [/Calls are not compared: a trace has lost data \(overflow\)/],
};

for (const [name, sentences] of Object.entries(TOLD))
  await checkProgram(`${name}: Changes tells the truth, and the other tabs go on`, async () => {
    await open(name);
    const text = await textOf(".changes");
    for (const sentence of sentences) assert.match(text, sentence);
    if (["sampled", "overflowed"].includes(name))
      assert.doesNotMatch(text, /By calls| is new|No count of calls changed/);
    await shoot(name);
    await page.getByRole("tab", { name: "Profile" }).click();
    const note = await textOf(".beside-note");
    assert.equal(
      note,
      name === "wall-only"
        ? "the old trace has no CPU time"
        : "beside the old trace, times are one sample of each",
    );
    await page.getByRole("tab", { name: "Flame" }).click();
    await page.getByRole("radio", { name: "Change" }).click();
    await page.getByText(/^\d+ box(es)? (is|are) new/).waitFor();
    await assertAccessible(page);
    await shoot(`${name}-flame`);
  });

await checkProgram(
  "66 threads a side are of one name, and one timeline stands below another",
  async () => {
    await open("more-threads", "tab=changes", `t/${numberOf("many-threads")}/`);
    const text = await textOf(".changes");
    assert.match(text, /called 198 times, 330 times before/);
    assert.equal(await page.locator(".timelines .stage").count(), 2);
    await shoot("more-threads");
  },
);

await checkProgram(
  "a chosen thread that the old trace lacks is told, and the rows stay",
  async () => {
    await open("other-thread", "tab=profile&threads=1:main");
    await page
      .getByText(/other-thread\.trace has no thread of these names: choose others/)
      .first()
      .waitFor();
    assert.equal(await page.locator(".tr[data-rank]").count(), 2);
    await shoot("chosen-thread");
  },
);

await checkProgram(
  "a link to a trace that is gone says so, and leads to the other tabs",
  async () => {
    await page.goto(`${base}#tab=changes&against=77`);
    await page.getByText('These cannot be compared: no trace "77" is open here').waitFor();
    await page.getByText("The old trace cannot be shown").waitFor();
    await shoot("gone");
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.locator(".tr[data-rank]").first().waitFor();
  },
);

await checkProgram(
  "an old file that is deleted while it is open is compared as it was read",
  async () => {
    await open("overflowed");
    await textOf(".changes");
    await rm(fileOf("overflowed"));
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.getByRole("tab", { name: "Changes" }).click();
    assert.match(await textOf(".changes"), /Calls are not compared/);
    // The address follows the page a little later, and a reload shows what it says.
    await page.waitForFunction(() => location.hash.includes("tab=changes"));
    await page.reload();
    assert.match(await textOf(".changes"), /Calls are not compared/);
    await shoot("deleted");
  },
);

await checkProgram(
  "an old file that is another one now is read anew, and the page says what is compared",
  async () => {
    await open("thread-cpu");
    await writeFile(fileOf("thread-cpu"), BASE);
    await page.goto(`${base}t/${numberOf("thread-cpu")}/`);
    await page.locator(".tr[data-rank]").first().waitFor();
    await settle(page);
    await open("thread-cpu");
    assert.match(await textOf(".changes"), /62 calls|Both sides are the same file/);
    await shoot("changed");
  },
);

// Looks at all traces but one, which is closed for them: eight are open at a time.
const lookAtOthers = async (name) => {
  const others = NAMES.filter((one) => one !== name).map((one) => `t/${numberOf(one)}/`);
  for (const other of [...others, "", ...others]) {
    const address = `${base}${other}api/info`;
    for (let tries = 0; tries < 50 && (await fetch(address)).status === 503; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const flameOfChange = async () => {
  await page.getByRole("tab", { name: "Flame" }).click();
  await page.getByRole("radio", { name: "Change" }).click();
};

await checkProgram(
  "an old trace that was closed for others is opened again by itself, and its file is read anew",
  async () => {
    await open("more-threads");
    assert.match(await textOf(".changes"), /330 calls|396 calls/);
    await lookAtOthers("more-threads");
    await flameOfChange();
    await page.getByText(/^\d+ box(es)? (is|are) new/).waitFor();
    await page.getByRole("tab", { name: "Profile" }).click();
    assert.match(await textOf(".beside-note"), /one sample of each/);
  },
);

await checkProgram(
  "one that was closed and is deleted by then is named, with what is the matter, and the tabs go on",
  async () => {
    await open("more-threads");
    await textOf(".changes-head");
    await lookAtOthers("more-threads");
    await rm(fileOf("more-threads"));
    await page.reload();
    await page.getByText(/cannot be compared: more-threads\.trace: there is no such/).waitFor();
    await shoot("closed-and-deleted");
    await flameOfChange();
    await page
      .getByText(/more-threads\.trace: there is no such file any more/)
      .first()
      .waitFor();
    await page.getByRole("tab", { name: "Profile" }).click();
    await page.locator(".tr[data-rank]").first().waitFor();
  },
);

await checkProgram(
  "on paper a table says what its numbers of before are, without buttons",
  async () => {
    await open("same-file", "tab=profile");
    await page.emulateMedia({ media: "print" });
    await page.locator(".beside-note").waitFor();
    for (const name of ["Hide", "Columns"])
      await page.getByRole("button", { name, exact: true }).waitFor({ state: "hidden" });
    await shoot("print");
    await page.emulateMedia({ media: "screen" });
  },
);

await checkProgram("nothing else went wrong", () => {
  assert.deepEqual(problems, []);
});

await viewer.stop();
await browser.stop();
await rm(folder, { recursive: true });
finish();
