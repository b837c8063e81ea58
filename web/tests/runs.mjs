// Which parts of the page's scripts tests run: a line of JSON for each script of a page, at the end of the file that TRACEVIEW_RUNS
// names. `all.mjs --runs=FOLDER` has one for each file of tests; choose.mjs reads them.
import { appendFileSync } from "node:fs";
import { createHash } from "node:crypto";

// Watches each page that a context opens from now on; gives what notes those that are open still.
export function watchRuns(context) {
  const open = new Map();
  const note = async (page) => {
    const stop = open.get(page);
    open.delete(page);
    await stop?.();
  };
  const newPage = context.newPage.bind(context);
  context.newPage = async () => {
    const page = await newPage();
    await page.coverage.startJSCoverage({ resetOnNavigation: false });
    open.set(page, async () => {
      for (const script of await page.coverage.stopJSCoverage())
        appendFileSync(process.env.TRACEVIEW_RUNS, `${JSON.stringify(ranOf(script))}\n`);
    });
    const close = page.close.bind(page);
    page.close = async (...values) => {
      await note(page);
      return close(...values);
    };
    return page;
  };
  return () => Promise.all([...open.keys()].map(note));
}

// Functions stand one inside the other, and so do the blocks of each: what is further in counts.
function ranOf({ source, functions }) {
  const ran = new Uint8Array(source.length);
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  const edges = [];
  for (let at = 0, was = 0; at <= ran.length; at += 1) {
    const is = at < ran.length ? ran[at] : 0;
    if (is !== was) edges.push(at);
    was = is;
  }
  return {
    script: createHash("sha256").update(source).digest("hex"),
    length: source.length,
    edges,
  };
}
