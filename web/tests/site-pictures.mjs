// Pictures of what a site shows while a trace is processed, and of one that cannot be shown: node site-pictures.mjs FOLDER.
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { EXAMPLE, startBrowser, startSite } from "./harness.mjs";

const folder = process.argv[2] ?? "screenshots";
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
const page = await browser.context.newPage();
await page.setViewportSize({ width: 1100, height: 480 });

// A site that only serves leaves a trace in the queue.
const STATES = {
  processing: { options: ["--role", "server"], name: "cold-start.trace", ready: "#progress" },
  failed: { options: [], name: "cut.trace", ready: ".notice.bad" },
};
const CUT = "*version\n3\nclock=dual\n*threads\n1\tmain\n*methods\n*end\nSLOW" + "\0".repeat(40);

for (const [state, { options, name, ready }] of Object.entries(STATES)) {
  const site = await startSite(["--list", ...options]);
  const body = state === "failed" ? CUT : await readFile(EXAMPLE);
  const answer = await fetch(`${site.url}api/v1/traces?name=${name}`, { method: "PUT", body });
  const { id } = await answer.json();
  await page.goto(`${site.url}trace/${id}/`);
  await page.locator(ready).waitFor();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(folder, `site-${state}-${colorScheme}.png`) });
  }
  await site.stop();
}
await browser.stop();
