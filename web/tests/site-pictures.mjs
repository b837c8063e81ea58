// Pictures of what a site shows: its start page, its list of traces, one of them, one that is processed, and one that cannot be shown:
// node site-pictures.mjs FOLDER.
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { EXAMPLE, settle, startBrowser, startSite } from "./harness.mjs";

const data = (name) => path.join(path.dirname(EXAMPLE), name);
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

// Three traces that are ready; their lengths, threads and frames are known then.
const LISTED = {
  "cold-start.trace.zst": {
    title: "Cold start, build 418",
    file: EXAMPLE,
    app: "recipes",
    build: "418",
  },
  "idle.trace": {
    title: "Nothing to do",
    file: data("idle-cpu.trace"),
    app: "recipes",
    build: "417",
  },
  "cost.trace.zst": {
    title: "What tracing costs",
    file: data("tracing-cost.trace.zst"),
    device: "Pixel 8",
  },
};
const site = await startSite(["--list"]);
const ids = [];
for (const [name, { title, file, ...labels }] of Object.entries(LISTED)) {
  const query = new URLSearchParams({ name, title, listed: "1" });
  for (const [key, value] of Object.entries(labels)) query.set(`label_${key}`, value);
  const answer = await fetch(`${site.url}api/v1/traces?${query}`, {
    method: "PUT",
    body: await readFile(file),
  });
  const { id } = await answer.json();
  ids.push(id);
  while ((await (await fetch(`${site.url}api/v1/traces/${id}`)).json()).state !== "ready") {
    await new Promise((done) => setTimeout(done, 100));
  }
}
await page.setViewportSize({ width: 1280, height: 720 });
await page.goto(`${site.url}list`);
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  await page.screenshot({ path: path.join(folder, `site-list-${colorScheme}.png`) });
}
await page.emulateMedia({ colorScheme: "light" });
await page.goto(site.url);
await page.screenshot({ path: path.join(folder, "site-start-light.png") });
await page.emulateMedia({ colorScheme: "dark" });
await page.goto(`${site.url}trace/${ids[0]}/`);
await page.locator(".timeline-scroll").waitFor();
await settle(page);
await page.screenshot({ path: path.join(folder, "site-trace-dark.png") });
await site.stop();
await browser.stop();
