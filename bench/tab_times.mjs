// Measures how long the Tree tab takes to show a range of FILE, and the Calls tab the calls of the method that is
// called most: from the press on the tab to the frame that has the rows, with nothing on its way any more. Each of the
// ROUNDS begins with a new page, so that nothing is known yet. Prints one JSON object, in seconds.
import { startBrowser, startViewer } from "../web/tests/harness.mjs";

const [file, rounds] = [process.argv[2], Number(process.argv[3] ?? 5)];
if (file === undefined) {
  console.error("usage: node tab_times.mjs FILE [ROUNDS]");
  process.exit(2);
}
// A page that has drawn its picture still fetches what lies beside it.
const REST_MS = 500;
const PATIENCE_MS = 60_000;

async function openPage(browser, address) {
  const page = await browser.context.newPage();
  await page.goto(address);
  await page.waitForFunction(
    () =>
      Number(document.querySelector(".stage canvas")?.dataset.boxes ?? 0) > 0,
    null,
    { timeout: PATIENCE_MS, polling: "raf" },
  );
  await page.waitForTimeout(REST_MS);
  return page;
}

// In the page: presses the tab, and waits for its rows.
const pressTab = ([name, patience]) =>
  new Promise((resolve, reject) => {
    const tab = [...document.querySelectorAll("[role=tab]")].find((one) =>
      one.textContent.includes(name),
    );
    const began = performance.now();
    const look = () => {
      const isThere =
        tab.getAttribute("aria-selected") === "true" &&
        document.querySelector("[role=tabpanel] .table-rows .tr") !== null &&
        document.querySelector("[role=tabpanel] [aria-busy=true]") === null;
      const taken = performance.now() - began;
      if (isThere) resolve(taken / 1000);
      else if (taken > patience) reject(new Error(`${name} has no rows`));
      else requestAnimationFrame(look);
    };
    tab.click();
    requestAnimationFrame(look);
  });

async function time(browser, address, tab) {
  const page = await openPage(browser, address);
  try {
    return await page.evaluate(pressTab, [tab, PATIENCE_MS]);
  } finally {
    await page.close();
  }
}

const ask = async (viewer, question) =>
  (await fetch(`${viewer.url}api/${question}`)).json();

const browser = await startBrowser({ isWatched: false });
const viewer = await startViewer(file);
const told = { tree_s: [], calls_s: [], method: "", calls: 0 };
try {
  // The first page waits until the trace is there.
  await (await openPage(browser, viewer.url)).close();
  const { span_ns: span } = await ask(viewer, "info");
  const {
    methods: [most],
  } = await ask(viewer, "top?sort=calls&n=1");
  told.method = most.method;
  told.calls = most.calls;
  const ms = (share) => ((span * share) / 1e6).toFixed(3);
  for (let i = 0; i < rounds; i++) {
    told.tree_s.push(
      await time(
        browser,
        `${viewer.url}#range=${ms(0.1)}-${ms(0.5)}ms`,
        "Tree",
      ),
    );
    const method = encodeURIComponent(most.method);
    told.calls_s.push(
      await time(browser, `${viewer.url}#method=${method}`, "Calls"),
    );
  }
} finally {
  await browser.stop();
  await viewer.stop();
}
console.log(JSON.stringify(told));
