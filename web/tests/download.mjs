// Download as …: what the browser saves is what `traceview export` writes, and the dialog says how it goes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import http from "node:http";
import {
  assertAccessible,
  assertColours,
  BINARY,
  createChecks,
  EXAMPLE,
  followLink,
  isRefusedForNow,
  openView,
  settle,
  startBrowser,
  startViewer,
  typeCommand,
  watchProblems,
} from "./harness.mjs";

const { check, checkProgram, finish } = createChecks();
const viewer = await startViewer(EXAMPLE);
const browser = await startBrowser();
const page = await browser.context.newPage();
// The browser tells of the download that is refused.
const problems = watchProblems(
  page,
  (text) => isRefusedForNow(text) && text.includes("/api/export?"),
);

const dialog = page.locator("dialog.dialog");
const footer = page.locator(".download footer");

// In the page that is open, without the dialog that the check before left, or in one of its own.
async function open(link, lead = followLink) {
  if (await dialog.isVisible()) await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await lead(page, viewer, link, "[data-rank]");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("menuitem", { name: "Download as…" }).click();
  await page.locator(".formats").waitFor();
  await settle(page);
}

const exported = (...words) =>
  execFileSync(BINARY, ["export", EXAMPLE, ...words], {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

const chosenIn = (label) =>
  page
    .locator(".field", { hasText: new RegExp(`^${label}`) })
    .locator("option:checked")
    .textContent();

// Presses Download; gives the file, and its name.
async function download(press = () => page.getByRole("button", { name: "Download" }).click()) {
  const [one] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: one.suggestedFilename(), bytes: await readFile(await one.path()) };
}

await check("the formats are those of the command, in its order", async () => {
  await open("");
  const shown = await page.locator(".formats label b").allTextContents();
  const listed = JSON.parse(await (await fetch(`${viewer.api}exports`)).text()).formats;
  assert.deepEqual(
    shown,
    listed.map(({ name }) => name),
  );
  assert.ok(shown.length >= 2);
});

await check("a range of one thread, as folded stacks, is what the command writes", async () => {
  await open("range=100-300ms&threads=1:main&clock=wall");
  assert.match(await chosenIn("Time"), /^The selected range, 100 – 300 ms$/);
  assert.match(await chosenIn("Threads"), /^The chosen ones: main$/);
  const { name, bytes } = await download();
  assert.equal(name, "recipes-main-100-300ms.folded");
  const part = ["--from", "100ms", "--to", "300ms", "--thread", "1", "--clock", "wall"];
  assert.ok(bytes.equals(exported("--to", "folded", ...part)));
  await footer.getByText("recipes-main-100-300ms.folded is saved").waitFor();
});

await check("what the timeline shows, packed, is the command's packed file unpacked", async () => {
  await open("view=700-720ms&clock=cpu");
  assert.match(await chosenIn("Time"), /^What the timeline shows, 700 – 720 ms$/);
  await page.getByLabel("Packed, as .gz").check();
  const { name, bytes } = await download();
  assert.equal(name, "recipes-700-720ms.folded.gz");
  assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b]);
  const { gunzipSync } = await import("node:zlib");
  const part = ["--from", "700ms", "--to", "720ms", "--clock", "cpu"];
  assert.ok(gunzipSync(bytes).equals(exported("--to", "folded", ...part)));
});

await check("the filter and hidden packages of the page go along, or not", async () => {
  await open("filter=Database&clock=wall");
  const only = page.getByLabel("Only stacks with a method that matches “Database”");
  assert.equal(await only.isChecked(), true);
  const filtered = await download();
  assert.equal(filtered.name, "recipes-filtered.folded");
  assert.ok(
    filtered.bytes.equals(exported("--to", "folded", "--match", "Database", "--clock", "wall")),
  );
  await footer.getByText("is saved").waitFor();
  await only.uncheck();
  const all = await download();
  assert.equal(all.name, "recipes.folded");
  assert.ok(all.bytes.equals(exported("--to", "folded", "--clock", "wall")));
});

await check(
  "redacted, it shows first what leaves, and saves what the command redacts",
  async () => {
    await open("clock=wall");
    await page.getByLabel("Redact: names become hashes").check();
    await page.locator(".preview", { hasText: "No method keeps its name" }).waitFor();
    await page.getByLabel("Packages that keep their names").fill("java., jdk.");
    await page.locator(".preview li", { hasText: "leaves: java.util, " }).waitFor();
    await settle(page);
    const hashed = page.locator(".preview li", { hasText: "hashed: com.example.recipes," });
    assert.match(await hashed.textContent(), / → p[0-9a-f]{10}\.C[0-9a-f]{10}/);
    const { name, bytes } = await download();
    assert.equal(name, "trace-redacted.folded");
    const words = ["--redact", "--keep", "java.,jdk.", "--clock", "wall"];
    assert.ok(bytes.equals(exported("--to", "folded", ...words)));
    assert.ok(!bytes.includes("com.example.recipes") && bytes.includes("java.util."));
  },
);

await check("of a format of tables one can be chosen", async () => {
  await open("clock=wall");
  await page.locator(".formats label", { hasText: "csv" }).click();
  await page
    .locator(".field", { hasText: /^Table/ })
    .locator("select")
    .selectOption("methods");
  const { name, bytes } = await download();
  assert.equal(name, "recipes-methods.csv");
  assert.ok(bytes.equals(exported("--to", "csv", "--table", "methods", "--clock", "wall")));
});

