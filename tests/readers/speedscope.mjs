// speedscope, as it is published, in headless Chromium: reads names of files, one a line, and writes for each what
// speedscope makes of it, as one line of JSON:
//
//     [{name, is_shown, frames: [[name, total, self], ...], roots: [[name, frames], ...]}, ...]   a profile each, or {error}
//
// total and self are what its table shows, in the unit of the profile; roots are the same numbers below each root of
// its call tree, which is where folded stacks have their threads.
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { CHROMIUM } from "../../web/tests/harness.mjs";

const here = createRequire(import.meta.url);
const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
const release = join(dirname(here.resolve("speedscope/package.json")), "dist/release");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
let shown = ""; // the file that /file/ is

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  const file = path.startsWith("/file/") ? shown : join(release, basename(path));
  response.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
  createReadStream(file).on("error", () => response.writeHead(404).end()).pipe(response);
});

// Runs in the page before speedscope does: a profile is kept when its constructor sets this field.
function keepProfiles() {
  const key = "groupedCalltreeRoot";
  window.kept = [];
  Object.defineProperty(Object.prototype, key, {
    configurable: true,
    set(value) {
      window.kept.push(this);
      Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true });
    },
  });
}

// Runs in the page: the profiles that were imported; views make further ones of the same names.
function readProfiles() {
  const below = (node) => {
    const sums = new Map();
    const open = [...node.children];
    while (open.length) {
      const at = open.pop();
      sums.set(at.frame.name, (sums.get(at.frame.name) ?? 0) + at.getSelfWeight());
      open.push(...at.children);
    }
    return [...sums].map(([name, self]) => [name, null, self]);
  };
  const named = new Map();
  for (const profile of window.kept) if (!named.has(profile.getName())) named.set(profile.getName(), profile);
  return [...named].map(([name, profile]) => {
    const frames = [];
    profile.forEachFrame((frame) => frames.push([frame.name, frame.getTotalWeight(), frame.getSelfWeight()]));
    const roots = profile.getGroupedCalltreeRoot().children.map((node) => [node.frame.name, below(node)]);
    return { name, is_shown: document.body.innerText.includes(name), frames, roots };
  });
}

await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu"],
});

async function open(file) {
  const page = await browser.newPage();
  try {
    const imported = new Promise((resolve) => {
      page.on("console", (message) => {
        if (message.text().startsWith("import:")) resolve(null);
        if (message.type() === "error") resolve(message.text());
      });
      page.on("pageerror", (error) => resolve(error.message));
      setTimeout(() => resolve("nothing is shown after 60 s"), 60000).unref();
    });
    shown = file;
    await page.addInitScript(keepProfiles);
    await page.goto(`${origin}/index.html#profileURL=${encodeURIComponent(`${origin}/file/${basename(file)}`)}`);
    const error = await imported;
    return error === null ? await page.evaluate(readProfiles) : { error };
  } finally {
    await page.close();
  }
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await open(line))}\n`);
await browser.close();
server.close();
