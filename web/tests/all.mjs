// Runs every browser test and adds up what they counted: two processes beside each other, each with a browser of its own, take one
// file after the other. `npm run browser`; with --engine, the page of the static site (make site) in place of the viewer's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { IS_ENGINE, shareBrowser, sum } from "./harness.mjs";

// Without --all the page's tests are those that together run 96 of 100 parts of what all of them run of its scripts, in the least time:
// choose.mjs tells them. Odd traces, what is kept and the curve add 0.3 of 100 for a tenth of the processor's time; 95 of 100 would take
// a twelfth less. The pages of a site, and those without a trace, are none of these scripts, so they stand here too.
const FIRST = [
  "changes.mjs",
  "two-timelines.mjs",
  "two-calls.mjs",
  "ways.mjs",
  "tasks.mjs",
  "timeline.mjs",
  "rows.mjs",
  "lens_sets.mjs",
  "chosen.mjs",
  "sandwich.mjs",
  "walk.mjs",
  "mapping-drop.mjs",
  "page-saved.mjs",
  "open_pages.mjs",
  "start.mjs",
  "record.mjs",
  "flame-picture.mjs",
  "site.mjs",
  "fleet.mjs",
];
const MORE = [
  "odd.mjs",
  "kept.mjs",
  "curve.mjs",
  "matching.mjs",
  "keyboard.mjs",
  "story.mjs",
  "page.mjs",
  "tabs.mjs",
  "two-odd.mjs",
  "many.mjs",
  "tables.mjs",
  "search.mjs",
  "lens.mjs",
  "mine.mjs",
  "mapping.mjs",
  "details.mjs",
  "lanes.mjs",
  "look.mjs",
  "download.mjs",
  "room.mjs",
  "html-exports.mjs",
];
const ALL = [...FIRST, ...MORE];

// What a program alone does: pictures that it writes, recordings, sites.
const PROGRAM = [
  "changes.mjs",
  "two-timelines.mjs",
  "two-odd.mjs",
  "many.mjs",
  "matching.mjs",
  "mapping.mjs",
  "flame-picture.mjs",
  "html-exports.mjs",
  "record.mjs",
  "site.mjs",
  "fleet.mjs",
];
// With the engine, one file of what only the page alone does; --all has all of them, and over again what the viewer's page does,
// of which files that it saves and downloads are made in another way.
const ENGINE_ALL = ALL.filter((name) => !PROGRAM.includes(name));
const ENGINE = ["static.mjs"];
const ENGINE_LONG = [
  "static-two.mjs",
  "static-many.mjs",
  "mapping-drop.mjs",
  "report.mjs",
  "report-two.mjs",
];
const lists = IS_ENGINE
  ? { few: ENGINE, all: [...new Set([...ENGINE, ...ENGINE_LONG, ...ENGINE_ALL])] }
  : { few: FIRST, all: ALL };
const whole = process.argv.includes("--all") ? lists.all : lists.few;

// --only=FILE,... --passed=N: what failed in an earlier run, which tells these words, and how many passed in its other files.
const wordOf = (name) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
// What each file runs of the page's scripts is noted there.
const runs = wordOf("runs");
const only = wordOf("only")?.split(",");
const list = only === undefined ? whole : whole.filter((file) => only.includes(file));

// A page waits for frames and answers much of the time, and other programs run meanwhile.
const AT_A_TIME = 2;
const SUM = /(\d+) passed, (\d+) failed\n$/;
const FILE = /^# (\S+) took [\d.]+ s: (\d+) passed, (\d+) failed$/gm;

// In a process of its own: runs the files that it is given, and asks for the next one until there is none.
async function runFiles() {
  const stopBrowser = await shareBrowser();
  for (;;) {
    process.send("next");
    const [file] = await once(process, "message");
    if (file === null) break;
    const begun = performance.now();
    const before = { ...sum };
    if (runs !== undefined) process.env.TRACEVIEW_RUNS = `${runs}/${file}`;
    await import(`./${file}`).catch((problem) => console.log(`# ${problem?.stack ?? problem}`));
    if (sum.lists === before.lists) {
      console.log(`not ok - ${file} ended early`);
      sum.failed += 1;
      sum.lists += 1;
    }
    const counts = `${sum.passed - before.passed} passed, ${sum.failed - before.failed} failed`;
    console.log(`# ${file} took ${((performance.now() - begun) / 1000).toFixed(1)} s: ${counts}`);
  }
  await stopBrowser();
  // With the last line the output has ended, which the other process may read late.
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed\n`, () =>
    process.exit(sum.failed > 0 ? 1 : 0),
  );
}

const counted = new Map(); // by file

// Starts such a process and gives it files. What it says is told when it has ended; its last line is its sum.
async function giveFiles(files) {
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const kill = () => child.kill();
  process.on("exit", kill);
  child.on("message", () => child.send(files.shift() ?? null));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more) => (text += more));
  await once(child, "close");
  process.off("exit", kill);
  process.stdout.write(text);
  for (const [, file, passed, failed] of text.matchAll(FILE))
    counted.set(file, { passed: Number(passed), failed: Number(failed) });
  const found = SUM.exec(text);
  sum.passed += Number(found?.[1] ?? 0);
  sum.failed += Number(found?.[2] ?? 1); // one that ended early has no sum
}

if (process.send !== undefined) await runFiles();
else {
  const files = [...list];
  await Promise.all(Array.from({ length: AT_A_TIME }, () => giveFiles(files)));
  sum.passed += Number(wordOf("passed") ?? 0);
  // scripts/check runs a step that failed once more, with these words. A process that ended early has not told of its file.
  const failed = list.filter((file) => counted.get(file)?.failed !== 0);
  const fine = list.filter((file) => counted.get(file)?.failed === 0);
  const passed = fine.reduce((all, file) => all + counted.get(file).passed, 0);
  if (failed.length > 0 && failed.length < list.length)
    console.log(`# once more: --only=${failed.join(",")} --passed=${passed}`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  process.exitCode = sum.failed > 0 ? 1 : 0;
}
