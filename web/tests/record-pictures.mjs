// Pictures of each state of the Record dialog, for docs/devices.md: node record-pictures.mjs [FOLDER [WIDTH]], by default into
// build/record-pictures. Needs adb and a JDK.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startDevices, startIn, startWaits } from "./devices.mjs";
import { startBrowser } from "./harness.mjs";

const folder =
  process.argv[2] ?? fileURLToPath(new URL("../../build/record-pictures", import.meta.url));
const width = Number(process.argv[3] ?? 900);
const MARGIN = 24;

await mkdir(folder, { recursive: true });
const home = await mkdtemp(path.join(os.tmpdir(), "traceview-pictures-"));
const devices = await startDevices();
const viewer = await startIn(home, devices.variables);
const browser = await startBrowser({ seesDevices: true });
const page = await browser.context.newPage();
await page.setViewportSize({ width, height: 900 });
const dialog = page.locator("dialog.dialog");
const step = page.locator(".record-step");
const advice = page.locator(".record-advice");
const button = (name) => dialog.getByRole("button", { name });
const field = (name) =>
  dialog.locator(".field", { hasText: new RegExp(`^${name}`) }).locator("select, input");
const row = (name) => page.locator(".record-processes label", { hasText: name }).first();

async function take(name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const { x, y, width: wide, height } = await dialog.boundingBox();
    const clip = {
      x: Math.max(0, x - MARGIN),
      y: Math.max(0, y - MARGIN),
      width: wide + 2 * MARGIN,
      height: height + 2 * MARGIN,
    };
    await page.screenshot({ path: path.join(folder, `record-${name}-${colorScheme}.png`), clip });
  }
}

async function open() {
  await page.goto("about:blank");
  await page.goto(viewer.url);
  const choice = page.getByRole("button", { name: /^Record an app/ });
  const button = page.locator("header.bar").getByRole("button", { name: "Record", exact: true });
  await choice.or(button).first().click();
  await dialog.waitFor();
}

async function openWith(android, settings = {}) {
  await devices.plug(android, settings);
  await open();
  await row("com.example").waitFor();
}

async function record() {
  await row("com.example.app").getByRole("radio").check();
  await dialog.getByRole("button", { name: "Record", exact: true }).click();
  await step.filter({ hasText: /^Recording [1-9]/ }).waitFor();
}

// Other Java programs of this computer come and go.
async function waitForRows(count) {
  while ((await page.locator(".record-processes label").count()) !== count) {
    await button("Refresh").click();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

await open();
await waitForRows(0);
await advice.filter({ hasText: "switch on USB debugging" }).waitFor();
await take("no-device");

await devices.plug("14", { is_unauthorised: true }, "unauthorized");
await advice.filter({ hasText: "is unauthorised" }).waitFor();
await waitForRows(0);
await take("unauthorised");
await devices.unplug();

const program = await startWaits(home);
const closed = await startWaits(home, ["-XX:+DisableAttachMechanism"]);
await open();
await waitForRows(2);
await row(String(program.pid)).getByRole("radio").check();
await page.locator(".record-why").waitFor();
await take("java");
program.kill();
closed.kill();

await openWith("14");
await row("com.example.app").getByRole("radio").check();
await page.locator(".record-room").waitFor();
await take("choose");
await field("Record").selectOption("The start of the app");
await field("Stop").selectOption("After 30 s");
await row("com.example.app").getByRole("radio").check();
await page.locator(".record-room").getByRole("button").waitFor();
await take("start");
await devices.unplug();

await openWith("5");
await row("com.example.app").getByRole("radio").check();
await page.locator(".record-missing").waitFor();
await take("old");
await devices.unplug();

await openWith("14", { busy: "am" });
await row("com.example.app").getByRole("radio").check();
await dialog.getByRole("button", { name: "Record", exact: true }).click();
await page.locator(".record-failed").waitFor();
await take("failed");
await devices.unplug();

const large = { records: 600000, finishes_in_s: 0 };
await openWith("14", { ...large, pull_bytes_s: 3e6 });
await record();
await take("recording");
await button("Stop and open").click();
await step.filter({ hasText: /^Pulling [2-6]/ }).waitFor();
await take("pulling");
await dialog.waitFor({ state: "detached" });
await devices.unplug();

await openWith("14", { ...large, cut_pull_at: 0.6, back_after_s: 5 });
await record();
await button("Stop and open").click();
await step.filter({ hasText: "put its cable in again" }).waitFor();
await take("gone");
await dialog.waitFor({ state: "detached" });
await devices.unplug();

await openWith("14", { overflows_below_mb: 16 });
await field("Buffer").selectOption("8 MB");
await record();
await button("Stop and open").click();
await button(/^Record again/).waitFor();
await take("full");

await browser.stop();
await viewer.stop();
await devices.stop();
await rm(home, { recursive: true, force: true });
