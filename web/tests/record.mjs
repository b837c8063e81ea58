// Recording from the page: devices of ours behind the real adb server (devices.mjs), and a Java program where there is no
// adb.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { hasAdb, hasJava, startDevices, startIn, startWaits } from "./devices.mjs";
import { assertAccessible, createChecks, settle, startBrowser, watchProblems } from "./harness.mjs";

// The page asks more often than every second how far a recording is.
const POLL_MS = 500;

const { check, finish } = createChecks();

if (!hasJava) {
  console.log("# skipped: recording of Java programs: a JDK is missing, or the recorder for Java");
  await check("nothing of Java is recorded without a JDK", () => undefined);
} else {
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-record-"));
  const program = await startWaits(folder);
  // No adb, and nothing where its server would be.
  const nowhere = { PATH: folder, HOME: folder, ANDROID_HOME: folder, ANDROID_SDK_ROOT: folder };
  const viewer = await startIn(folder, { ...nowhere, ANDROID_ADB_SERVER_PORT: "1" });
  const browser = await startBrowser({ seesDevices: true });
  const page = await browser.context.newPage();
  const problems = watchProblems(page);
  const dialog = page.locator("dialog.dialog");
  const row = dialog.locator(".record-processes label", { hasText: String(program.pid) });

  await check("without adb a Java program that runs can be recorded", async () => {
    await page.goto(viewer.url);
    await page.locator("header.bar").getByRole("button", { name: "Record", exact: true }).click();
    await row.waitFor();
    assert.match(await row.textContent(), /^Waits\d+Java \d/);
    await dialog.locator(".record-advice", { hasText: "adb is not installed" }).waitFor();
    assert.deepEqual(await dialog.locator("option:checked").allTextContents(), [
      "This computer: Java programs",
      "Every call",
      "When I say so",
    ]);
    // Beside the mode alone the choice of the end is as wide as beside a buffer, so that it is not cut.
    const [mode, stop] = await dialog
      .locator(".record-options select")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    assert.ok(stop.width >= 140 && mode.width > stop.width && mode.y === stop.y);
    await assertAccessible(page);
  });

  await check("a Java program is recorded by keys, and shown in place", async () => {
    await row.getByRole("radio").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.locator(".record-step", { hasText: /^Recording \d+\.\d s, \d/ }).waitFor();
    await dialog.getByRole("button", { name: "Stop and open" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("[data-rank]").first().waitFor();
    assert.match(await page.locator("header.bar h1").textContent(), /^Waits-.*\.trace$/);
    assert.match(await page.locator("body").innerText(), /Waits\.(step|half|main)/);
  });

  await check("that there is something to record moves nothing under the pointer", async () => {
    await page.reload();
    await page.locator("[data-rank]").first().waitFor();
    const bar = page.locator("header.bar");
    const places = () =>
      bar
        .locator("button:not(:has(.record-dot)), h1")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
    assert.equal(await bar.locator(".record-dot").count(), 0);
    const before = await places();
    await bar.locator(".record-dot").waitFor();
    assert.deepEqual(await places(), before);
  });

  await check("a Java program that has ended is told of", async () => {
    await page.locator("header.bar").getByRole("button", { name: "Record", exact: true }).click();
    await row.getByRole("radio").check();
    // The list would be without the program before it is chosen.
    const list = await (await page.request.get(`${viewer.url}api/processes`)).text();
    const lists = /\/api\/processes/;
    const asBefore = { body: list, contentType: "application/json" };
    await page.route(lists, (route) => route.fulfill(asBefore));
    program.stdin.end("\n");
    await once(program, "exit");
    await dialog.getByRole("button", { name: "Record", exact: true }).click();
    await page.locator(".record-failed", { hasText: /is not there|is no Java/ }).waitFor();
    await page.unroute(lists);
    await row.waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
  });

  await browser.stop();
  await viewer.stop();
  program.kill();
  await rm(folder, { recursive: true, force: true });
}

if (!hasAdb) {
  console.log("# skipped: recording: adb is missing");
  await check("nothing is recorded without adb", () => undefined);
} else {
  const folder = await mkdtemp(path.join(os.tmpdir(), "traceview-record-"));
  const devices = await startDevices();
  const viewer = await startIn(folder, devices.variables);
  const browser = await startBrowser({ seesDevices: true });
  const page = await browser.context.newPage();
  const problems = watchProblems(page);
  const dialog = page.locator("dialog.dialog");
  const advice = page.locator(".record-advice");
  const step = page.locator(".record-step");

  const open = async () => {
    await page.goto("about:blank");
    await page.goto(viewer.url);
    await page.getByRole("button", { name: /^Record an app/ }).click();
    await dialog.waitFor();
  };
  const choose = async (name = "example.app") => {
    await page.locator("#record-search").fill(name);
    await page
      .locator(".record-processes label", { hasText: name })
      .first()
      .getByRole("radio")
      .check();
  };
  const recordButton = dialog.getByRole("button", { name: "Record", exact: true });
  const stopButton = dialog.getByRole("button", { name: "Stop and open" });

  await check("without a device the dialog says how to get one", async () => {
    await open();
    await advice.filter({ hasText: "switch on USB debugging" }).waitFor();
    await assertAccessible(page);
  });

  await check("a device that has not said yes is named, with what to do", async () => {
    const serial = await devices.plug("14", { is_unauthorised: true }, "unauthorized");
    await advice.filter({ hasText: "is unauthorised: unlock it" }).waitFor();
    assert.ok((await advice.textContent()).startsWith(serial));
    await devices.unplug();
  });

  await check("a device that comes is there, with its processes", async () => {
    const serial = await devices.plug("14");
    await page.locator(".record-processes label", { hasText: "com.example.app" }).waitFor();
    assert.equal(
      await dialog.locator("option:checked").first().textContent(),
      `Pixel 8 (${serial})`,
    );
    assert.deepEqual(await page.locator(".record-processes b").allTextContents(), [
      "com.example.app",
      "com.example.other",
    ]);
    assert.ok(await recordButton.isDisabled());
    await page.locator("#record-search").fill("oth");
    assert.deepEqual(await page.locator(".record-processes b").allTextContents(), [
      "com.example.other",
    ]);
    await page.locator("#record-search").fill("nobody");
    await page.getByText("No process has these letters.").waitFor();
    await assertAccessible(page);
  });

  await check("a recording counts, stops, and is shown in place", async () => {
    await choose();
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await assertAccessible(page, POLL_MS);
    await stopButton.click();
    await dialog.waitFor({ state: "detached" });
    await page.locator("[data-rank]").first().waitFor();
    const [name] = await readdir(folder);
    assert.match(name, /^com\.example\.app-.*\.trace$/);
    assert.equal(await page.locator("header.bar h1").textContent(), name);
  });

  await check("with a device there is a button, also beside a trace", async () => {
    await page.locator("header.bar").getByRole("button", { name: "Record" }).click();
    await dialog.getByText(/^Recorded: com\.example\.app-/).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  await check("what another page records is seen, and stopped, by this one", async () => {
    const other = await browser.context.newPage();
    const otherBar = other.locator("header.bar");
    await other.goto(viewer.url);
    await otherBar.getByRole("button", { name: "Record", exact: true }).click();
    await other.locator(".record-processes label", { hasText: "com.example.app" }).waitFor();
    await page.locator("header.bar").getByRole("button", { name: "Record" }).click();
    await page.locator(".record-processes label", { hasText: "com.example.app" }).waitFor();
    await choose();
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await page.reload(); // and the recording goes on
    await page.locator("header.bar").getByRole("button", { name: "Recording…" }).waitFor();
    await other.locator(".record-processes label input").first().check();
    await other.locator("dialog").getByRole("button", { name: "Record", exact: true }).click();
    await other.getByText("a recording is under way: stop it first").waitFor();
    await other.getByRole("button", { name: "Stop and open" }).click();
    await other.locator("dialog").waitFor({ state: "detached" });
    await page.locator("header.bar").getByRole("button", { name: "Record", exact: true }).waitFor();
    await other.close();
    await page.locator("[data-rank]").first().waitFor();
  });

  await check("keys alone record", async () => {
    await page.locator("header.bar").getByRole("button", { name: "Record" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".record-processes label").first().waitFor();
    await page.locator("#record-search").focus();
    await page.keyboard.type("example.app");
    await page.keyboard.press("Tab"); // Refresh
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await page.keyboard.press("Tab");
    await stopButton.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  });

  await check("a cable that is pulled out is asked for, and the pull goes on", async () => {
    await devices.unplug();
    await devices.plug("14", { records: 60000, cut_pull_at: 0.6, back_after_s: 2.5 });
    await page.reload();
    await page.locator("header.bar").getByRole("button", { name: "Record" }).click();
    await page.locator(".record-processes label").first().waitFor();
    await choose();
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await stopButton.click();
    await step.filter({ hasText: "put its cable in again" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    await page.locator("[data-rank]").first().waitFor();
  });

  const openBeside = async () => {
    await page.reload();
    await page.locator("header.bar").getByRole("button", { name: "Record" }).click();
    await page.locator(".record-processes label", { hasText: "com.example" }).first().waitFor();
  };
  const field = (name) =>
    dialog.locator(".field", { hasText: new RegExp(`^${name}`) }).locator("select, input");

  await check("the buffer that a duration needs is told, and taken by a click", async () => {
    await devices.unplug();
    await devices.plug("14", { overflows_below_mb: 16 });
    await openBeside();
    await choose();
    await page.locator(".record-room", { hasText: "64 MB are full after some" }).waitFor();
    await field("Stop").selectOption("After 30 s");
    await page
      .locator(".record-room", { hasText: "30 s need a buffer of 256 MB, and it has 64." })
      .waitFor();
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Take 256 MB" }).click();
    await page.locator(".record-room").waitFor({ state: "detached" });
    assert.equal(await field("Buffer").inputValue(), "256");
  });

  await check("a buffer that was full is told of; one click records again with room", async () => {
    await field("Stop").selectOption("When I say so");
    await field("Buffer").selectOption("8 MB");
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await stopButton.click();
    // How much depends on how long the app was recorded.
    const again = dialog.getByRole("button", { name: /^Record again with \d+ MB$/ });
    await again.waitFor();
    await assertAccessible(page);
    await again.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await stopButton.click();
    await dialog.waitFor({ state: "detached" });
  });

  await check("an old Android is offered what it has, and says what it lacks", async () => {
    await devices.unplug();
    await devices.plug("5");
    await openBeside();
    await page
      .locator(".record-missing", { hasText: "Android 5.1: larger buffers came with Android 7" })
      .waitFor();
    assert.deepEqual(await field("Buffer").locator("option").allTextContents(), ["8 MB"]);
    assert.deepEqual(await field("Mode").locator("option").allTextContents(), [
      "Every call, into a buffer",
    ]);
    await field("Record").selectOption("The start of the app");
    await field("Mode").selectOption("Samples: the stacks each millisecond"); // of a start it can
    await field("Record").selectOption("An app that runs");
    await choose();
    await page.locator(".record-room", { hasText: "8 MB are full after some" }).waitFor();
    await assertAccessible(page);
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await stopButton.click();
    await dialog.waitFor({ state: "detached" });
  });

  await check("an app that does not run is found, and recorded from its start", async () => {
    await devices.unplug();
    await devices.plug("14", { is_running: false });
    await openBeside();
    await field("Record").selectOption("The start of the app");
    await page.locator(".record-processes legend", { hasText: "Installed" }).waitFor();
    await choose("com.example.app");
    await assertAccessible(page);
    await recordButton.click();
    await step.filter({ hasText: /^Recording \d/ }).waitFor();
    await stopButton.click();
    await dialog.waitFor({ state: "detached" });
  });

  await check(
    "an app whose name is typed is started, or it is said that it is not there",
    async () => {
      await openBeside();
      await field("Record").selectOption("Start the app first");
      await choose("org.nobody.has");
      await field("Activity").fill(".Main");
      await recordButton.click();
      await page
        .locator(".record-failed", { hasText: "org.nobody.has" })
        .filter({ hasText: /is it installed|not installed/ })
        .waitFor();
    },
  );

  await check("an app that cannot be recorded is told of, with what to do", async () => {
    await devices.unplug();
    await devices.plug("14", { busy: "am" });
    await page.reload();
    await page.locator("header.bar").getByRole("button", { name: "Record" }).click();
    await page.locator(".record-processes label").first().waitFor();
    await choose();
    await recordButton.click();
    // What failed before is told until the next recording begins: the server keeps it.
    await page.locator(".record-failed", { hasText: "is being recorded already" }).waitFor();
    await assertAccessible(page);
  });

  await check("nothing goes wrong on the way", async () => {
    await settle(page);
    assert.deepEqual(problems, []);
  });

  await browser.stop();
  await viewer.stop();
  await devices.stop();
  await rm(folder, { recursive: true, force: true });
}

finish();
