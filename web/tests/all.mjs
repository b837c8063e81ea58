// Runs every browser test, one after the other in one browser, and adds up what they counted. `npm run browser`; with --engine, the page
// of the static site (make site) in place of the viewer's.
import { IS_ENGINE, shareBrowser, sum } from "./harness.mjs";

const ALL = [
  "page.mjs",
  "tabs.mjs",
  "changes.mjs",
  "two-timelines.mjs",
  "two-calls.mjs",
  "two-odd.mjs",
  "many.mjs",
  "matching.mjs",
  "tables.mjs",
  "search.mjs",
  "keyboard.mjs",
  "ways.mjs",
  "tasks.mjs",
  "timeline.mjs",
  "rows.mjs",
  "lens.mjs",
  "lens_sets.mjs",
  "sandwich.mjs",
  "curve.mjs",
  "walk.mjs",
  "mine.mjs",
  "mapping.mjs",
  "mapping-drop.mjs",
  "details.mjs",
  "lanes.mjs",
  "look.mjs",
  "story.mjs",
  "download.mjs",
  "page-saved.mjs",
  "odd.mjs",
  "room.mjs",
  "start.mjs",
  "record.mjs",
  "flame-picture.mjs",
  "html-exports.mjs",
  "site.mjs",
  "fleet.mjs",
];

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
// With the engine, what only the page alone does; --all has it do over again what the viewer's page does, too, of which files that
// it saves and downloads are made in another way.
const ENGINE_ALL = ALL.filter((name) => !PROGRAM.includes(name));
const ENGINE = [
  "static.mjs",
  "static-two.mjs",
  "static-many.mjs",
  "mapping-drop.mjs",
  "report.mjs",
  "report-two.mjs",
];
const list = !IS_ENGINE
  ? ALL
  : process.argv.includes("--all")
    ? [...new Set([...ENGINE, ...ENGINE_ALL])]
    : ENGINE;

const stopBrowser = await shareBrowser();
for (const [ix, file] of list.entries()) {
  const begun = performance.now();
  await import(`./${file}`).catch((problem) => console.log(`# ${problem?.stack ?? problem}`));
  if (sum.lists <= ix) {
    console.log(`not ok - ${file} ended early`);
    sum.failed += 1;
    sum.lists += 1;
  }
  console.log(`# ${file} took ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}
await stopBrowser();
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed > 0 ? 1 : 0);