await check("it can be done by keys alone", async () => {
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await followLink(page, viewer, "", "[data-rank]");
  await typeCommand(page, "download");
  await page.keyboard.press("Enter");
  await page.locator(".formats input:focus").waitFor();
  await page.keyboard.press("ArrowDown");
  const chosen = await page.locator(".formats label:has(input:checked) b").textContent();
  const { bytes } = await download(() => page.keyboard.press("Enter"));
  assert.ok(bytes.equals(exported("--to", chosen)));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

// A reader in the browser's place, which takes nothing.
function hold(address) {
  return new Promise((resolve, reject) => {
    const asked = http.get(address, (answer) => {
      answer.on("error", () => undefined);
      resolve({ status: answer.statusCode, leave: () => asked.destroy() });
    });
    asked.on("error", reject);
  });
}

await checkProgram(
  "while it goes on it can be cancelled, and nothing is said to be saved",
  async () => {
    await open("");
    // The link leads to a reader that takes nothing, as a browser on a full disk.
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = function () {
        self.wanted = this.href;
      };
    });
    await page.locator(".formats label", { hasText: "chrome" }).click();
    await page.getByRole("button", { name: "Download" }).click();
    await page.locator(".download progress").waitFor();
    const held = await hold(await page.evaluate(() => self.wanted));
    await footer.locator("p", { hasText: /^recipes\.trace\.json · / }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await footer.getByText("Cancelled: there is no file recipes.trace.json.").waitFor();
    await page.getByRole("button", { name: "Download" }).waitFor();
    held.leave();
  },
);

await checkProgram(
  "while it goes on, neither Enter nor a double click begins or ends anything",
  async () => {
    await page.setViewportSize({ width: 900, height: 600 });
    await open("", openView); // what a link does is the browser's again
    // As above, and it counts the files that the page asks for.
    await page.evaluate(() => {
      self.wanted = [];
      HTMLAnchorElement.prototype.click = function () {
        self.wanted.push(this.href);
      };
    });
    await page.locator(".formats label", { hasText: "chrome" }).click();
    await page.getByLabel("Redact: names become hashes").check();
    await page.locator(".preview li").first().waitFor();
    await settle(page);
    const hidden = await page.evaluate(() => {
      const { bottom } = document.querySelector(".preview").getBoundingClientRect();
      return bottom - document.querySelector(".download footer").getBoundingClientRect().top;
    });
    assert.ok(hidden <= 1, `${hidden} px of the preview are below what is seen`);
    const button = await page.getByRole("button", { name: "Download" }).boundingBox();
    const at = [button.x + button.width / 2, button.y + button.height / 2];
    await page.mouse.click(...at);
    await page.locator(".download progress").waitFor();
    const held = await hold(await page.evaluate(() => self.wanted[0]));
    await page.mouse.move(...at);
    for (const press of ["down", "up"]) await page.mouse[press]({ clickCount: 2 });
    await page.getByLabel("Packages that keep their names").press("Enter");
    await page.getByRole("button", { name: "Cancel" }).focus();
    const isTaken = await page.evaluate(() => {
      const key = { key: "Enter", repeat: true, bubbles: true, cancelable: true };
      return document.activeElement.dispatchEvent(new KeyboardEvent("keydown", key));
    });
    assert.equal(isTaken, false);
    // Two answers later the page would know of a second file, or of an end.
    for (let more = 0; more < 2; more++)
      await page.waitForResponse((answer) => answer.url().includes("exporting"));
    assert.equal(await page.locator(".download progress").isVisible(), true);
    assert.equal(await page.evaluate(() => self.wanted.length), 1);
    await page.getByRole("button", { name: "Cancel" }).click();
    await footer.getByText("Cancelled").waitFor();
    held.leave();
    await page.setViewportSize({ width: 1600, height: 900 });
  },
);

await checkProgram("a refusal is told with its reason, and saves nothing", async () => {
  const address = `${viewer.api}export?format=chrome`;
  const all = [];
  // The one that was cancelled before keeps its place until its thread has ended.
  while (all.length < 4) {
    const one = await hold(address);
    if (one.status === 200) all.push(one);
    else one.leave();
  }
  await open("", openView);
  await page.getByRole("button", { name: "Download" }).click();
  await footer.getByText("4 exports are under way").waitFor();
  all.forEach(({ leave }) => leave());
});

// In the other theme it is the dialog that is open.
async function openRedacted() {
  await open("range=100-300ms&threads=1:main&filter=Database");
  await page.getByLabel("Redact: names become hashes").check();
  await page.locator(".preview li").first().waitFor();
}

for (const width of [1600, 400])
  for (const [colorScheme, assertFine] of [
    ["light", assertAccessible],
    ["dark", assertColours],
  ])
    await check(`axe-core finds nothing in the dialog, ${colorScheme}, ${width} px`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      if (colorScheme === "light") await openRedacted();
      await assertFine(page);
      const frame = await dialog.boundingBox();
      const inside = await page.$eval(".dialog", (box) => box.scrollWidth <= box.clientWidth + 1);
      assert.ok(
        frame.x >= 0 && frame.x + frame.width <= width && inside,
        "it is as wide as it is shown",
      );
    });

await check("nothing was written to the browser's console as an error", async () => {
  assert.deepEqual(problems, []);
});

await browser.stop();
await viewer.stop();
finish();
